# Builds dig, and the same program under its second name, digctl.
# Needs Go 1.26 and a C compiler; without one the client alone is built, see `make client`.

GO     ?= go
PACKAGES ?= ./...
PREFIX ?= /usr/local

# Programs are stripped, so the compiler need not write what debuggers read; the rest is its own collector at work less
# often.
GCFLAGS ?= all=-dwarf=false
COMPILE = GOGC=$${GOGC:-400} $(GO) build -trimpath -gcflags=$(GCFLAGS) -ldflags "$(LDFLAGS)"

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)
LDFLAGS := -s -w $(if $(VERSION),-X github.com/dig-cli/dig/cmd/internal/cli.version=$(VERSION))

BINDIR := $(DESTDIR)$(PREFIX)/bin
BASH   := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH    := $(DESTDIR)$(PREFIX)/share/zsh/site-functions
MAN    := $(DESTDIR)$(PREFIX)/share/man/man1
FISH   := $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d

.PHONY: all client compiler man test load big cluster-test check-operation lint witness generate bench bench-files bench-start bench-serve bench-sources bench-tpch bench-many bench-inference public-files install uninstall clean

all: compiler
	$(COMPILE) -o bin/dig .
	ln -sf dig bin/digctl

# Go turns cgo off by itself when it finds no C compiler; the local zone would be missing without a word.
compiler:
	@test "$$($(GO) env CGO_ENABLED)" = 1 || { \
		echo "make: no C compiler was found, and zone local needs one: install gcc or clang," >&2; \
		echo "make: or build the client for the hosted zones alone with: make client" >&2; exit 1; }

# The client without zone local: no C compiler, no shared libraries.
client:
	CGO_ENABLED=0 $(COMPILE) -o bin/dig .
	ln -sf dig bin/digctl

# The tests of cmd alone take longer than the ten minutes that go test allows by itself.
TESTFLAGS ?= -timeout 30m
test:
	$(GO) test $(TESTFLAGS) $(PACKAGES)

# 10,000,000 rows imported and aggregated by a gateway that may use 1 GiB.
big: all
	$(GO) build -o bin/bench/big ./testdata/bench/big
	bin/bench/big -dig bin/dig -rows $${ROWS:-10000000} $(BIGFLAGS)

# 32 clients for a minute against a served gateway that is killed every ten seconds.
load:
	$(GO) test ./cmd -run '^TestLoad$$' -v -load 60s -timeout 10m

# Compares with a Trino, which needs a JDK and Maven: asks it for the answers that the corpus lacks, compares all of
# them, and has it and the engine run GENERATED random statements, and calls of the corpus with another argument.
GENERATED ?= 20000
witness: compiler
	DIG_TEST_RENEW=missing bash .ci/witness sh -c 'go test ./pkg/trinosql/witness/... -count=1 && \
		DIG_TEST_GENERATED=$(GENERATED) DIG_TEST_MUTATED=4 go test ./pkg/gateway/engine/duckdb -run "^TestAnswers$$|^TestGenerated$$|^TestMutated$$" -v -count=1 -timeout 120m | grep -av "^=== "'
	DIG_TEST_RENEW=missing WITNESS_VERSION=476 bash .ci/witness go test ./pkg/trinosql ./pkg/trinosql/witness -run \
		'^TestComplete$$|^TestMutations$$' -v -count=1 || [ $$? = 3 ]
	bash .ci/databases bash .ci/witness go test ./pkg/gateway/sourcetest -run '^TestWitness' -v -count=1 -timeout 20m || [ $$? = 3 ]

# The contract of engines, the end-to-end scripts, and two gateways of which one is killed, on one node that is started
# for them; then what keeps projects apart, on one that asks for passwords. About half an hour.
cluster-test: compiler
	bash .ci/cluster go test -p 1 ./pkg/gateway/engine/trino/... ./pkg/gateway ./cmd/internal/e2e -run \
		'^Test(Minimal|Tables|Moves|Contract|Import|Constraints|Columns|Compact|Large|Kill|Gateways|ScriptsCluster|Attach|LocksOf|RowIDsOf)' -v -count=1 -timeout 60m
	bash .ci/databases bash .ci/cluster --secure go test -p 1 ./pkg/gateway ./pkg/gateway/engine/trino -run 'Cluster|Mapped|Dynamic|Past|SecondLayer|Keep|Examine' \
		-count=1 -timeout 30m

# What a new or changed operation of the API must have; docs/architecture.md lists the places.
check-operation:
	$(GO) test . ./cmd/... ./pkg/... ./internal/... -run 'Every|Operation|Sample|Request|Guard|Isolation|DeadKeys|Locked|NotSupported|ReadOnly|WrongReplies|Contract|Document|Scripts|Telling|FlagsFirst|Current'

lint:
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	$(GO) vet ./...
	@if command -v golangci-lint >/dev/null; then \
		echo golangci-lint run; golangci-lint run; \
	else \
		echo staticcheck ./...; $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...; \
	fi

