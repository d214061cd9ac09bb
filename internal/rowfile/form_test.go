package rowfile

import "testing"

func TestEnding(t *testing.T) {
	for name, want := range map[string]string{"a.csv": "csv", "A.CSV.GZ": "csv", "a.tsv.zst": "tsv", "a.tab": "tsv",
		"a.jsonl": "json", "a.jsonlines": "json", "a.ndjson.zstd": "json", "a.json": "json",
		"a.parquet": "parquet", "dir.csv/a.xlsx": "xlsx", "a.parq": "parquet", "a.XLSM": "xlsx",
		"a.sql": "", "csv": "", "a.csv.bak": "", ".gz": ""} {
		if got := Ending(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestLooksLikeJSON(t *testing.T) {
	for head, want := range map[string]bool{
		`{"a": 1}`: true, "\ufeff [\n {\"a\": 1},": true, "{ }": true, "[]": true, `[{"a": 1}, {b`: true,
		"[[1, 2], [3, 4]]": true, "[1, 2]\n[3, 4]\n": true, "[\n  1,\n  \"x": true, `["a", "b"]`: true, "null\n": true,
		"[id],[name]\n1,x\n": false, "[2020],[2021]\n1,2\n": false, "[1]\t[2]\n": false, "[a]\n1\n": false,
		"{id},{name}\n": false, "null,a\n": false, "null\n1\n": false, "": false, "a,b\n[1],2\n": false,
	} {
		if got := looksLikeJSON([]byte(head)); got != want {
			t.Errorf("%q: %v", head, got)
		}
	}
}
