// Command serve measures `dig gateway serve` on loopback: clients with a connection each send one statement after another, for some
// seconds, and in turn a bare process runs the same statement on DuckDB with as many connections. It ends by itself:
//
//	bin/bench/serve -dig bin/dig -clients 16 -seconds 3 -rounds 3
//
// It prints statements a second, the time in which half and 99 of 100 were answered, and the processor time of the gateway for each.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// statements are what the clients send, for dig and for DuckDB; rows has 1,000 rows.
var statements = []struct {
	name, format, sql, bare string
	rows                    int
}{
	{"SELECT 1", "CELL_TYPED", "SELECT 1", "SELECT 1", 1},
	{"a row by its key", "CELL_TYPED", `SELECT name, amount FROM peaka."table".rows WHERE id = 500`, "SELECT name, amount FROM d.rows WHERE id = 500", 1},
	{"1,000 rows, COMPACT", "COMPACT", `SELECT id, name, amount, created FROM peaka."table".rows`, "SELECT id, name, amount, created FROM d.rows", 1000},
	{"1,000 rows, CELL_TYPED", "CELL_TYPED", `SELECT id, name, amount, created FROM peaka."table".rows`, "SELECT id, name, amount, created FROM d.rows", 1000},
}

const tableSQL = "SELECT i AS id, 'customer ' || i AS name, CAST(i / 4 AS DECIMAL(18,2)) AS amount, TIMESTAMP '2026-01-01' + to_minutes(i) AS created FROM range(1, 1001) t(i)"

type measured struct {
	rate, half, most float64 // a second, milliseconds
	cpu              float64 // milliseconds of the server for each
}

func main() {
	log.SetFlags(0)
	dig := flag.String("dig", "bin/dig", "the program measured")
	clients := flag.Int("clients", 16, "number of clients")
	seconds := flag.Float64("seconds", 3, "length of a round")
	rounds := flag.Int("rounds", 3, "rounds for each statement")
	only := flag.String("only", "", "measure only statements whose name begins so")
	bareSQL := flag.String("bare", "", "run this statement on DuckDB in this process")
	noBare := flag.Bool("no-bare", false, "do not run DuckDB")
	flag.Parse()
	length := time.Duration(*seconds * float64(time.Second))
	if *bareSQL != "" {
		if err := bare(*bareSQL, *clients, length); err != nil {
			log.Fatal(err)
		}
		return
	}
	if err := run(*dig, *clients, length, *rounds, *only, !*noBare); err != nil {
		log.Fatal("serve: ", err)
	}
}

