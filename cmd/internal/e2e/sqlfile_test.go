package e2e

import (
	"database/sql"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptSQLFile makes the script command that runs the statements of a script in a database file: "sqlitefile FILE
// SCRIPT". $WORK in the script is the folder of the test.
func scriptSQLFile(driver string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 2 {
			ts.Fatalf("usage: %sfile FILE SCRIPT", driver)
		}
		db, err := sql.Open(driver, ts.MkAbs(args[0]))
		ts.Check(err)
		_, err = db.Exec(strings.ReplaceAll(ts.ReadFile(args[1]), "$WORK", ts.Getenv("WORK")))
		ts.Check(err)
		ts.Check(db.Close())
	}
}

// scriptCommands are the commands of scripts beyond testscript's own. They prepare sources, as other programs would.
func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"restsource": scriptRest, "sqlitefile": scriptSQLFile("sqlite"), "duckdbfile": scriptSQLFile("duckdb"),
		"hosted": scriptHosted, "exits": scriptExits,
	}
}
