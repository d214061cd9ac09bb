package names

import (
	"errors"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
)

// Broken reports whether an error says that a statement cannot work as it stands. One that could not be looked at for now, since the
// project is held or a source is away, is not broken, and must not look like a table without columns.
func Broken(err error) bool {
	var ee *engine.Error
	return errors.As(err, &ee) && fault.EngineStatus(ee.Kind) == 400 && ee.Kind != engine.KindLimit
}

// Away reports whether an error says that a source cannot be read now: the source says so, or its connection is gone or does not fit.
// Any other, of the gateway's own state above all, is no reason to go on.
func Away(err error) bool {
	var ee *engine.Error
	return errors.As(err, &ee) && (ee.Kind == engine.KindSource || Broken(err))
}
