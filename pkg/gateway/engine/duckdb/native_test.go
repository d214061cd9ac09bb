//go:build cgo

package duckdb

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	folder "github.com/dig-cli/dig/pkg/gateway/connector/files"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// nativeRow has a column of each type that DuckDB reads itself, and some that only our reader does.
type nativeRow struct {
	Flag   *bool            `parquet:"flag,optional"`
	Small  int32            `parquet:"small,delta"`
	Plain  *int32           `parquet:"plain,optional"`
	Big    int64            `parquet:"big,delta"`
	Tiny   int8             `parquet:"tiny"`
	Short  *int16           `parquet:"short,optional"`
	U8     uint8            `parquet:"u8"`
	U16    uint16           `parquet:"u16"`
	U32    uint32           `parquet:"u32"`
	U64    *uint64          `parquet:"u64,optional"`
	Dict   int64            `parquet:"dict number,dict"`
	Price  int64            `parquet:"price,decimal(2:18)"`
	Cheap  *int32           `parquet:"cheap,optional,decimal(1:4)"`
	Real   float32          `parquet:"real,split"`
	Double *float64         `parquet:"double,optional"`
	Split  float64          `parquet:"split,split"`
	Day    int32            `parquet:"day,date"`
	Milli  *int64           `parquet:"milli,optional,timestamp(millisecond)"`
	Micro  int64            `parquet:"micro,timestamp(microsecond)"`
	Local  int64            `parquet:"local,timestamp(microsecond:local)"`
	Nano   int64            `parquet:"nano,timestamp(nanosecond)"`
	Code   *string          `parquet:"code,dict,optional"`
	Text   string           `parquet:"Text It's,delta"`
	Raw    []byte           `parquet:"raw"`
	ID     [16]byte         `parquet:"id,uuid"`
	Clock  int64            `parquet:"clock,time(microsecond)"`
	Doc    string           `parquet:"doc,json"`
	List   []int64          `parquet:"list,list"`
	Pairs  map[string]int32 `parquet:"pairs"`
}

func nativeRows(n int) []nativeRow {
	out := make([]nativeRow, n)
	for i := range out {
		floats := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1.5, -1e300, float64(i)}
		texts := []string{"", "a", "a\x00b", "zürich 😀", strings.Repeat("x", i%40), "longer than twelve bytes"}
		v := int64(i)*int64(i)*7919 - 5000
		r := nativeRow{Small: int32(v), Big: v << 31, Tiny: int8(v), U8: uint8(v), U16: uint16(v), U32: uint32(v),
			Dict: v % 7, Price: v, Real: float32(floats[i%7]), Split: floats[(i+3)%8], Day: int32(v),
			Micro: v * 1_000_003,
			Local: v * 1_000_000, Nano: v * 1001, Text: texts[i%6], Raw: []byte(texts[(i+1)%6]),
			ID: [16]byte{byte(i), 3: 0x80, 15: byte(v)}, Clock: (v%86400 + 86400) % 86400 * 1_000_000,
			Doc: `{"a": 1}`, Pairs: map[string]int32{"k": int32(i)}}
		if i%3 != 1 {
			flag, plain, short, u64 := i%2 == 0, int32(-v), int16(v), uint64(v)
			cheap, milli := int32(v%10_000), v*100
			r.Flag, r.Plain, r.Short, r.U64, r.Cheap, r.Milli = &flag, &plain, &short, &u64, &cheap, &milli
			r.Double, r.Code, r.List = &floats[i%8], &texts[(i+2)%6], []int64{v, 2}
		}
		out[i] = r
	}
	return out
}

