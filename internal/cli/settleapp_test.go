package cli

import (
	"context"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// An app that may not push is told of before anything starts, and with it gh is not asked for a token.
func TestAppThatMayNotPush(t *testing.T) {
	may := false
	f := &forgeCheck{config: environ.NewConfig(environ.Environ{Vars: []string{"HOME=" + t.TempDir(), "PATH=",
		"LONGSHIFT_GITHUB_APP_ID=123", "LONGSHIFT_GITHUB_APP_PRIVATE_KEY=key"}}),
		standing: func(_ context.Context, process config.Config, _, _, _ string) (Standing, error) {
			if process.GitHub.Token.Present() || process.GitHub.App.ID != "123" {
				t.Errorf("GitHub is asked with %+v", process.GitHub)
			}
			return Standing{Writable: may}, nil
		}}
	target := &forgeTarget{host: "github.com", repository: "acme/web"}
	_, err := f.reach(t.Context(), target, &task.Input{})
	if fault.KindOf(err) != fault.Denied || !strings.Contains(err.Error(), "the app of LONGSHIFT_GITHUB_APP_PRIVATE_KEY may not push to github.com/acme/web") ||
		!strings.Contains(fault.HintOf(err), "Contents: write") {
		t.Errorf("%v; %s", err, fault.HintOf(err))
	}
	may = true
	if _, err := f.reach(t.Context(), target, &task.Input{}); err != nil {
		t.Error(err)
	}
}
