package cmd

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// publicFiles are data files that were not made for dig, from npm's package vega-datasets, with the type that a person
// would give each of their columns.
var publicFiles = []struct{ file, types string }{
	{"airports.csv", "iata:varchar name:varchar city:varchar state:varchar country:varchar latitude:decimal " +
		"longitude:decimal"},
	{"birdstrikes.csv", "Airport Name:varchar Aircraft Make Model:varchar Effect Amount of damage:varchar Flight " +
		"Date:date Aircraft Airline Operator:varchar Origin State:varchar Phase of flight:varchar Wildlife " +
		"Size:varchar Wildlife Species:varchar Time of day:varchar Cost Other:bigint Cost Repair:bigint Cost Total " +
		"$:bigint Speed IAS in knots:bigint"},
	{"co2-concentration.csv", "Date:date CO2:decimal adjusted CO2:decimal"},
	{"flights-airport.csv", "origin:varchar destination:varchar count:bigint"},
	{"github.csv", "time:varchar count:bigint"}, // 2015/01/01 01:00:00
	{"la-riots.csv", "first_name:varchar last_name:varchar age:bigint gender:varchar race:varchar death_date:date " +
		"address:varchar neighborhood:varchar type:varchar longitude:decimal latitude:decimal"},
	{"seattle-weather.csv",
		"date:date precipitation:decimal temp_max:decimal temp_min:decimal wind:decimal weather:varchar"},
	{"sp500-2000.csv", "date:date open:decimal high:decimal low:decimal close:decimal adjclose:decimal volume:bigint"},
	{"stocks.csv", "symbol:varchar date:varchar price:decimal"}, // Jan 1 2000
	{"unemployment.tsv", "id:bigint rate:decimal"},
	{"windvectors.csv", "longitude:decimal latitude:decimal dir:bigint dirCat:bigint speed:decimal"},
	// 00501
	{"zipcodes.csv", "zip_code:varchar latitude:decimal longitude:decimal city:varchar state:varchar county:varchar"},
	{"cars.json", "Name:varchar Miles_per_Gallon:decimal Cylinders:bigint Displacement:decimal Horsepower:bigint " +
		"Weight_in_lbs:bigint Acceleration:decimal Year:date Origin:varchar"},
	{"penguins.json", "Species:varchar Island:varchar Beak Length (mm):decimal Beak Depth (mm):decimal Flipper " +
		"Length (mm):bigint Body Mass (g):bigint Sex:varchar"},
	{"monarchs.json", "name:varchar start:bigint end:bigint index:bigint commonwealth:boolean"},
}

// TestPublicFiles imports files of others with inferred types, on zone local and as on a hosted zone, and compares
// every value with what Go's readers find in them. `make public-files` downloads the files.
func TestPublicFiles(t *testing.T) {
	dir := os.Getenv("DIG_TEST_PUBLIC_FILES")
	if dir == "" {
		t.Skip("DIG_TEST_PUBLIC_FILES is not set: make public-files downloads the files and sets it")
	}
	for _, zone := range []string{"local", "us"} {
		f := newFront(t, zone)
		for _, p := range publicFiles {
			path := filepath.Join(dir, p.file)
			names, want := independently(t, path)
			f.want(0, "table", "import", "t", path, "--create")
			var types, quoted []string
			_, out, _ := f.dig("table", "column", "list", "t", "-o", "json", "--jq", `.[] | .name + ":" + .dataType`)
			types = strings.Split(strings.TrimSpace(strings.ReplaceAll(out, `"`, "")), "\n")
			if got := strings.Join(types, " "); got != p.types {
				t.Errorf("%s: %s\nwant %s", p.file, got, p.types)
			}
			for i, n := range names {
				quoted = append(quoted, `"`+n+`"`)
				_, types[i], _ = strings.Cut(types[i], ":")
			}
			code, out, errs := f.dig("query", "execute", "-o", "csv", "--sql", "SELECT "+strings.Join(quoted, ", ")+
				` FROM peaka."table".t ORDER BY _id`)
			got, err := csv.NewReader(strings.NewReader(out)).ReadAll()
			if code != 0 || err != nil || len(got) != len(want)+1 {
				t.Fatalf("%s: exit %d, %d of %d rows: %v %s", p.file, code, len(got)-1, len(want), err, errs)
			}
			bad := 0
			for i, row := range want {
				for k, v := range row {
					if bad < 5 && !sameValue(types[k], got[i+1][k], v) {
						t.Errorf("%s, row %d, column %s: %q, want %q", p.file, i+1, names[k], got[i+1][k], v)
						bad++
					}
				}
			}
			f.want(0, "table", "delete", "t", "--yes")
		}
	}
}

// sameValue compares numbers by their value, all else by its text.
func sameValue(typ, got, want string) bool {
	if !strings.HasPrefix(typ, "decimal") || want == "" {
		return got == want
	}
	a, ok1 := new(big.Rat).SetString(got)
	b, ok2 := new(big.Rat).SetString(want)
	return ok1 && ok2 && a.Cmp(b) == 0
}

// independently reads a file with Go's library.
func independently(t *testing.T, path string) (names []string, rows [][]string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	if filepath.Ext(path) != ".json" {
		r := csv.NewReader(bytes.NewReader(raw))
		if filepath.Ext(path) == ".tsv" {
			r.Comma = '\t'
		}
		all, err := r.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return all[0], all[1:]
	}
	var objects []map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&objects); err != nil {
		t.Fatal(err)
	}
	order := json.NewDecoder(bytes.NewReader(raw)) // the names in the order of the first object
	depth := 0
	for depth < 3 {
		tok, err := order.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch tok := tok.(type) {
		case json.Delim:
			if depth++; tok == '}' {
				depth = 3
			}
		case string:
			names = append(names, tok)
			if _, err := order.Token(); err != nil { // its value
				t.Fatal(err)
			}
		}
	}
	for _, o := range objects {
		row := make([]string, len(names))
		for i, n := range names {
			switch v := o[n].(type) {
			case nil:
			case string:
				row[i] = v
			case json.Number:
				row[i] = v.String()
			case bool:
				row[i] = map[bool]string{true: "true", false: "false"}[v]
			}
		}
		rows = append(rows, row)
	}
	return names, rows
}
