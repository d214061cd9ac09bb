//go:build unix

package lineedit

const canSuspend = true
