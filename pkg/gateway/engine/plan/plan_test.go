package plan

import (
	"encoding/json"
	"strings"
	"testing"
)

const joined = `[{"name": "TOP_N", "extra_info": {"Top": "5", "Order By": "count_star() DESC"}, "children": [
 {"name": "PROJECTION", "extra_info": {"Projections": ["__internal_decompress_string(#0)", "#1"]}, "children": [
  {"name": "HASH_GROUP_BY", "extra_info": {"Groups": "#0", "Aggregates": ["count_star()", "sum(#1)"], "Estimated Cardinality": "7"}, "children": [
   {"name": "PROJECTION", "extra_info": {"Projections": ["~c3", "(~r6.~c8 * 2)"]}, "children": [
    {"name": "HASH_JOIN", "extra_info": {"Join Type": "LEFT", "Conditions": ["~c4 = ~c7"]}, "children": [
     {"name": "SEQ_SCAN ", "extra_info": {"Table": "\"~data\".tpch.nation", "Projections": ["regionkey", "name"], "Filters": "nationkey>3"}, "children": []},
     {"name": "~SCAN", "extra_info": {"Function": "~SCAN", "Projections": "~t0.id"}, "children": []}]}]}]}]}]}]`

func TestTree(t *testing.T) {
	n, err := FromDuckDB(joined, Names{
		Column: func(made string) string {
			return map[string]string{"~c3": "name", "~c4": "regionkey", "~c7": "id"}[made]
		},
		Stored: func(name string) Table {
			return Table{Name: "tpch.tiny.nation", Types: map[string]string{"name": "varchar(25)",
				"regionkey": "bigint"}, Details: []string{"reads: " + name}}
		},
		Scan: func(function string, columns []string, _ int64) (Table, []string) {
			if function != "~scan" || len(columns) != 1 || columns[0] != "~t0.id" {
				t.Errorf("asked for %q %q", function, columns)
			}
			return Table{Name: "pg.public.regions", Types: map[string]string{"id": "bigint"},
				Details: []string{"asked of the source: where id > 3"}}, []string{"id"}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `TopN[count = 5, orderBy = [count(*) DESC]]
└─ Aggregate[keys = [name]]
   │   Estimates: {rows: 7}
   │   count(*)
   │   sum((expr * 2))
   └─ LeftJoin[criteria = [regionkey = id]]
      ├─ TableScan[table = tpch.tiny.nation]
      │      Layout: [regionkey:bigint, name:varchar(25)]
      │      reads: ~data.tpch.nation
      │      filter while reading: nationkey>3
      └─ TableScan[table = pg.public.regions]
             Layout: [id:bigint]
             asked of the source: where id > 3
`
	if got := n.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var back Node
	if err := json.Unmarshal([]byte(n.JSON()), &back); err != nil {
		t.Fatal(err)
	}
	if scan := back.Children[0].Children[0].Children[1]; scan.ID != "4" || scan.Name != "TableScan" ||
		scan.Children == nil {
		t.Errorf("a table is %+v in JSON", scan)
	}
}

func TestSqueezed(t *testing.T) {
	for s, want := range map[string]string{
		`__internal_compress_string_uhugeint(#0)`:                              `#0`,
		`__internal_compress_integral_utinyint("year"(a, b), 1992) DESC`:       `"year"(a, b) DESC`,
		`max(__internal_decompress_integral_bigint(__internal_x(#1, (2)), 1))`: `max(#1)`,
		`plain(a, b)`:   `plain(a, b)`,
		`__internal_x(`: ``,
	} {
		if got := stripCompression(s); got != want {
			t.Errorf("%s: %s, want %s", s, got, want)
		}
	}
}

func TestUnknownForm(t *testing.T) {
	for _, text := range []string{"", "{}", "[]", "physical plan"} {
		if n, err := FromDuckDB(text, Names{}); err == nil || !strings.Contains(err.Error(), "unknown form") {
			t.Errorf("%q: %v %v", text, n, err)
		}
	}
}
