package output

import "fmt"

// UsageError is an invalid combination of options. Hint says what to do instead; it may be empty.
type UsageError struct {
	Message string
	Hint    string
}

func (e *UsageError) Error() string { return e.Message }

func usage(hint, format string, args ...any) error {
	return &UsageError{Message: fmt.Sprintf(format, args...), Hint: hint}
}
