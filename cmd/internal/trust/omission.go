package trust

import (
	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/api"
)

// RefuseOmission is the error of --strict for an answer of which the gateway says that it is incomplete: a source was
// unreachable.
func RefuseOmission(o api.Omission) error {
	return &cli.Failure{Exit: cli.ExitUntrusted, Code: "left-out", Msg: "--strict: the answer is incomplete, it lacks " + o.String()}
}
