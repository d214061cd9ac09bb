package cli

import "strings"

// automated are variables that CI systems and agents set for the commands they run.
var automated = []string{
	"CI", "GITHUB_ACTIONS", "GITLAB_CI", "BUILDKITE", "CIRCLECI", "TRAVIS", "APPVEYOR", "DRONE", "TF_BUILD", "TEAMCITY_VERSION", "JENKINS_URL",
	"BITBUCKET_BUILD_NUMBER", "CODEBUILD_BUILD_ID",
	"AI_AGENT", "CLAUDECODE", "CODEX_SANDBOX", "CURSOR_AGENT", "GEMINI_CLI", "AUGMENT_AGENT", "OPENCODE", "GOOSE_TERMINAL",
}

// unattended returns the variable which says that no person runs the command, or nothing.
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

// Attend finds out whether a person runs the command. If not, nobody types its input, even if it is a terminal:
// nothing is asked, and there is neither a pager nor a line of progress.
func (e *Env) Attend() {
	if e.Run.Unattended = unattended(e.Getenv); e.Run.Unattended != "" {
		e.Run.keyboard, e.InTerm = e.InTerm, false
	}
}

// Live reports whether stderr is a terminal on which a line may be painted again.
func (e *Env) Live() bool {
	return e.ErrTerm && e.Run.Unattended == "" && e.Getenv("TERM") != "dumb"
}

// NobodyTypes is the error of a command that would read from a terminal where no person is.
func (e *Env) NobodyTypes() error {
	if !e.Run.keyboard {
		return nil
	}
	return Usagef("standard input is a terminal, and %s is set: nobody will type", e.Run.Unattended).WithHint("give an argument or a file, or unset %s", e.Run.Unattended)
}

// unasked is the hint where a person would be asked.
func (e *Env) unasked(hint string) string {
	if e.Run.keyboard {
		hint += "; " + e.Run.Unattended + " is set, so nothing is asked"
	}
	return hint
}

// failing is an input that cannot be read.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
