package manifest

import (
	"strings"
	"testing"
)

// TestCaseOfNames: tables and columns whose names differ in case are the same.
func TestCaseOfNames(t *testing.T) {
	have, err := readFiles(t, map[string]string{"dig.yaml": "version: 1\n",
		"tables/t.yaml":       "columns:\n  - name: c\n    type: bigint\n  - name: old\n    type: bigint\n",
		"bitables/b.yaml":     "columns: []\n",
		"metadata/peaka.yaml": "table.t:\n  description: x\n  columns:\n    c:\n      description: y\n"})
	if err != nil {
		t.Fatal(err)
	}
	want, err := readFiles(t, map[string]string{"dig.yaml": "version: 1\n",
		"tables/T.yaml": "columns:\n  - name: C\n    type: bigint\n  - name: new\n    type: bigint\n    " +
			"renamed-from: OLD\n", "bitables/B.yaml": "columns: []\n",
		"metadata/peaka.yaml": "table.T:\n  description: x\n  columns:\n    C:\n      description: y\n"})
	if err != nil {
		t.Fatal(err)
	}
	changes, extra := Compare(Spelled(want, have), have)
	if len(changes) != 1 || len(extra) != 0 || changes[0].Action != Update || changes[0].Name != "t.new" {
		t.Errorf("changes %v, extra %v", changes, extra)
	}
	if _, err := readFiles(t, map[string]string{"dig.yaml": "version: 1\n", "tables/a.yaml": "name: T\ncolumns: []\n",
		"tables/t.yaml": "columns: []\n"}); err == nil || !strings.Contains(err.Error(),
		"the case of names does not count") {
		t.Errorf("twins: %v", err)
	}
}

// TestMisspeltFolders: a folder that was almost certainly meant to be read is a mistake, and another one is not.
func TestMisspeltFolders(t *testing.T) {
	for folder, near := range map[string]string{"table": "tables", "Tables": "tables", "query": "queries",
		"querys": "queries", "golden_sql": "golden-sql", "cache": "caches", "relation": "relations",
		"connection": "connections",
		"meta-data":  "metadata", "bitable": "bitables", "docs": "", "scripts": "", "data": "", "test": "", "tests": "",
		"queries-old": "", ".table": "", "src": "", "sql": "", "models": "", "seeds": "", "env": "", "target": "",
		"node_modules": ""} {
		_, err := readFiles(t, map[string]string{"dig.yaml": "version: 1\n", folder + "/t.yaml": "columns: []\n"})
		if near == "" && err != nil || near != "" && (err == nil || !strings.Contains(err.Error(),
			folder+": a folder of this name is not read; did you mean "+near+"?")) {
			t.Errorf("%s: %v", folder, err)
		}
	}
}
