package rowfile

import "testing"

func TestEnding(t *testing.T) {
	for name, want := range map[string]string{"a.csv": "csv", "A.CSV.GZ": "csv", "a.tsv.zst": "tsv", "a.tab": "tsv",
		"a.jsonl": "json", "a.ndjson.zstd": "json", "a.json": "json",
		"a.parquet": "parquet", "dir.csv/a.xlsx": "xlsx", "a.sql": "", "csv": "", "a.csv.bak": "", ".gz": ""} {
		if got := Ending(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