func run(dig string, clients int, length time.Duration, rounds int, only string, withBare bool) error {
	dir, err := os.MkdirTemp("", "bench-serve-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	g, err := start(dig, dir)
	if err != nil {
		return err
	}
	defer g.stop()
	fmt.Printf("| %d clients | a second | half within | 99 of 100 within | processor time of the gateway | DuckDB alone | ratio |\n", clients)
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, s := range statements {
		if !strings.HasPrefix(s.name, only) {
			continue
		}
		body, err := json.Marshal(map[string]string{"statement": s.sql})
		if err != nil {
			return err
		}
		var of []measured
		var alone, ratio []float64
		for round := range rounds {
			m, err := g.load(body, s.format, s.rows, clients, length)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			of = append(of, m)
			if !withBare {
				continue
			}
			rate, err := bareProcess(s.bare, clients, length)
			if err != nil {
				return fmt.Errorf("%s, round %d: %w", s.name, round+1, err)
			}
			alone, ratio = append(alone, rate), append(ratio, rate/m.rate)
		}
		fmt.Printf("| %s | %.0f | %.1f ms | %.1f ms | %.2f ms | %.0f | %.1f |\n", s.name, median(of, func(m measured) float64 { return m.rate }),
			median(of, func(m measured) float64 { return m.half }), median(of, func(m measured) float64 { return m.most }),
			median(of, func(m measured) float64 { return m.cpu }), median(alone, itself), median(ratio, itself))
	}
	return nil
}

func itself(x float64) float64 { return x }

func median[T any](all []T, of func(T) float64) float64 {
	if len(all) == 0 {
		return 0
	}
	var v []float64
	for _, x := range all {
		v = append(v, of(x))
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// bareProcess runs a statement on DuckDB in a process of its own, and returns how often it ran in a second.
func bareProcess(sql string, clients int, length time.Duration) (float64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	out, err := exec.Command(self, "-bare", sql, "-clients", fmt.Sprint(clients), "-seconds", fmt.Sprint(length.Seconds())).Output()
	if err != nil {
		return 0, err
	}
	var rate float64
	_, err = fmt.Sscan(string(out), &rate)
	return rate, err
}

// gateway is the process that is measured.
type gateway struct {
	cmd          *exec.Cmd
	address, key string
}

// start starts a gateway with the table rows.
func start(dig, dir string) (*gateway, error) {
	env := append(os.Environ(), "DIG_ZONE=local", "DIG_DATA_DIR="+filepath.Join(dir, "data"), "DIG_CONFIG_DIR="+filepath.Join(dir, "config"),
		"DIG_STATE_DIR="+filepath.Join(dir, "state"))
	file := filepath.Join(dir, "rows.csv")
	var rows bytes.Buffer
	fmt.Fprintln(&rows, "id,name,amount,created")
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := 1; i <= 1000; i++ {
		fmt.Fprintf(&rows, "%d,customer %d,%.2f,%s\n", i, i, float64(i)/4, begin.Add(time.Duration(i)*time.Minute).Format("2006-01-02 15:04:05"))
	}
	if err := os.WriteFile(file, rows.Bytes(), 0o600); err != nil {
		return nil, err
	}
	load := exec.Command(dig, "table", "import", "rows", file, "--create")
	load.Env = env
	if out, err := load.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	g := &gateway{cmd: exec.Command(dig, "gateway", "serve", "--quiet", "--listen", "127.0.0.1:0", "--print-key")}
	g.cmd.Env, g.cmd.Stderr = env, os.Stderr
	out, err := g.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := g.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for g.key == "" && lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), "=")
		switch name {
		case "DIG_BASE_URL":
			g.address = value
		case "DIG_API_KEY":
			g.key = value
		}
	}
	if g.key == "" {
		g.stop()
		return nil, fmt.Errorf("the gateway printed no key: %w", lines.Err())
	}
	return g, nil
}

func (g *gateway) stop() {
	_ = g.cmd.Process.Signal(os.Interrupt)
	_ = g.cmd.Wait()
}

// load sends a statement from some clients for some time. Every reply must have the number of rows.
func (g *gateway) load(body []byte, format string, rows, clients int, length time.Duration) (m measured, err error) {
	client := func() *http.Client { return &http.Client{Transport: &http.Transport{DisableCompression: true}} }
	size, err := g.checked(client(), body, format, rows)
	if err != nil {
		return m, err
	}
	before := cpuOf(g.cmd.Process.Pid)
	began := time.Now()
	var mu sync.Mutex
	var all []float64
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			c := client()
			defer c.CloseIdleConnections()
			var took []float64
			for time.Since(began) < length {
				at := time.Now()
				n, fault := g.ask(c, body, format, io.Discard)
				if fault == nil && n != size {
					fault = fmt.Errorf("a reply has %d bytes, not %d", n, size)
				}
				if fault != nil {
					mu.Lock()
					err = fault
					mu.Unlock()
					return
				}
				took = append(took, time.Since(at).Seconds()*1000)
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
		})
	}
	wg.Wait()
	if err != nil {
		return m, err
	}
	wall := time.Since(began).Seconds()
	slices.Sort(all)
	m = measured{rate: float64(len(all)) / wall, half: all[len(all)/2], most: all[len(all)*99/100]}
	m.cpu = (cpuOf(g.cmd.Process.Pid) - before) * 1000 / float64(len(all))
	return m, nil
}

// ask sends a statement, and writes the reply to a writer.
func (g *gateway) ask(c *http.Client, body []byte, format string, to io.Writer) (int64, error) {
	req, err := http.NewRequest("POST", g.address+"/data/projects/localdev/queries/execute?format="+format, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+g.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body)
		return 0, fmt.Errorf("%s: %s", resp.Status, text)
	}
	return io.Copy(to, resp.Body)
}

// checked returns the size of a reply whose rows were counted.
func (g *gateway) checked(c *http.Client, body []byte, format string, rows int) (int64, error) {
	var text bytes.Buffer
	size, err := g.ask(c, body, format, &text)
	if err != nil {
		return 0, err
	}
	var reply struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(text.Bytes(), &reply); err != nil {
		return 0, err
	}
	if len(reply.Data) != rows {
		return 0, fmt.Errorf("%d rows instead of %d", len(reply.Data), rows)
	}
	return size, nil
}
