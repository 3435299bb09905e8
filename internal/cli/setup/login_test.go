package setup

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/fault"
)

// TestLoginBesideAFile: a key beside the name of a file that holds it could not be read, so nobody is asked for one.
func TestLoginBesideAFile(t *testing.T) {
	for to, variable := range map[string]string{"github": "LONGSHIFT_GITHUB_TOKEN_FILE", "anthropic": "LONGSHIFT_ANTHROPIC_KEY_FD"} {
		o := &loginOptions{env: environ.Environ{Settings: []string{variable}}}
		if err := o.free(to, "config.toml"); fault.KindOf(err) != fault.Input || !strings.Contains(err.Error(), variable+" is set in config.toml") {
			t.Errorf("%s: %v", to, err)
		}
		if err := new(loginOptions).free(to, "config.toml"); err != nil {
			t.Errorf("%s: %v", to, err)
		}
	}
}
