package cmd

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// publicTyped is where the files of publicTypes are: in npm's package vega-datasets.
const publicTyped = "vega-datasets/data/"

// publicTypes are the types that a person would give the columns of some files.
var publicTypes = map[string]string{
	"airports.csv": "iata:varchar name:varchar city:varchar state:varchar country:varchar latitude:decimal " +
		"longitude:decimal",
	"birdstrikes.csv": "Airport Name:varchar Aircraft Make Model:varchar Effect Amount of damage:varchar Flight " +
		"Date:date Aircraft Airline Operator:varchar Origin State:varchar Phase of flight:varchar Wildlife " +
		"Size:varchar Wildlife Species:varchar Time of day:varchar Cost Other:bigint Cost Repair:bigint Cost Total " +
		"$:bigint Speed IAS in knots:bigint",
	"co2-concentration.csv": "Date:date CO2:decimal adjusted CO2:decimal",
	"flights-airport.csv":   "origin:varchar destination:varchar count:bigint",
	"github.csv":            "time:varchar count:bigint", // 2015/01/01 01:00:00
	"la-riots.csv": "first_name:varchar last_name:varchar age:bigint gender:varchar race:varchar death_date:date " +
		"address:varchar neighborhood:varchar type:varchar longitude:decimal latitude:decimal",
	"seattle-weather.csv": "date:date precipitation:decimal temp_max:decimal temp_min:decimal wind:decimal " +
		"weather:varchar",
	"sp500-2000.csv": "date:date open:decimal high:decimal low:decimal close:decimal adjclose:decimal volume:bigint",
	"stocks.csv":     "symbol:varchar date:varchar price:decimal", // Jan 1 2000
	"windvectors.csv": "longitude:decimal latitude:decimal dir:bigint dirCat:bigint " +
		"speed:decimal",
	"unemployment.tsv": "id:bigint rate:decimal",
	"zipcodes.csv": "zip_code:varchar latitude:decimal longitude:decimal city:varchar state:varchar " + // 00501
		"county:varchar",
	"cars.json": "Name:varchar Miles_per_Gallon:decimal Cylinders:bigint Displacement:decimal Horsepower:bigint " +
		"Weight_in_lbs:bigint Acceleration:decimal Year:date Origin:varchar",
	"penguins.json": "Species:varchar Island:varchar Beak Length (mm):decimal Beak Depth (mm):decimal Flipper " +
		"Length (mm):bigint Body Mass (g):bigint Sex:varchar",
	"monarchs.json": "name:varchar start:bigint end:bigint index:bigint commonwealth:boolean",
}

// publicFile is what another reader found in a file: a line of .ci/public-reader.
type publicFile struct {
	File, Kind, Error string
	Names             []string
	Rows              [][]*string
}

// null is how the test asks for NULL.
const null = "\x01"