# Whole processes against curl, jq, encoding/json and bare DuckDB, on documents made for the run; about ten minutes and
# 2 GB of temporary files. The tables go to docs/performance.md. BENCHFLAGS="-slow=false -doc=" leaves out what takes
# long and writes nothing.
ROWS ?= 1000000
SIZES ?= 1000000,5000000
bench: all
	$(GO) build -o bin/bench/ ./testdata/bench/suite ./testdata/bench/plainjson ./testdata/bench/bare ./testdata/bench/local100
	bin/bench/suite -rows $(ROWS) -doc docs/performance.md $(BENCHFLAGS)
	$(MAKE) bench-files

# Statements over files of rows against duckdb, polars, datafusion and chdb: `pip install duckdb-cli polars datafusion
# chdb pandas pyarrow` into an environment, VENV=its folder. About ten minutes and 3 GB of temporary files.
bench-files: all
	$(GO) build -o bin/bench/ ./testdata/bench/suite
	bin/bench/suite -only files -venv '$(VENV)' -sizes $(SIZES) -doc docs/performance.md $(FILESFLAGS)

# The queries of TPC-H at scale factor 1 against duckdb: `pip install tpchgen-cli duckdb-cli` into an environment,
# VENV=its folder. Five minutes.
bench-tpch: all
	$(GO) build -o bin/bench/ ./testdata/bench/tpch
	bin/bench/tpch -dig bin/dig -venv '$(VENV)' $(TPCHFLAGS)

# Lists, plans and pulls 1,000 tables and 1,000 saved queries, beside what duckdb does over as many tables and views:
# `pip install duckdb-cli` into an environment, VENV=its folder. Two minutes.
bench-many: all
	$(GO) build -o bin/bench/ ./testdata/bench/many
	bin/bench/many -dig bin/dig -duckdb '$(VENV)/bin/duckdb' $(MANYFLAGS)

# Start-up against the least such programs can cost; docs/performance.md explains the figures.
bench-start: all
	$(GO) build -o bin/bench/ ./testdata/bench/empty ./testdata/bench/floor ./testdata/bench/ratio
	@export DIG_DATA_DIR=$$(mktemp -d) DIG_CONFIG_DIR=$$(mktemp -d); \
	bin/dig query execute --zone local --sql 'SELECT 1' >/dev/null && \
	printf 'dig version / empty cobra program:     ' && bin/bench/ratio 'bin/dig|version' 'bin/bench/empty|version' && \
	printf 'engine linked in / empty:              ' && bin/bench/ratio 'bin/bench/floor' 'bin/bench/empty|version' && \
	printf 'a completion / version:                ' && bin/bench/ratio 'bin/dig|__complete|query|ex' 'bin/dig|version' && \
	printf 'SELECT 1 on zone local / bare DuckDB:  ' && bin/bench/ratio 'bin/dig|query|execute|--zone|local|--sql|SELECT 1' "bin/bench/floor|$$DIG_CONFIG_DIR/floor.duckdb" && \
	(bin/dig gateway serve --quiet --listen 127.0.0.1:0 >/dev/null 2>&1 & pid=$$!; \
	 while [ ! -S "$$DIG_DATA_DIR/gateway.sock" ]; do sleep 0.1; done; \
	 printf 'SELECT 1 by gateway serve / version:   '; bin/bench/ratio 'bin/dig|query|execute|--zone|local|--sql|SELECT 1' 'bin/dig|version'; kill $$pid; wait $$pid); \
	rm -rf "$$DIG_DATA_DIR" "$$DIG_CONFIG_DIR"

# Clients of a served gateway on loopback against DuckDB in a process; half a minute for each round of all statements.
bench-serve: all
	$(GO) build -o bin/bench/ ./testdata/bench/serve
	bin/bench/serve -dig bin/dig

# A PostgreSQL table through zone local against psql; needs PostgreSQL's programs and no running server.
bench-sources: all
	$(GO) build -o bin/bench/ ./testdata/bench/sources
	bash .ci/databases bin/bench/sources -dig bin/dig

# An import with types that are inferred against imports without inference.
bench-inference: all
	bash testdata/bench/inference/run bin/dig

# Reads and imports public data files, which npm and pip download, and compares every value.
public-files:
	bash .ci/public-files

# Everything that is generated and kept in the repository: shell completions and the command reference.
generate:
	$(GO) generate ./...

# The man pages of every command, for both names of the program.
man:
	rm -rf bin/man
	$(GO) run ./internal/reference -man bin/man

install: all man
	install -d "$(BINDIR)" "$(BASH)" "$(ZSH)" "$(FISH)" "$(MAN)"
	install -m 644 bin/man/*.1.gz "$(MAN)"
	install -m 755 bin/dig "$(BINDIR)/dig"
	ln -sf dig "$(BINDIR)/digctl"
	for name in dig digctl; do \
		install -m 644 completions/$$name.bash "$(BASH)/$$name" && \
		install -m 644 completions/_$$name "$(ZSH)/_$$name" && \
		install -m 644 completions/$$name.fish "$(FISH)/$$name.fish" || exit 1; \
	done

uninstall:
	rm -f "$(BINDIR)/dig" "$(BINDIR)/digctl"
	for name in dig digctl; do rm -f "$(BASH)/$$name" "$(ZSH)/_$$name" "$(FISH)/$$name.fish" "$(MAN)/$$name.1.gz" "$(MAN)/$$name"-*.1.gz; done

clean:
	rm -rf bin dist
