//go:build cgo

package cmd

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDoctorListsLocks: doctor lists the other processes that read the data of a project, and the one that changes
// them, by their numbers.
func TestDoctorListsLocks(t *testing.T) {
	needLocal(t)
	data := t.TempDir()
	file := filepath.Join(t.TempDir(), "n.csv")
	if err := os.WriteFile(file, []byte("n\n1\n2\n3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	listed := func(pid int, does string, want bool) {
		t.Helper()
		env := map[string]string{"DIG_DATA_DIR": data, "DIG_STATE_DIR": t.TempDir()}
		_, out, errs := runDig(t, env, "doctor", "-o", "json")
		says := fmt.Sprintf(`"detail":"process pid %d (dig) %s project default (localdev)"`, pid, does)
		if strings.Contains(out, says) != want {
			t.Errorf("%s is listed: %v\n%s%s", says, !want, out, errs)
		}
	}
	mustRun(t, data, "table", "import", "t", file, "--create")

	reader := process(t, data, "sql", "-o", "csv",
		"SELECT a.n, b.m, c.m FROM t a, UNNEST(sequence(1, 10000)) b(m), UNNEST(sequence(1, 10000)) c(m)")
	rows, err := reader.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	begin(t, reader)
	if _, err := bufio.NewReader(rows).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	listed(reader.Process.Pid, "reads", true)
	listed(reader.Process.Pid, "changes", false)
	_ = reader.Process.Kill()
	_ = reader.Wait()
	listed(reader.Process.Pid, "reads", false)

	s := process(t, data, "gateway", "serve", "--quiet")
	said, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	begin(t, s)
	if _, err := bufio.NewReader(said).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	mustRun(t, data, "table", "import", "t", file)
	serving := children(s.Process.Pid)
	if len(serving) != 1 {
		t.Fatal(serving)
	}
	listed(serving[0], "changes", true)
	listed(serving[0], "reads", false)
}
