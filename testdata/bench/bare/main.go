// Command bare does with DuckDB alone what dig does on zone local, for comparison by the suite.
//
//	bare copy FILE SQL       attaches a database file and copies a query to the null device as CSV; TABLES. is the prefix of its tables
//	bare import FILE CSV     reads a CSV document into a table with the types of the internal tables
//	bare import-narrow ...   the same with DECIMAL(18,2) and DOUBLE instead of DECIMAL(38,10)
package main

import (
	"database/sql"
	"fmt"
	"log"
	"os"
	"strings"

	_ "github.com/duckdb/duckdb-go/v2"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("usage: bare copy FILE SQL | bare import FILE CSV")
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func run(what, file, arg string) error {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return err
	}
	defer db.Close()
	attach := "ATTACH " + quote(file) + " AS d"
	switch what {
	case "copy":
		if _, err := db.Exec(attach + " (READ_ONLY)"); err != nil {
			return err
		}
		_, err = db.Exec("COPY (" + strings.ReplaceAll(arg, "TABLES.", `d."table".`) + ") TO " + quote(os.DevNull) + " (FORMAT csv, HEADER, USE_TMP_FILE false)")
		return err
	case "import", "import-narrow":
		if _, err := db.Exec(attach); err != nil {
			return err
		}
		decimals := []any{"DECIMAL(38;10)", "DECIMAL(38;10)"}
		if what == "import-narrow" {
			decimals = []any{"DECIMAL(18;2)", "DOUBLE"}
		}
		columns := fmt.Sprintf("id BIGINT, customer_name VARCHAR, email VARCHAR, amount %s, score %s, active BOOLEAN, created_at TIMESTAMP, birthday DATE, city VARCHAR, note VARCHAR", decimals...)
		if _, err := db.Exec("CREATE TABLE d.t (" + strings.ReplaceAll(columns, ";", ",") + ")"); err != nil {
			return err
		}
		var typed []string
		for _, c := range strings.Split(columns, ", ") {
			name, typ, _ := strings.Cut(c, " ")
			typed = append(typed, quote(name)+": "+quote(strings.ReplaceAll(typ, ";", ",")))
		}
		_, err = db.Exec("INSERT INTO d.t SELECT * FROM read_csv(" + quote(arg) + ", header=true, auto_detect=false, delim=',', quote='\"', escape='\"', columns={" + strings.Join(typed, ", ") + "})")
		return err
	}
	return fmt.Errorf("unknown command %q", what)
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
