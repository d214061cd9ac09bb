package translate

import (
	"sync"

	"github.com/dig-cli/dig/pkg/trinosql"
)

// registry has the rules that no template can express, by the files that define them.
type registry struct {
	rules map[string]rule                           // calls, by NAME of "go NAME" in the lists of functions
	casts map[kinds]func(p *printer, c *conversion) // conversions between kinds of types
	// typed literals such as DATE, by type name in upper case
	literals map[string]func(p *printer, x *trinosql.TypedLit)
}

// writers is filled on first use: commands that do not translate need not create it.
var writers lateRegistry

type lateRegistry struct {
	once sync.Once
	all  registry
}

func (l *lateRegistry) get() *registry {
	l.once.Do(func() {
		l.all = registry{rules: map[string]rule{}, casts: map[kinds]func(*printer, *conversion){},
			literals: map[string]func(*printer, *trinosql.TypedLit){}}
		for _, add := range []func(*registry){
			charCasts, jsonCasts, scalarCasts, timeCasts,
			aggregateRules, arrayRules, coreRules, mapRules, nestedRules,
			repeatRules, scalarRules, timeRules, unitRules, zoneRules, windowRules,
		} {
			add(&l.all)
		}
	})
	return &l.all
}
