package main

import (
	"fmt"
	"log"
	"net"
	"os"
	"strconv"

	"github.com/go-sql-driver/mysql"
)

// mariadbSQL creates the table of tableSQL in MariaDB.
const mariadbSQL = `DROP TABLE IF EXISTS %[1]s; CREATE TABLE %[1]s(id bigint PRIMARY KEY, customer int, amount decimal(12,2), name varchar(40),
  status varchar(10), created datetime, updated timestamp NULL, express boolean, weight double, due date) CHARACTER SET utf8mb4;
INSERT INTO %[1]s SELECT seq, seq %% 1000, seq * 37 %% 1000000 / 100, CONCAT('customer number ', seq %% 5000), ELT(seq %% 4 + 1, 'new', 'paid', 'sent', 'back'),
  timestamp '2020-01-01 00:00:00' + INTERVAL seq MINUTE, timestamp '2020-01-01 00:00:00' + INTERVAL seq %% 1000000 * 61 SECOND, seq %% 3 = 0, seq / 7e0,
  IF(seq %% 10 <> 0, date '2020-01-01' + INTERVAL seq %% 1000 DAY, NULL) FROM seq_1_to_%[2]d; ANALYZE TABLE %[1]s;`

// mariadb compares with the mariadb program, if there is a server.
func (b *bench) mariadb(n int) {
	dsn := os.Getenv("DIG_TEST_MARIADB")
	if dsn == "" {
		fmt.Println("MariaDB is not there: not measured")
		return
	}
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		log.Fatal(err)
	}
	host, port, err := net.SplitHostPort(cfg.Addr)
	if err != nil {
		log.Fatal(err)
	}
	b.env = append(b.env, "MYSQL_PWD="+cfg.Passwd)
	number, err := strconv.Atoi(port)
	if err != nil {
		log.Fatal(err)
	}
	b.connect("my", "mysql", map[string]any{"url": host, "port": number, "user": cfg.User, "password": cfg.Passwd, "databaseName": cfg.DBName})
	client := func(sql string) []string {
		return []string{"mariadb", "--no-defaults", "--protocol=tcp", "-h", host, "-P", port, "-u", cfg.User, "--batch", "-e", sql, cfg.DBName}
	}
	table := fmt.Sprintf("bench_%d", n)
	b.run(client(fmt.Sprintf(mariadbSQL, table, n))...)
	from := "my." + cfg.DBName + "." + table
	b.compare(fmt.Sprintf("MariaDB: look-up by primary key, %d", n), b.query(fmt.Sprintf("SELECT * FROM %s WHERE id = %d", from, n/2)), client(fmt.Sprintf("SELECT * FROM %s WHERE id = %d", table, n/2)))
	b.compare(fmt.Sprintf("MariaDB: full scan to CSV, %d rows", n), b.query("SELECT * FROM "+from), client("SELECT * FROM "+table))
	b.run(client("DROP TABLE " + table)...)
}
