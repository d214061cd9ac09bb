package cli

import (
	"errors"
	"net/http"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// TestStuckGateways is a run with two gateways, each with a statement that does not stop: both interrupt the run, and
// only the statement of zone local keeps its transport from waiting.
func TestStuckGateways(t *testing.T) {
	var wardens []engine.Warden
	var causes []error
	dir := t.TempDir()
	e := &Env{Interrupt: func(err error) { causes = append(causes, err) },
		Getenv: func(name string) string { return map[string]string{"DIG_DATA_DIR": dir}[name] },
		Zone: Zone{Functions: zone.Functions{
			Dial: func(string) (http.RoundTripper, bool, error) { return nil, false, nil },
			Open: func(o zone.Options) (zone.Gateway, error) {
				wardens = append(wardens, o.Engine.Warden)
				return nil, engine.ErrNoEngine
			}}}}
	lt := &localTransport{env: e, warden: newEndWarden(e)}
	e.Run.local = lt
	if err := lt.open(true); !errors.Is(err, engine.ErrNoEngine) {
		t.Fatal(err)
	}
	if _, err := e.OpenGateway(dir, false); !errors.Is(err, engine.ErrNoEngine) {
		t.Fatal(err)
	}
	stuck := func() bool {
		select {
		case <-lt.warden.stuck:
			return true
		default:
			return false
		}
	}
	wardens[1].Stuck("does not stop", nil)
	if stuck() {
		t.Error("the transport does not wait for its gateway, of which no statement is stuck")
	}
	for range 2 {
		wardens[0].Stuck("does not stop", nil)
	}
	if !stuck() {
		t.Error("the transport waits for a gateway with a statement that does not stop")
	}
	var f *exitcode.Failure
	if len(causes) != 2 || !errors.As(causes[1], &f) || f.Code != "stuck" {
		t.Errorf("the run was interrupted by %v", causes)
	}
}