func parquetOf[T any](t *testing.T, rows []T, o ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows, o...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// nativeFiles are the files of Parquet in the repository, by their names, and generated ones.
func nativeFiles(t *testing.T) map[string][]byte {
	out := map[string][]byte{}
	for _, pattern := range []string{"../../../../cmd/testdata/files/*.parquet",
		"../../connector/files/testdata/*.parquet", "../../../trinosql/witness/testdata/tpch/*.parquet"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out[filepath.Base(filepath.Dir(name))+"_"+filepath.Base(name)] = raw
		}
	}
	for name, codec := range map[string]compress.Codec{"none": &parquet.Uncompressed, "snappy": &parquet.Snappy,
		"gzip": &parquet.Gzip, "zstd": &parquet.Zstd, "brotli": &parquet.Brotli, "lz4": &parquet.Lz4Raw} {
		for version := 1; version <= 2; version++ {
			out[fmt.Sprintf("%s_%d.parquet", name, version)] = parquetOf(t, nativeRows(3001),
				parquet.Compression(codec), parquet.DataPageVersion(version), parquet.MaxRowsPerRowGroup(900))
		}
	}
	out["empty.parquet"] = parquetOf(t, nativeRows(0))
	out["bare.parquet"] = parquetOf(t, nativeRows(200), parquet.DataPageStatistics(false),
		parquet.SkipPageBounds("price"))
	out["bloom.parquet"] = parquetOf(t, nativeRows(300), parquet.BloomFilters(parquet.SplitBlockFilter(10, "double"),
		parquet.SplitBlockFilter(10, "small"), parquet.SplitBlockFilter(10, "split")))
	// 0 and -0 are equal, and differ to a Bloom filter
	out["zeros.parquet"] = parquetOf(t, []zeroRow{{math.Copysign(0, -1), 1}, {5, 2}},
		parquet.BloomFilters(parquet.SplitBlockFilter(10, "zero")))
	return out
}

type zeroRow struct {
	Zero float64 `parquet:"zero"`
	N    int64   `parquet:"n"`
}

// onlyScan hides that DuckDB could read a file.
type onlyScan struct{ engine.Scanner }

func openParquet(t *testing.T, path ...string) engine.Scanner {
	t.Helper()
	s, err := folder.Named(t.Context(), connector.Reach{}, path, rowfile.Options{})
	if err != nil {
		t.Fatal(path, err)
	}
	return s
}

// nativeRun runs a statement over a file as table x, and tells whether DuckDB has read it.
func nativeRun(t *testing.T, p engine.Project, src engine.Scanner, text string) (got string, native bool) {
	t.Helper()
	q := sql.Query{SQL: text, Catalogs: oneSource{src: src}}
	r, err := sql.Run(t.Context(), p, q)
	if err != nil {
		return "error: " + err.Error(), false
	}
	defer r.Close()
	var b strings.Builder
	for _, c := range r.Running.Columns() {
		fmt.Fprintf(&b, "%s %s|", c.Name, c.Type)
	}
	_, err = r.Rows(t.Context(), func(row [][]byte) error {
		b.WriteByte('\n')
		for _, c := range row {
			if c == nil {
				b.WriteString("null|")
			} else {
				fmt.Fprintf(&b, "%q|", c)
			}
		}
		return nil
	})
	native = strings.Contains(engine.Innermost(r.Running).(interface{ Text() string }).Text(), "read_parquet")
	if err != nil {
		return "error: " + err.Error(), native
	}
	return b.String(), native
}