// TestPublicFiles compares every value of the public files below DIG_TEST_PUBLIC_FILES, as a statement over the file
// has it and as imports on zone local and on a hosted zone store it, with what other readers found.
// `make public-files` downloads the files and runs the readers. testdata/public_files.txt has the flags that some files
// need, and the reasons why some are not equal.
func TestPublicFiles(t *testing.T) {
	dir := os.Getenv("DIG_TEST_PUBLIC_FILES")
	if dir == "" {
		t.Skip("DIG_TEST_PUBLIC_FILES is not set: make public-files downloads the files and sets it")
	}
	listed := map[string]string{}
	text, err := os.ReadFile("testdata/public_files.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(strings.TrimSuffix(line, "\n"), " # ")
		if name, how, ok := strings.Cut(line, ": "); ok {
			listed[name] = strings.TrimSpace(how)
		}
	}
	read, err := os.Open(filepath.Join(dir, "read.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = read.Close() }()
	p := publicRun{t: t, fronts: []*front{newFront(t, "local"), newFront(t, "us")}, equal: map[string]int{}}
	for d := json.NewDecoder(read); d.More(); {
		var f publicFile
		if err := d.Decode(&f); err != nil {
			t.Fatal(err)
		}
		p.file(filepath.Join(dir, f.File), f, listed[f.File])
	}
	total := 0
	for _, kind := range slices.Sorted(maps.Keys(p.equal)) {
		t.Logf("%s: %d files are equal", kind, p.equal[kind])
		total += p.equal[kind]
	}
	t.Logf("%d files with %d values are equal, %d are refused or different for a reason that is listed",
		total, p.values, p.listed)
	if total < 500 {
		t.Errorf("%d files are equal, want 500", total)
	}
}

type publicRun struct {
	t              *testing.T
	fronts         []*front
	equal          map[string]int
	values, listed int
}

// file compares a file. How are the flags for dig, "refused TEXT" or "differs".
func (p *publicRun) file(path string, want publicFile, how string) {
	flags := splitFlags(how)
	code, out, errs := runDig(p.t, map[string]string{"DIG_ZONE": "local"},
		append([]string{"sql", path, "-o", "csv", "--null", null}, flags...)...)
	if reason, ok := strings.CutPrefix(how, "refused "); ok {
		if p.listed++; code == 0 || !strings.Contains(errs, reason) {
			p.t.Errorf("%s: exit %d, want an error with %q: %s", want.File, code, reason, errs)
		}
		return
	}
	if want.Error != "" { // the other reader refuses it
		return
	}
	wrong := ""
	if code != 0 {
		wrong = fmt.Sprintf("exit %d: %s", code, errs)
	} else {
		wrong = p.compare(out, want, false)
	}
	for _, f := range p.fronts {
		if wrong != "" || slices.Contains(flags, "none") { // --create needs names
			break
		}
		if code, _, errs := f.dig(append([]string{"table", "import", "t", path, "--create"}, flags...)...); code != 0 {
			wrong = fmt.Sprintf("import, zone %s, exit %d: %s", f.zone, code, errs)
			break
		}
		code, out, errs := f.dig("sql", `SELECT * FROM peaka."table".t ORDER BY _id`, "-o", "csv", "--null", null,
			"--no-system-columns")
		if code != 0 {
			wrong = fmt.Sprintf("table, zone %s, exit %d: %s", f.zone, code, errs)
		} else if wrong = p.compare(out, want, true); wrong != "" {
			wrong = "imported on zone " + f.zone + ", " + wrong
		}
		if types := publicTypes[strings.TrimPrefix(want.File, publicTyped)]; types != "" {
			_, out, _ := f.dig("table", "column", "list", "t", "-o", "json", "--jq",
				`.[] | .name + ":" + (.dataType | sub("\\(.*"; ""))`)
			if got := strings.Join(strings.Fields(strings.ReplaceAll(out, `"`, "")), " "); got != types {
				wrong = fmt.Sprintf("%s\nwant %s", got, types)
			}
		}
		f.want(0, "table", "delete", "t", "--yes")
	}
	switch {
	case how == "differs" && wrong != "":
		p.listed++
	case how == "differs":
		p.t.Errorf("%s is equal", want.File)
	case wrong != "":
		p.t.Errorf("%s: %s", want.File, wrong)
	default:
		p.equal[want.Kind]++
		for _, row := range want.Rows {
			p.values += len(row)
		}
	}
}

// compare returns the first difference. In an imported table names are at most 63 bytes and do not begin with _, and a
// column text, which each such table has, may stand elsewhere.
func (p *publicRun) compare(out string, want publicFile, imported bool) string {
	got, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	switch {
	case err != nil:
		return err.Error()
	case len(got) != len(want.Rows)+1:
		return fmt.Sprintf("%d rows, want %d", len(got)-1, len(want.Rows))
	}
	at := make([]int, len(want.Names))
	for k, n := range want.Names {
		if imported {
			n = strings.TrimLeft(n, "_")
			n = n[:min(len(n), 63)]
		}
		if at[k] = slices.Index(got[0], n); at[k] < 0 || at[k] != k && n != "text" && !slices.Contains(got[0], "text") {
			return fmt.Sprintf("names %q, want %q", got[0], want.Names)
		}
	}
	for i, row := range want.Rows {
		if len(row) != len(at) {
			return fmt.Sprintf("row %d has %d values", i+1, len(row))
		}
		for k, v := range row {
			if !samePublic(got[i+1][at[k]], v, strings.HasPrefix(want.Kind, "csv")) {
				w := "NULL"
				if v != nil {
					w = fmt.Sprintf("%q", *v)
				}
				return fmt.Sprintf("row %d, column %s: %q, want %s", i+1, want.Names[k], got[i+1][at[k]], w)
			}
		}
	}
	return ""
}

// splitFlags splits flags whose values may be in single quotes.
func splitFlags(how string) (flags []string) {
	for i, part := range strings.Split(how, "'") {
		if i%2 == 0 {
			flags = append(flags, strings.Fields(part)...)
		} else {
			flags = append(flags, part)
		}
	}
	return flags
}

// samePublic compares numbers by their value, times without zeros at their end, booleans without case, lists and
// objects as JSON. The other reader does not tell whether an empty text of CSV is quoted: it is NULL if not.
func samePublic(got string, want *string, empty bool) bool {
	if want == nil || empty && *want == "" {
		return got == null || want != nil && got == ""
	}
	w := strings.ReplaceAll(*want, "\r\n", "\n") // as the reader of got has them
	if got == w || strings.EqualFold(got, w) && (got == "true" || got == "false") {
		return true
	}
	a, ok1 := new(big.Rat).SetString(got)
	b, ok2 := new(big.Rat).SetString(strings.TrimSpace(w))
	if ok1 && ok2 {
		x, _ := a.Float64()
		y, _ := b.Float64()
		return a.Cmp(b) == 0 || x == y
	}
	if strings.HasPrefix(w, "{") || strings.HasPrefix(w, "[") {
		var x, y any
		return json.Unmarshal([]byte(got), &x) == nil && json.Unmarshal([]byte(w), &y) == nil && reflect.DeepEqual(x, y)
	}
	if day, ok := strings.CutSuffix(w, " 00:00:00"); ok && got == day { // of a workbook
		return true
	}
	got, w = strings.TrimSuffix(got, " UTC"), strings.TrimSuffix(w, "+00:00") // a table has no zones
	plain := strings.TrimSuffix(strings.Replace(w, "T", " ", 1), "Z")
	rest, ok := strings.CutPrefix(got, plain)
	return ok && len(plain) >= 16 && strings.Trim(rest, ":.0") == ""
}
