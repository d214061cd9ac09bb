package trino_test

import (
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/enginetest"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/trinotest"
)

func open(t *testing.T, dir string) engine.Engine { return trinotest.Open(t, dir) }

// TestMinimal runs the part of the contract that every engine passes.
func TestMinimal(t *testing.T) { enginetest.Minimal(t, open) }

func TestTables(t *testing.T) { enginetest.Tables(t, open) }

func TestMoves(t *testing.T) { enginetest.Moves(t, open) }

// TestContract runs the contract.
func TestContract(t *testing.T) { enginetest.Run(t, open) }
