// Command plainjson converts a result to CSV with the standard library alone: one row at a time,
// encoding/json and encoding/csv.
package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: plainjson URL SHAPE")
	}
	if err := convert(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func convert(url, shape string) error {
	res, err := http.Get(url)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	dec := json.NewDecoder(res.Body)
	var columns []struct{ ColumnName string }
	if err := until(dec, "columns"); err != nil {
		return err
	}
	if err := dec.Decode(&columns); err != nil {
		return err
	}
	if err := until(dec, "data"); err != nil {
		return err
	}
	if _, err := dec.Token(); err != nil {
		return err
	}
	w := csv.NewWriter(os.Stdout)
	record := make([]string, len(columns))
	for i, c := range columns {
		record[i] = c.ColumnName
	}
	for {
		if err := w.Write(record); err != nil {
			return err
		}
		if !dec.More() {
			break
		}
		if err := decode(dec, shape, columns, record); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

func until(dec *json.Decoder, key string) error {
	for {
		t, err := dec.Token()
		if err != nil {
			return err
		}
		if t == key {
			return nil
		}
	}
}

func decode(dec *json.Decoder, shape string, columns []struct{ ColumnName string }, record []string) error {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	switch shape {
	case "CELL_TYPED":
		var row []struct {
			Name, DisplayName, DataType string
			Order                       int
			Value                       *string
		}
		if err := dec.Decode(&row); err != nil {
			return err
		}
		for i := range row {
			record[i] = text(row[i].Value)
		}
	case "SIMPLE":
		var row map[string]*string
		if err := dec.Decode(&row); err != nil {
			return err
		}
		for i := range columns {
			record[i] = text(row[columns[i].ColumnName])
		}
	case "COMPACT":
		var row []*string
		if err := dec.Decode(&row); err != nil {
			return err
		}
		for i := range row {
			record[i] = text(row[i])
		}
	default:
		return errors.New("unknown shape " + shape)
	}
	return nil
}
