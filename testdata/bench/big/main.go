//go:build linux

// Command big imports many rows into a served gateway, aggregates them, reads them all back, compares every result with those
// computed during generation, and prints the peak memory of the gateway and of each client. It fails if one of them exceeds
// the limit. Linux only: it reads /proc.
package main

import (
	"bufio"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	groups = 5000
	notes  = 3_333_333 // distinct notes; coprime to the increment between rows
)

func main() {
	dig := flag.String("dig", "bin/dig", "the program")
	rows := flag.Int("rows", 10_000_000, "rows to import")
	b := &bench{}
	flag.IntVar(&b.limit, "limit", 1024, "MiB that each process may need")
	flag.StringVar(&b.serving, "serve", "", "flags of gateway serve, for another engine; then nothing runs that needs all rows in memory")
	flag.IntVar(&b.read, "read", 0, "rows to read back, 0 for all")
	flag.StringVar(&b.rival, "rival", "", "shell command that writes the same rows, in turn with reading them back")
	flag.Parse()
	path, err := filepath.Abs(*dig)
	if err == nil {
		b.dig = path
		err = b.run(*rows)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "big:", err)
		os.Exit(1)
	}
}

// group has the expected aggregates of one group.
type group struct {
	count, flags, first int
	cents               int64
	last                time.Time
}

type bench struct {
	dig, dir string
	env      []string
	group    string // control group of the gateway, empty for none
	gateway  *exec.Cmd
	limit    int
	over     []string

	serving, rival string
	read           int
}

func (b *bench) run(rows int) error {
	dir, err := os.MkdirTemp("", "dig-big-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b.dir = dir
	b.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "DIG_DATA_DIR=" + dir + "/data", "DIG_CONFIG_DIR=" + dir + "/config"}
	if err := b.serve(); err != nil {
		return err
	}
	defer func() {
		_ = b.gateway.Process.Kill()
		_ = b.gateway.Wait()
		if b.group != "" {
			os.Remove(b.group)
		}
	}()
	fmt.Printf("%-34s %10s %12s %12s\n", fmt.Sprintf("%d rows", rows), "seconds", "client MiB", "gateway MiB")

	if _, err := b.client("create", nil, nil, "table", "create", "big", "--column", "id:bigint", "--column", "grp:varchar", "--column", "amount:decimal", "--column", "at:timestamp", "--column", "note:varchar", "--column", "flag:boolean"); err != nil {
		return err
	}
	known := map[string]*group{}
	in, out := io.Pipe()
	go func() { out.CloseWithError(generate(out, rows, known)) }()
	text, err := b.client("import", in, nil, "table", "import", "big", "-", "-o", "csv", "--columns", "result.processed", "--no-header")
	if err != nil {
		return err
	}
	if text != strconv.Itoa(rows) {
		return fmt.Errorf("%s rows were imported", text)
	}
	if err := b.aggregate(known); err != nil {
		return err
	}
	heavy := [][3]string{
		{"count distinct, many values", `SELECT count(*) FROM (SELECT note FROM peaka."table".big GROUP BY note) x`, strconv.Itoa(min(rows, notes))},
		{"join with itself", `SELECT count(*) FROM peaka."table".big a JOIN peaka."table".big b ON a.id = b.id WHERE a.flag = b.flag`, strconv.Itoa(rows)},
		{"sort of all rows", `SELECT sum(r * (id % 2)) >= 0 FROM (SELECT id, row_number() OVER (ORDER BY amount, id) AS r FROM peaka."table".big) x`, "true"},
	}
	if b.serving != "" {
		heavy = heavy[:1]
	}
	for _, c := range heavy {
		text, err := b.client(c[0], nil, nil, "query", "execute", "-o", "csv", "--no-header", "--sql", c[1])
		if err != nil {
			return err
		}
		if text != c[2] {
			return fmt.Errorf("%s: %s, want %s", c[0], text, c[2])
		}
	}
	if err := b.readBack(rows, known); err != nil {
		return err
	}
	if err := b.stop(); err != nil {
		return err
	}
	if len(b.over) > 0 {
		return fmt.Errorf("more than %d MiB: %s", b.limit, strings.Join(b.over, ", "))
	}
	return nil
}

