// Command floor opens an attached DuckDB file and runs SELECT 1: the lower bound for `dig query execute --sql 'SELECT 1'` on zone
// local. Its argument is the file; without one it only prints a line, with the engine linked in and unused.
package main

import (
	"database/sql"
	"fmt"
	"log"
	"os"

	_ "github.com/duckdb/duckdb-go/v2"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Println("floor")
		return
	}
	db, err := sql.Open("duckdb", "")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("ATTACH '" + os.Args[1] + "' AS peaka"); err != nil {
		log.Fatal(err)
	}
	var n int
	if err := db.QueryRow("SELECT 1").Scan(&n); err != nil {
		log.Fatal(err)
	}
	fmt.Println(n)
}
