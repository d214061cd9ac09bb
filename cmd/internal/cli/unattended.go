package cli

import (
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// automated are variables that CI systems and agents set for the commands they run.
var automated = []string{
	"CI", "GITHUB_ACTIONS", "GITLAB_CI", "BUILDKITE", "CIRCLECI", "TRAVIS", "APPVEYOR", "DRONE", "TF_BUILD",
	"TEAMCITY_VERSION", "JENKINS_URL",
	"BITBUCKET_BUILD_NUMBER", "CODEBUILD_BUILD_ID",
	"AI_AGENT", "CLAUDECODE", "CODEX_SANDBOX", "CURSOR_AGENT", "GEMINI_CLI", "AUGMENT_AGENT", "OPENCODE",
	"GOOSE_TERMINAL",
}

// unattended returns the name of the variable that shows that no person runs the command; "" if a person does.
func unattended(getenv func(string) string) string {
	for _, name := range automated {
		switch strings.ToLower(getenv(name)) {
		case "", "0", "false", "no", "off":
		default:
			return name
		}
	}
	return ""
}

// detectAutomation determines whether a person runs the command. If not, input is not expected from a terminal: there
// are no prompts, no pager and no progress line.
func (e *Env) detectAutomation() {
	e.Run.unattended = unattended(e.Getenv)
	if e.Run.unattended != "" && e.InTerm {
		e.Run.unasked, e.InTerm = e.Run.unattended, false
	}
}

// CheckInteractive returns the error of a command that would read from a terminal that no person uses.
func (e *Env) CheckInteractive() error {
	if e.Run.unasked == "" {
		return nil
	}
	return exitcode.Usagef("standard input is a terminal, and %s is set: no input is expected",
		e.Run.unattended).WithHint("give an argument or a file, or unset %s", e.Run.unattended)
}

// failing is an input that cannot be read.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// Live reports whether stderr is a terminal on which a line can be redrawn.
func (e *Env) Live() bool {
	return e.ErrTerm && e.Run.unattended == "" && e.Getenv("TERM") != "dumb"
}