// TestNativeParquet reads files by DuckDB and by our reader: names, types, values, their order and errors are equal.
func TestNativeParquet(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	dir := t.TempDir()
	byDuckDB := map[string]int{}
	deep := map[string]bool{"snappy_2.parquet": true, "bloom.parquet": true, "bare.parquet": true,
		"zeros.parquet": true, "empty.parquet": true, "files_kinds.parquet": true, "tpch_lineitem.parquet": true}
	for name, raw := range nativeFiles(t) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		src, err := folder.Named(t.Context(), connector.Reach{}, []string{path}, rowfile.Options{})
		if err != nil {
			continue // it is refused before anything is read
		}
		cols, err := src.Columns(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		texts := []string{"SELECT * FROM x", "SELECT count(*) FROM x", "SELECT * FROM x LIMIT 3"}
		for _, c := range cols {
			q := sqltext.Quote(c.Name)
			texts = append(texts, "SELECT "+q+" FROM x")
			if !deep[name] {
				continue // files like these in another form, or another compression
			}
			texts = append(texts, "SELECT max("+q+"), min("+q+"), count("+q+") FROM x",
				"SELECT count(*) FROM x WHERE "+q+" > (SELECT min("+q+") FROM x)",
				"SELECT "+q+" FROM x WHERE "+q+" IS NOT NULL AND "+q+" IN (SELECT max("+q+") FROM x)")
			switch c.Type {
			case "double", "real":
				texts = append(texts, "SELECT count(*) FROM x WHERE "+q+" > 1",
					"SELECT count(*) FROM x WHERE "+q+" = 0",
					"SELECT count(*) FROM x WHERE is_nan("+q+")", "SELECT count(*) FROM x WHERE NOT "+q+" <= 1e300")
			case "integer", "bigint":
				texts = append(texts, "SELECT count(*) FROM x WHERE "+q+" BETWEEN -4000 AND 90000")
			case "varchar":
				texts = append(texts, "SELECT count(*) FROM x WHERE "+q+" LIKE 'a%'",
					"SELECT count(*) FROM x WHERE "+q+" > 'z'")
			}
		}
		for _, text := range texts {
			got, native := nativeRun(t, p, src, text)
			want, _ := nativeRun(t, p, onlyScan{src}, text)
			if got != want {
				t.Errorf("%s: %s: DuckDB %v\n%.1500s\nwant\n%.1500s", name, text, native, got, want)
			}
			if native {
				byDuckDB[name]++
			}
		}
		t.Logf("%s: %d of %d statements by DuckDB", name, byDuckDB[name], len(texts))
	}
	if byDuckDB["snappy_2.parquet"] < 100 || byDuckDB["tpch_lineitem.parquet"] < 80 {
		t.Errorf("DuckDB read few files: %v", byDuckDB)
	}
}

