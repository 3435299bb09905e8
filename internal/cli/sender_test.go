package cli

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
)

// What a task would keep in clear is refused before anything is sent, by every command whose words go to a task.
func TestTokensAreNotSent(t *testing.T) {
	for what, commands := range map[string][]string{
		"the text": {"tell", "edit"}, "--note": {"resume"}, "--comment": {"approve", "allow"},
		"--reason": {"reject", "deny", "abandon", "cancel"},
	} {
		for _, name := range commands {
			args := []string{name, "x1y2z3", "use sk-very-secret"}
			if strings.HasPrefix(what, "--") {
				args = []string{name, "x1y2z3", what, "use sk-very-secret"}
			}
			c := newConsole(t)
			code := c.run(args...)
			if said := c.Errs.String(); code != fault.ExitUsage || !strings.HasPrefix(said, "longshift: "+what+" holds a token, ") ||
				strings.Contains(said, "secret") {
				t.Errorf("%s ends with exit code %d: %s", name, code, said)
			}
		}
	}
}
