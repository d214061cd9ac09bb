package trust

import (
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
)

// RefuseOmission returns the error of --strict for an answer that the gateway reports as incomplete because a source
// was unreachable.
func RefuseOmission(o api.Omission) error {
	return &exitcode.Failure{Exit: exitcode.Untrusted, Code: "left-out",
		Msg: "--strict: the answer is incomplete, it lacks " + o.String()}
}