// generate writes the document and computes the expected results.
func generate(to io.Writer, rows int, known map[string]*group) error {
	w := bufio.NewWriterSize(to, 1<<20)
	r := rand.New(rand.NewPCG(1, 2))
	fmt.Fprintln(w, "id,grp,amount,at,note,flag")
	epoch := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	var line []byte
	for id := range rows {
		g, cents := fmt.Sprintf("g%04d", r.IntN(groups)), r.Int64N(2_000_000)-500_000
		at, flag := epoch.Add(time.Duration(r.Int64N(1e8))*time.Second), r.IntN(3) == 0
		line = strconv.AppendInt(line[:0], int64(id), 10)
		line = append(append(append(line, ','), g...), ',')
		line = appendCents(line, cents)
		line = at.AppendFormat(append(line, ','), "2006-01-02 15:04:05")
		line = strconv.AppendInt(append(line, ",note no. "...), int64(id)*7919%notes, 10)
		line = append(strconv.AppendBool(append(line, ','), flag), '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
		k := known[g]
		if k == nil {
			k = &group{first: id}
			known[g] = k
		}
		k.count++
		k.cents += cents
		if flag {
			k.flags++
		}
		if at.After(k.last) {
			k.last = at
		}
	}
	return w.Flush()
}

func appendCents(b []byte, c int64) []byte {
	if c < 0 {
		b, c = append(b, '-'), -c
	}
	b = append(strconv.AppendInt(b, c/100, 10), '.')
	return append(b, byte('0'+c/10%10), byte('0'+c%10))
}

// aggregate compares every group.
func (b *bench) aggregate(known map[string]*group) error {
	text, err := b.client("group by, 5 aggregates", nil, nil, "query", "execute", "-o", "csv", "--no-header", "--sql",
		`SELECT grp, count(*), sum(CASE WHEN flag THEN 1 ELSE 0 END), min(id), CAST(sum(amount) * 100 AS bigint), CAST(max("at") AS varchar) FROM peaka."table".big GROUP BY grp`)
	if err != nil {
		return err
	}
	recs, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(recs) != len(known) {
		return fmt.Errorf("group by: %d groups, want %d (%v)", len(recs), len(known), err)
	}
	for _, r := range recs {
		k := known[r[0]]
		if k == nil {
			return fmt.Errorf("group by: a group %q", r[0])
		}
		want := []string{r[0], strconv.Itoa(k.count), strconv.Itoa(k.flags), strconv.Itoa(k.first), strconv.FormatInt(k.cents, 10), k.last.Format("2006-01-02 15:04:05")}
		r[5] = strings.TrimSuffix(r[5], ".000000")
		r[5] = strings.TrimSuffix(r[5], ".000")
		if got := strings.Join(r, " "); got != strings.Join(want, " ") {
			return fmt.Errorf("group by: %s, want %s", got, strings.Join(want, " "))
		}
	}
	return nil
}

// readBack reads rows back and verifies them, beside the other command.
func (b *bench) readBack(rows int, known map[string]*group) error {
	if b.read == 0 || b.read > rows {
		b.read = rows
	}
	if b.rival == "" {
		_, err := b.readRows(rows, known)
		return err
	}
	var ratios []float64
	for i := range 4 {
		begun := time.Now()
		c := exec.Command("sh", "-c", b.rival)
		c.Stderr = os.Stderr
		if err := c.Run(); err != nil {
			return fmt.Errorf("%s: %w", b.rival, err)
		}
		theirs := time.Since(begun)
		ours, err := b.readRows(rows, known)
		if err != nil {
			return err
		}
		fmt.Printf("%-34s %10.1f\n", "the other command", theirs.Seconds())
		if i > 0 { // the first pair is not counted
			ratios = append(ratios, ours.Seconds()/theirs.Seconds())
		}
	}
	slices.Sort(ratios)
	fmt.Printf("dig / the other command: median %.2f (%.2f to %.2f)\n", ratios[1], ratios[0], ratios[2])
	return nil
}

func (b *bench) readRows(rows int, known map[string]*group) (time.Duration, error) {
	in, out := io.Pipe()
	got := make(chan error, 1)
	go func() {
		r := csv.NewReader(bufio.NewReaderSize(in, 1<<20))
		r.ReuseRecord = true
		counts, ids, n := map[string]int{}, int64(0), 0
		for {
			rec, err := r.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				got <- err
				return
			}
			id, err := strconv.ParseInt(rec[0], 10, 64)
			if err != nil {
				got <- err
				return
			}
			ids += id
			counts[strings.Clone(rec[1])]++
			n++
		}
		var err error
		for g, k := range known {
			if b.read == rows && counts[g] != k.count {
				err = fmt.Errorf("read back: %d rows of group %s, want %d", counts[g], g, k.count)
			}
		}
		if want := int64(b.read) * int64(b.read-1) / 2; n != b.read || ids != want {
			err = fmt.Errorf("read back: %d rows whose ids make %d, want %d and %d", n, ids, b.read, want)
		}
		got <- err
	}()
	begun := time.Now()
	_, err := b.client(fmt.Sprintf("read %d rows as CSV", b.read), nil, out, "query", "execute", "-o", "csv", "--no-header", "--sql",
		`SELECT id, grp, amount, "at", note, flag FROM peaka."table".big WHERE id < `+strconv.Itoa(b.read))
	took := time.Since(begun)
	out.Close()
	if err != nil {
		return took, err
	}
	return took, <-got
}

