package dev

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/signals"
)

// devText says what is up, with what, and what is missing before the first task can be done.
func devText(p *term.Printer, i info) string {
	facts := []string{"Temporal", i.Temporal, "Temporal Web", i.Web, "Waits for you", i.People, "Data", i.Data}
	var missing []checkup.Finding
	for _, f := range i.Checks {
		switch {
		case f.State != signals.HostOK:
			missing = append(missing, f)
		case slices.Contains(shownChecks, f.Check):
			facts = append(facts, cmp.Or(spelled[f.Check], strings.ToUpper(f.Check[:1])+f.Check[1:]), f.Detail)
		}
	}
	text := term.Facts("Longshift is up. Ctrl-C ends it.", facts...)
	if len(missing) > 0 {
		text += "\nMissing, or not as it should be (`longshift doctor` checks more):\n" + findingText(p, missing)
	}
	text += "\nIn a git repository, in another terminal:\n"
	if !i.settled {
		text += "  longshift init   # once: proposes the commands that prepare a workspace and check the work\n"
	}
	return text + "  " + devHint(i) + "longshift run \"fix the failing tests\"\n"
}

// settled tells whether the current folder is in a repository that has settings.
func (o *options) settled(ctx context.Context) bool {
	top, err := o.git.Run(ctx, o.env.Dir, "rev-parse", "--show-toplevel")
	if err == nil {
		_, err = os.Stat(filepath.Join(top, project.FileName))
	}
	return err == nil
}

// shownChecks are those whose good results are worth a line at the start.
var shownChecks = []string{checkup.OfClaude, checkup.OfCodex, checkup.OfOpenCode, checkup.OfNative, checkup.OfModel, checkup.OfOpenAI, checkup.OfGitHub, checkup.OfApp}

// spelled are the checks that are not written as other words at the beginning of a line.
var spelled = map[string]string{checkup.OfOpenCode: "OpenCode"}

// devHint sets what leads other commands to the server, where they would not find it by themselves: the addresses, and that there is
// neither TLS nor a key, which a profile of Temporal's may set for another server. An address that this command was given may be set
// nowhere else.
func devHint(i info) string {
	hint := ""
	if i.Temporal != client.DefaultHostPort || server.ShownAddress(i.configured.HostPort) != i.Temporal {
		hint = "TEMPORAL_ADDRESS=" + i.Temporal + " "
	}
	if i.local && (i.configured.ConnectionOptions.TLS != nil || i.configured.Credentials != nil) {
		hint += "TEMPORAL_TLS=false TEMPORAL_API_KEY= "
	}
	if i.Web != "" && i.Started && i.Web != server.WebBeside(i.Temporal) {
		hint += "LONGSHIFT_WEB_URL=" + i.Web + " "
	}
	return hint
}
