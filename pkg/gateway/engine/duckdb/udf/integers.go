//go:build cgo

package udf

import (
	"fmt"
	"slices"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// integers are the functions that divide and negate integers. DuckDB's own operators return NULL for a division by
// zero, and their errors for an overflow do not name the type.
func integers() []function {
	return slices.Concat(integersOf[int8](bindings.TypeTinyInt, "tinyint"),
		integersOf[int16](bindings.TypeSmallInt, "smallint"), integersOf[int32](bindings.TypeInteger, "integer"),
		integersOf[int64](bindings.TypeBigInt, "bigint"))
}

func integersOf[T int8 | int16 | int32 | int64](typ bindings.Type, name string) []function {
	least := func(a T) bool { return a < 0 && -a == a }
	zero := fmt.Errorf("%s", "Division by zero")
	return []function{
		{name: "~quotient_" + name, args: 2, of: typ, result: typ, run: binary(func(a, b T) (T, error) {
			switch {
			case b == 0:
				return 0, zero
			case b == -1 && least(a):
				return 0, fmt.Errorf("%s division overflow: %d / -1", name, a)
			}
			return a / b, nil
		})},
		{name: "~remainder_" + name, args: 2, of: typ, result: typ, run: binary(func(a, b T) (T, error) {
			if b == 0 {
				return 0, zero
			}
			return a % b, nil
		})},
		{name: "~negative_" + name, args: 1, of: typ, result: typ, run: func(c *call) error {
			x := c.args[0]
			a, to := unsafe.Slice((*T)(x.Data), c.rows), unsafe.Slice((*T)(bindings.VectorGetData(c.out)), c.rows)
			for i := range c.rows {
				if x.Null(i) {
					c.null(i)
				} else if to[i] = -a[i]; least(a[i]) {
					return fmt.Errorf("%s negation overflow: %d", name, a[i])
				}
			}
			return nil
		}},
	}
}

// binary computes an integer from two of the same type, for all rows.
func binary[T any](f func(a, b T) (T, error)) func(c *call) error {
	return func(c *call) (err error) {
		x, y := c.args[0], c.args[1]
		a, b := unsafe.Slice((*T)(x.Data), c.rows), unsafe.Slice((*T)(y.Data), c.rows)
		to := unsafe.Slice((*T)(bindings.VectorGetData(c.out)), c.rows)
		for i := range c.rows {
			if x.Null(i) || y.Null(i) {
				c.null(i)
			} else if to[i], err = f(a[i], b[i]); err != nil {
				return err
			}
		}
		return nil
	}
}
