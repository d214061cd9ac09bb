package main

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// bare runs a statement on DuckDB with some connections for some time, reads the chunks of its rows, and prints how often it ran in
// a second.
func bare(sql string, clients int, length time.Duration) error {
	var db bindings.Database
	if bindings.Open(":memory:", &db) == bindings.StateError {
		return errors.New("DuckDB does not open")
	}
	defer bindings.Close(&db)
	conns := make([]bindings.Connection, clients)
	for i := range conns {
		if bindings.Connect(db, &conns[i]) == bindings.StateError {
			return errors.New("DuckDB rejects a connection")
		}
		defer bindings.Disconnect(&conns[i])
	}
	for _, s := range []string{"ATTACH ':memory:' AS d", "CREATE TABLE d.rows AS " + tableSQL} {
		if _, err := query(conns[0], s); err != nil {
			return err
		}
	}
	began := time.Now()
	var mu sync.Mutex
	var wg sync.WaitGroup
	var failed error
	total := 0
	for _, c := range conns {
		wg.Go(func() {
			runtime.LockOSThread()
			n, err := 0, error(nil)
			for ; err == nil && time.Since(began) < length; n++ {
				_, err = query(c, sql)
			}
			mu.Lock()
			defer mu.Unlock()
			total, failed = total+n, errors.Join(failed, err)
		})
	}
	wg.Wait()
	fmt.Printf("%.1f\n", float64(total)/time.Since(began).Seconds())
	return failed
}

func query(c bindings.Connection, sql string) (rows int, err error) {
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	if bindings.Query(c, sql, &res) == bindings.StateError {
		return 0, errors.New(bindings.ResultError(&res))
	}
	for {
		chunk := bindings.FetchChunk(res)
		if chunk.Ptr == nil {
			return rows, nil
		}
		rows += int(bindings.DataChunkGetSize(chunk))
		bindings.DestroyDataChunk(&chunk)
	}
}
