package metrics

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/tempfile"
)

// process are the metrics of this process. Those that Prometheus' client libraries have too have their names.
func (m *Metrics) process() []*family {
	g := m.Gateway
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	out := []*family{
		single("dig_build_info", gauge, "The version of the program.", 1, "version", g.Options.Version, "go",
			runtime.Version()),
		single("dig_requests_active", gauge, "Requests that are being answered.", float64(g.Web.Active())),
		single("dig_runs_active", gauge, "Runs that are running.", float64(g.Jobs.Left())),
		single("dig_process_replacements_total", counter,
			"How often the serving process was replaced since the gateway "+
				"started.", float64(m.Replaced)),
		single("dig_engine_memory_limit_bytes", gauge,
			"Memory that the engine of one project may use, 0 for its default.",
			float64(g.Options.Engine.MemoryLimit)),
		single("go_goroutines", gauge, "Number of goroutines that currently exist.", float64(runtime.NumGoroutine())),
		single("go_memstats_heap_inuse_bytes", gauge, "Bytes of the Go heap in use; the engine has memory of its own.",
			float64(mem.HeapInuse)),
		single("go_memstats_sys_bytes", gauge, "Bytes that Go has from the system.", float64(mem.Sys)),
	}
	if c := g.Options.Certificate; c != nil {
		out = append(out, single("dig_certificate_expires_timestamp_seconds", gauge, "When the certificate expires.",
			float64(c.Expires().Unix())))
	}
	size := &family{name: "dig_data_bytes", kind: gauge, help: "Size of the files in the data directory; spool is " +
		"what does not fit into memory."}
	for part, n := range m.diskSizes() {
		size.add(n, "part", part)
	}
	if free, ok := tempfile.FreeSpace(g.Options.Dir); ok {
		out = append(out, single("dig_data_free_bytes", gauge, "Space that is left on the disk of the data directory.",
			float64(free)))
	}
	return append(append(out, size), system()...)
}

// ticks are the units of processor time in /proc, which Linux fixes for programs.
const ticks = 100

// system reads /proc; elsewhere there are no such metrics.
func system() []*family {
	raw, err := os.ReadFile("/proc/self/stat")
	_, text, ok := strings.Cut(string(raw), ") ") // the name of the program may contain anything
	f := strings.Fields(text)
	if err != nil || !ok || len(f) < 22 {
		return nil
	}
	field := func(n int) float64 { // numbered as in proc(5), where the state is 3
		x, err := strconv.ParseFloat(f[n-3], 64)
		if err != nil {
			return 0
		}
		return x
	}
	out := []*family{
		single("process_cpu_seconds_total", counter, "Total user and system CPU time spent in seconds.",
			(field(14)+field(15))/ticks),
		single("process_resident_memory_bytes", gauge, "Resident memory size in bytes.",
			field(24)*float64(os.Getpagesize())),
		single("process_virtual_memory_bytes", gauge, "Virtual memory size in bytes.", field(23)),
		single("process_threads", gauge, "Number of threads.", field(20)),
	}
	if boot := bootTime(); boot > 0 {
		out = append(out, single("process_start_time_seconds", gauge,
			"Start time of the process since unix epoch in seconds.", boot+field(22)/ticks))
	}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		out = append(out, single("process_open_fds", gauge, "Number of open file descriptors.", float64(len(files))))
	}
	return out
}

// bootTime is when the system started, in seconds; 0 if that is not known.
func bootTime() float64 {
	raw, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(raw)) {
		if at, ok := strings.CutPrefix(line, "btime "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(at), 64)
			if err != nil {
				return 0
			}
			return n
		}
	}
	return 0
}
