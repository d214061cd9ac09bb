package main

import (
	"fmt"
	"strings"
)

// bundled is software in DuckDB's library of which the module has no licence text. archive is the name of its library
// in the module, "" if it is compiled into another one.
var bundled = []struct{ archive, name, spdx string }{
	{"fastpforlib", "FastPFor", "Apache-2.0"},
	{"fmt", "{fmt}", "MIT"},
	{"fsst", "FSST", "MIT"},
	{"hyperloglog", "HyperLogLog of Redis", "BSD-3-Clause"},
	{"jemalloc", "jemalloc (Linux)", "BSD-2-Clause"},
	{"mbedtls", "Mbed TLS", "Apache-2.0"},
	{"miniz", "miniz", "MIT"},
	{"pg_query", "libpg_query", "BSD-3-Clause"},
	{"pg_query", "parser of PostgreSQL", "PostgreSQL"},
	{"re2", "RE2", "BSD-3-Clause"},
	{"skiplistlib", "skiplist", "MIT"},
	{"utf8proc", "utf8proc", "MIT AND Unicode-DFS-2015"},
	{"yyjson", "yyjson", "MIT"},
	{"zstd", "Zstandard", "BSD-3-Clause"},
	{"icu", "ICU", "Unicode-3.0"},
	{"parquet", "Apache Parquet", "Apache-2.0"},
	{"parquet", "Apache Thrift", "Apache-2.0"},
	{"parquet", "Brotli", "MIT"},
	{"parquet", "LZ4", "BSD-2-Clause"},
	{"parquet", "Snappy", "BSD-3-Clause"},
	{"tpch", "dbgen of TPC-H", "LicenseRef-TPC-EULA"},
	{"tpcds", "dsdgen of TPC-DS", "LicenseRef-TPC-EULA"},
	{"", "concurrentqueue", "BSD-2-Clause"},
	{"", "cpp-httplib", "MIT"},
	{"", "fast_float", "MIT"},
	{"", "jaro_winkler of rapidfuzz", "MIT"},
	{"", "PCG random numbers", "Apache-2.0 OR MIT"},
	{"", "pdqsort", "Zlib"},
	{"", "ska_sort", "BSL-1.0"},
	{"", "t-digest", "Apache-2.0"},
	{"", "vergesort", "MIT"},
}

// bundledText lists them.
func bundledText() string {
	var out strings.Builder
	out.WriteString("DuckDB's library contains the software below. Licences are named by SPDX identifiers " +
		"(https://spdx.org/licenses).\n\n")
	for _, b := range bundled {
		fmt.Fprintf(&out, "  %-30s %s\n", b.name, b.spdx)
	}
	return strings.TrimRight(out.String(), "\n")
}
