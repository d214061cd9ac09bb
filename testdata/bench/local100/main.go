// Command local100 runs a query on a gateway inside this process whose engine may use 100 MB, and discards the reply: the
// memory of the process beyond that is the gateway's.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("usage: local100 DIR SQL FORMAT")
	}
	if err := run(os.Args[1], os.Args[2], api.Format(os.Args[3])); err != nil {
		log.Fatal(err)
	}
}

func run(dir, sql string, format api.Format) error {
	g, err := gateway.Open(gateway.Options{Dir: dir, OpenEngine: duckdb.Open, Engine: engine.Options{MemoryLimit: 100_000_000}})
	if err != nil {
		return err
	}
	defer g.Close()
	cl, err := api.New(api.Options{BaseURL: gateway.LocalBaseURL, Transport: g.Transport()})
	if err != nil {
		return err
	}
	res, err := cl.Queries.Execute(context.Background(), gateway.DefaultProject, api.ExecuteByStatement{Statement: sql}, api.ExecuteOptions{Format: format})
	if err != nil {
		return err
	}
	defer res.Close()
	n, err := io.Copy(io.Discard, res.Body)
	fmt.Println(n)
	return err
}