// memoryGroup creates a control group, of version 2 or 1, with a limit in MiB and returns its directory; empty without permission.
func memoryGroup(limit int) string {
	name := fmt.Sprintf("dig-big-%d", os.Getpid())
	for _, g := range [][2]string{{"/sys/fs/cgroup/" + name, "memory.max"}, {"/sys/fs/cgroup/memory/" + name, "memory.limit_in_bytes"}} {
		if os.Mkdir(g[0], 0o755) != nil {
			continue
		}
		file := filepath.Join(g[0], g[1])
		if _, err := os.Stat(file); err == nil && os.WriteFile(file, []byte(strconv.Itoa(limit<<20)), 0o644) == nil {
			return g[0]
		}
		os.Remove(g[0])
	}
	return ""
}

// serve starts the gateway and waits until it answers.
func (b *bench) serve() error {
	args := append([]string{b.dig, "gateway", "serve", "--quiet", "--listen", "127.0.0.1:0"}, strings.Fields(b.serving)...)
	if b.group = memoryGroup(b.limit); b.group == "" {
		fmt.Println("no control group can be made here: the limit is measured, not enforced")
		if b.serving == "" {
			args = append(args, "--memory", fmt.Sprint(b.limit*6/10, "MiB")) // the default of dig in a group of that size
		}
	} else {
		fmt.Println("the kernel holds the gateway to the limit:", b.group)
	}
	b.gateway = exec.Command("sh", append([]string{"-c", `[ -z "$0" ] || echo $$ >"$0/cgroup.procs"; exec "$@"`, b.group}, args...)...)
	b.gateway.Env, b.gateway.Dir, b.gateway.Stderr = b.env, b.dir, os.Stderr
	b.gateway.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := b.gateway.Start(); err != nil {
		return err
	}
	for range 200 {
		if _, err := os.Stat(filepath.Join(b.dir, "data", "gateway.sock")); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("the gateway does not answer")
}

func (b *bench) stop() error {
	if err := b.gateway.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	return b.gateway.Wait()
}

// client runs dig and prints its time and memory. It returns the output of dig, unless that goes to out.
func (b *bench) client(name string, in io.Reader, out io.Writer, args ...string) (string, error) {
	c := exec.Command(b.dig, args...)
	var text, errs strings.Builder
	c.Env, c.Dir, c.Stdin, c.Stdout, c.Stderr = b.env, b.dir, in, &text, &errs
	if out != nil {
		c.Stdout = out
	}
	// 5 resets the peak.
	for _, pid := range b.pids() {
		if err := os.WriteFile("/proc/"+pid+"/clear_refs", []byte("5"), 0); err != nil {
			return "", err
		}
	}
	begun := time.Now()
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s: %v\n%s", name, err, errs.String())
	}
	own := int(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss / 1024)
	served, err := b.peak()
	if err != nil {
		return "", err
	}
	fmt.Printf("%-34s %10.1f %12d %12d\n", name, time.Since(begun).Seconds(), own, served)
	if own > b.limit || served > b.limit {
		b.over = append(b.over, name)
	}
	return strings.TrimSpace(text.String()), nil
}

// pids are the processes of the gateway: the one that was started, and those that it has started.
func (b *bench) pids() []string {
	pid := strconv.Itoa(b.gateway.Process.Pid)
	out := []string{pid}
	lists, _ := filepath.Glob("/proc/" + pid + "/task/*/children")
	for _, list := range lists {
		if children, err := os.ReadFile(list); err == nil {
			out = append(out, strings.Fields(string(children))...)
		}
	}
	return out
}

// peak is the peak resident memory of the largest process of the gateway since the last client began, in MiB.
func (b *bench) peak() (int, error) {
	most := 0
	for _, pid := range b.pids() {
		raw, err := os.ReadFile("/proc/" + pid + "/status")
		if err != nil {
			return 0, err
		}
		for _, line := range strings.Split(string(raw), "\n") {
			if f := strings.Fields(line); len(f) == 3 && f[0] == "VmHWM:" {
				kib, err := strconv.Atoi(f[1])
				if err != nil {
					return 0, err
				}
				most = max(most, kib/1024)
			}
		}
	}
	if most == 0 {
		return 0, fmt.Errorf("/proc has no VmHWM")
	}
	return most, nil
}
