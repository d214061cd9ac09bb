//go:build !unix

package check

// mayWrite does not know: the system has no such question.
func mayWrite(string) bool { return true }