// TestNativeFaults checks what a file gives whose data DuckDB refuses, that changes, and that another file replaces.
func TestNativeFaults(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	dir := t.TempDir()
	path := filepath.Join(dir, "a.parquet")
	put := func(raw []byte) engine.Scanner {
		t.Helper()
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		return openParquet(t, path)
	}
	type row struct {
		N int64  `parquet:"n"`
		S string `parquet:"s,plain"`
	}
	many := make([]row, 5000)
	for i := range many {
		many[i] = row{int64(i), fmt.Sprint("text ", i)}
	}
	if got, native := nativeRun(t, p, put(parquetOf(t, many)), "SELECT sum(n), max(s) FROM x"); !native ||
		!strings.HasSuffix(got, "\n\"12497500\"|\"text 999\"|") {
		t.Errorf("%v %s", native, got)
	}
	// the same name and, by its inode, the same file, right after it was read
	many[7].N += 1000
	if got, native := nativeRun(t, p, put(parquetOf(t, many)), "SELECT sum(n), max(s) FROM x"); !native ||
		!strings.HasSuffix(got, "\n\"12498500\"|\"text 999\"|") {
		t.Errorf("%v %s", native, got)
	}
	many[4000].S = "a\xff"
	wrong := "error: reading peaka.table.x: file a.parquet: row 4001, column \"s\": invalid UTF-8"
	for _, text := range []string{"SELECT * FROM x", "SELECT max(s) FROM x", "SELECT count(*) FROM x WHERE s > 'b'"} {
		if got, _ := nativeRun(t, p, put(parquetOf(t, many)), text); got != wrong {
			t.Errorf("%s: %.300s", text, got)
		}
	}
	_, err := sql.Store(t.Context(), p, "cache", "12345678901234567", sql.Query{SQL: "SELECT * FROM x",
		Catalogs: oneSource{src: openParquet(t, path)}})
	if err == nil || "error: "+err.Error() != wrong {
		t.Errorf("stored: %v", err)
	}
	many[4000].S = "a"
	src := put(parquetOf(t, many))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	if got, _ := nativeRun(t, p, src, "SELECT sum(n) FROM x"); !strings.HasSuffix(got,
		"the file has changed while it was read") {
		t.Errorf("changed: %s", got)
	}
	// while it is read, which the rows that are sent take long enough for
	src = put(parquetOf(t, many))
	r, err := sql.Run(t.Context(), p, sql.Query{SQL: "SELECT n FROM x", Catalogs: oneSource{src: src}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := f.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	_, err = r.Rows(t.Context(), func([][]byte) error { return nil })
	if err == nil || !strings.HasSuffix(err.Error(), "the file has changed while it was read") {
		t.Errorf("changed while it was read: %v", err)
	}
	links, err := filepath.Glob(filepath.Join(p.files.Dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	for _, l := range links {
		if _, err := os.Readlink(l); err == nil {
			t.Errorf("%s is left", l)
		}
	}
}

// TestNativeDamage changes bytes of files: the process goes on, and where checksums tell it, the error is that of our
// reader. DIG_TEST_DAMAGES is the number of files.
func TestNativeDamage(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	path := filepath.Join(t.TempDir(), "a.parquet")
	n, err := strconv.Atoi(cmp.Or(os.Getenv("DIG_TEST_DAMAGES"), "60"))
	if err != nil {
		t.Fatal(err)
	}
	all := nativeFiles(t)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool {
		return len(all[name]) < 1000 || len(all[name]) > 300<<10
	})
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	read, refused := 0, 0
	for i := range n {
		name := names[i%len(names)]
		raw, sums := bytes.Clone(all[name]), !strings.HasPrefix(name, "files_") && !strings.HasPrefix(name, "tpch_") &&
			!strings.HasPrefix(name, "testdata_")
		end := len(raw) - 8 - int(binary.LittleEndian.Uint32(raw[len(raw)-8:]))
		for range 1 + rng.IntN(4) {
			at := 4 + rng.IntN(end-4)
			if rng.IntN(10) == 0 {
				at = end + rng.IntN(len(raw)-8-end)
			}
			raw[at] = []byte{0, 0xff, 0x7f, 0x80, raw[at] ^ 1<<rng.IntN(8), byte(rng.IntN(256))}[rng.IntN(6)]
		}
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		src, err := folder.Named(t.Context(), connector.Reach{}, []string{path}, rowfile.Options{})
		if err != nil {
			continue
		}
		cols, err := src.Columns(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cols {
			text := "SELECT " + sqltext.Quote(c.Name) + " FROM x"
			got, native := nativeRun(t, p, src, text)
			if strings.HasPrefix(got, "error: ") {
				refused++
			} else if native {
				read++
			}
			want, _ := nativeRun(t, p, onlyScan{src}, text)
			if got != want && (sums || !strings.HasPrefix(want, "error: ")) {
				t.Errorf("%s %d: %s: %v\n%.300s\nwant\n%.300s", name, i, text, native, got, want)
			}
		}
	}
	if read < n/2 || refused < n/10 {
		t.Errorf("%d columns were read by DuckDB, %d are damaged", read, refused)
	}
}

// TestNativeFilesAreNotNamed checks that no statement reads an open file by its number, or a link by the name it has.
func TestNativeFilesAreNotNamed(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	f, err := os.Create(filepath.Join(t.TempDir(), "a.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(parquetOf(t, []zeroRow{{1, 1}})); err != nil {
		t.Fatal(err)
	}
	c, err := p.files.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	link, err := c.Instance.Link(f)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("open files have no names here")
	} else if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(link)
	if got := one(t, p, "SELECT n FROM read_parquet("+sqltext.Literal(link)+")"); got != "1" {
		t.Errorf("by its link: %s", got)
	}
	fd := fmt.Sprintf("/proc/self/fd/%d", f.Fd())
	other := filepath.Join(filepath.Dir(link), "other")
	if err := os.Symlink(f.Name(), other); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fd, fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd()), f.Name(), other,
		strings.Replace(fd, "/proc/self", "/dev", 1)} {
		// even what the guard should have refused
		for _, text := range []string{"SELECT n FROM read_parquet(%s)", "SELECT content FROM read_blob(%s)",
			"COPY (SELECT 1) TO %s", "ATTACH %s AS y", "SELECT * FROM glob(%s)"} {
			n, err := c.Exec(t.Context(), fmt.Sprintf(text, sqltext.Literal(path)))
			if err == nil {
				t.Errorf(text+" went through: %d", path, n)
			}
		}
		for _, text := range []string{"SELECT * FROM %s", "SELECT * FROM read_parquet(%s)",
			"SELECT * FROM TABLE(read_parquet(%s))", "SELECT read_text(%s)"} {
			_, err := rows(t, p, sql.Query{SQL: fmt.Sprintf(text, sqltext.Literal(path))})
			if err == nil {
				t.Errorf(text+" went through", path)
			}
		}
	}
}
