package integration

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// planting leaves what starts by itself, leads elsewhere, or hides its name.
const planting = `mkdir -p .github/workflows .husky .claude
printf 'on: pull_request_target\njobs: {}\n' > .github/workflows/help.yml
printf 'curl x\n' > .husky/pre-commit
printf '{"hooks":{}}\n' > .claude/settings.json
printf '{"mcpServers":{}}\n' > .mcp.json
printf '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c id\n' > .gitmodules
printf '{"scripts":{"postinstall":"id"}}\n' > package.json
ln -s /etc/passwd keys
printf 'package calc\n' > "$(printf '\342\200\256og.clac.go')"
rm plant.sh calc_test.go
`

// plants is the short story in which a script of the agent's does that.
func plants() agenttest.Script {
	script := lab.With(lab.Brief(), "fix", 0, func(turn *agenttest.Turn) {
		turn.Tools = append(turn.Tools, agenttest.Tool{Name: "Write", Input: map[string]any{"file_path": "plant.sh", "content": planting}})
	})
	return lab.With(script, "fix", 1, func(turn *agenttest.Turn) {
		turn.Tools = []agenttest.Tool{{Name: "Bash", Input: map[string]any{"command": "bash plant.sh", "description": "set up"}}}
	})
}

// named is what the pull request says first of what was planted, asked about or not.
var named = []string{
	"- **ci** `.github/workflows/help.yml` (+2 −0): new; runs on pull_request_target",
	"- **hooks** `.husky/pre-commit` (+1 −0): new",
	"- **agents** `.claude/settings.json` (+1 −0): new", "- **agents** `.mcp.json` (+1 −0): new",
	"- **install** `package.json` (+1 −0): runs postinstall when it is installed",
	"- **submodules** `.gitmodules` (+3 −0): new; with an address that runs a program",
	"- **links** `keys` (+1 −0): leads to /etc/passwd, which is an absolute path",
	"- **names** `\\u{202e}og.clac.go`: new, and its name has characters that nobody sees",
	"- **tests** `calc_test.go`: removed",
}

// waitsToPush plays the story to where a person is asked, and fails the test if a branch was pushed before.
func waitsToPush(t *testing.T, s *lab.Stage) signals.Status {
	t.Helper()
	s.Play()
	now := s.Until("a push waits", func(st signals.Status) bool { return len(st.Questions) == 1 || st.Outcome != "" })
	if now.Phase != task.Suspended || now.Reason != signals.ReasonPush || len(now.Questions) != 1 {
		t.Fatalf("phase %s, reason %s, outcome %s: %s%s", now.Phase, now.Reason, now.Outcome, now.Detail, lab.Log(now))
	}
	if got := now.Questions[0].Command; got != "ci .github/workflows/help.yml: new; runs on pull_request_target" {
		t.Errorf("asked about %q", got)
	}
	onlyTheCheckpoint(t, s, now)
	return now
}

// onlyTheCheckpoint fails the test unless the remote has the base branch and the task's own refs, with the work in them.
func onlyTheCheckpoint(t *testing.T, s *lab.Stage, now signals.Status) {
	t.Helper()
	refs := gittest.Git(t, s.Bare, "for-each-ref", "--format=%(refname)")
	if want := "refs/heads/main\nrefs/longshift-fence/" + now.TaskID + "\nrefs/longshift/" + now.TaskID; refs != want {
		t.Errorf("refs on the remote:\n%s\nwant\n%s", refs, want)
	}
	if pulls := s.GitHub.Pulls(lab.Name); len(pulls) != 0 {
		t.Errorf("pull requests %+v", pulls)
	}
	if files := gittest.Git(t, s.Bare, "ls-tree", "-r", "--name-only", "refs/longshift/"+now.TaskID); !strings.Contains(files, ".github/workflows/help.yml") {
		t.Errorf("the checkpoint has %s", files)
	}
}

// TestPushWaitsForAPerson asks before anything is on a branch, waits across a restart of the worker, and names all of it first.
func TestPushWaitsForAPerson(t *testing.T) {
	t.Parallel()
	s := lab.NewStage(t, plants(), lab.QuickSettings)
	now := waitsToPush(t, s)
	if shown := s.Longshift(t, "status", s.Begun.GetID()); !strings.Contains(shown.Out, "help.yml: new; runs on pull_request_target") || !strings.Contains(shown.Out, now.Questions[0].ID) {
		t.Errorf("status shows %s", shown.Out)
	}
	s.Parked()
	s.Worker.Kill()
	s.Worker.Start()
	s.Ready()
	if ran := s.Longshift(t, "allow", s.Begun.GetID(), "push"); ran.Code != 0 || !strings.Contains(ran.Out, "the push is allowed") {
		t.Fatalf("allow: %+v", ran)
	}
	end := s.Ended()
	s.Carried(end, lab.Messages[0])
	body := s.GitHub.Pulls(lab.Name)[0].Body
	first, _, _ := strings.Cut(body, "\n### Proof\n")
	for _, line := range named {
		if !strings.Contains(first, "\n"+line) {
			t.Errorf("the text does not say %q:\n%s", line, body)
		}
	}
	if told := s.Heard("approve", 0); len(told) != 1 || !strings.Contains(told[0].Prompt, "ci .github/workflows/help.yml: new") {
		t.Errorf("the reviewer was told %+v", told)
	}
}

// TestPushIsDenied leaves the remote without a branch, whoever says no.
func TestPushIsDenied(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ settings, env, why string }{
		"by a person":     {why: "has denied it: no CI here"},
		"by the settings": {settings: "commands: {questions: deny}\n", why: "nobody is asked"},
		"by the operator": {settings: "fixAttempts: 0\n", env: "LONGSHIFT_SENSITIVE=all=name,agents=refuse", why: "the operator refuses it:\nagents .claude/settings.json: new"},
	} {
		t.Run(name, func(t *testing.T) {
			s := lab.NewScriptedStage(t, plants(), lab.QuickSettings+c.settings, c.env)
			if name == "by a person" {
				waitsToPush(t, s)
				if ran := s.Longshift(t, "deny", s.Begun.GetID(), "--reason", "no CI here"); ran.Code != 0 {
					t.Fatalf("deny: %+v", ran)
				}
			} else {
				s.Play()
			}
			end := s.Ended()
			if end.Outcome != task.Rejected || !strings.Contains(end.Detail, c.why) {
				t.Fatalf("outcome %s: %s%s", end.Outcome, end.Detail, lab.Log(end))
			}
			onlyTheCheckpoint(t, s, end)
		})
	}
}
