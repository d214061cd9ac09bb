package trinosql

import "reflect"

// Inspect calls f for a node and, where f returns true, for the nodes below it, in the order of their fields, which is
// nearly that of the text.
func Inspect(n Node, f func(Node) bool) {
	if n == nil || reflect.ValueOf(n).IsNil() || !f(n) {
		return
	}
	each(reflect.ValueOf(n).Elem(), f)
}

var nodeType = reflect.TypeFor[Node]()

func each(v reflect.Value, f func(Node) bool) {
	for i := range v.NumField() {
		switch fv := v.Field(i); fv.Kind() {
		case reflect.Interface, reflect.Pointer:
			if !fv.IsNil() {
				below(fv, f)
			}
		case reflect.Slice:
			for j := range fv.Len() {
				below(fv.Index(j), f)
			}
		}
	}
}

func below(v reflect.Value, f func(Node) bool) {
	if k := v.Kind(); (k == reflect.Interface || k == reflect.Pointer) && v.CanInterface() {
		if n, ok := v.Interface().(Node); ok { // cheaper than Type.Implements
			Inspect(n, f)
			return
		}
	}
	switch {
	case v.Type().Implements(nodeType):
		Inspect(v.Interface().(Node), f)
	case v.Kind() == reflect.Struct, v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct: // TypeParam
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		each(v, f)
	}
}

// Replace replaces the expressions below a node, from the inside out: f gets each expression and returns it or another.
// The node itself stays.
func Replace(n Node, f func(Expr) Expr) {
	if n != nil && !reflect.ValueOf(n).IsNil() {
		replaceIn(reflect.ValueOf(n).Elem(), f)
	}
}

func replaceIn(v reflect.Value, f func(Expr) Expr) {
	for i := range v.NumField() {
		fv := v.Field(i)
		if fv.Kind() == reflect.Slice {
			for j := range fv.Len() {
				replaceOne(fv.Index(j), f)
			}
		} else if v.Type().Field(i).IsExported() {
			replaceOne(fv, f)
		}
	}
}

func replaceOne(v reflect.Value, f func(Expr) Expr) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		replaceIn(v.Elem().Elem(), f)
		if x, ok := v.Interface().(Expr); ok && v.CanSet() {
			v.Set(reflect.ValueOf(f(x)))
		}
	case reflect.Pointer:
		if !v.IsNil() && v.Elem().Kind() == reflect.Struct {
			replaceIn(v.Elem(), f)
		}
	case reflect.Struct:
		replaceIn(v, f)
	}
}
