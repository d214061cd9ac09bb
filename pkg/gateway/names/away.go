package names

import (
	"errors"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
)

// Broken reports whether an error means that a statement cannot work as written. A statement that could not be checked
// for now, because the project is locked or a source is unreachable, is not broken, and must not look like a table
// without columns.
func Broken(err error) bool {
	var ee *engine.Error
	return errors.As(err, &ee) && fault.EngineStatus(ee.Kind) == 400 && ee.Kind != engine.KindLimit
}

// Away reports whether an error means that a source is unreadable now: the source reports it, or its connection was
// deleted or does not fit. Any other error, in particular of the gateway's own state, must not be skipped.
func Away(err error) bool {
	var ee *engine.Error
	return errors.As(err, &ee) && (ee.Kind == engine.KindSource || Broken(err))
}
