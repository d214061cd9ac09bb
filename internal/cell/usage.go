package cell

import "fmt"

// UsageError is an error of the user: an unknown column, or options that cannot be combined. Hint says what to do
// instead; it may be empty.
type UsageError struct {
	Message string
	Hint    string
}

func (e *UsageError) Error() string { return e.Message }

// Usagef creates a UsageError.
func Usagef(hint, format string, args ...any) error {
	return &UsageError{Message: fmt.Sprintf(format, args...), Hint: hint}
}
