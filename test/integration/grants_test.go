package integration

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// tell has a shell say what it has without saying any of it: the sum of a value proves that it came.
const tell = `for n in REGISTRY_TOKEN SERVICE_KEY OTHER_TOKEN GREETING OPERATORS; do printf '%s=' $n; printf %s "${!n-unset}" | sha256sum | cut -c 1-16; done`

func told(name, value string) string {
	return fmt.Sprintf("%s=%.8x\n", name, sha256.Sum256([]byte(value)))
}

// TestGrantedSecrets gives one secret to setup and check, one to the agent, and one to another repository. The check prints all that it
// has, in several ways: what was granted arrives where it was granted to, and appears nowhere else.
func TestGrantedSecrets(t *testing.T) {
	t.Parallel()
	registry, service, other := "reg-Zq81mPw0TbY5nUe3RkX7", "srv-Kd72fLq9WxN4vBt6HyS1", "oth-Mz8Rc3Gj5Tp0EwLq9Wx2"
	file := filepath.Join(t.TempDir(), "registry-token")
	if err := os.WriteFile(file, []byte(registry+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := `env: {GREETING: "it's here", OPERATORS: "the repository's"}
needsEnv: [REGISTRY_TOKEN]
specs: specs
approval: {after: 1s}
setup: ` + tell + `
check: |
  ` + tell + `
  env; env | base64; printf %s "$REGISTRY_TOKEN" | base64 -w 0; echo; printf %s "$REGISTRY_TOKEN" | rev; echo
  ` + lab.QuickCheck + "\n"
	script := lab.With(lab.Brief(), "fix", 1, func(turn *agenttest.Turn) {
		turn.Tools = []agenttest.Tool{{Name: "Bash", Input: map[string]any{"command": "bash tell.sh > told.txt", "description": "tell"}}}
	})
	script = lab.With(script, "fix", 0, func(turn *agenttest.Turn) {
		turn.Tools = append(turn.Tools, agenttest.Tool{Name: "Write", Input: map[string]any{"file_path": "tell.sh", "content": tell + "\n"}})
	})
	script.KeepBodies = true
	s := lab.NewStage(t, script, settings, "REGISTRY_TOKEN_FILE="+file, "SERVICE_KEY="+service, "OTHER_TOKEN="+other, "LONGSHIFT_TASK_ENV=OPERATORS=given",
		"LONGSHIFT_TASK_SECRETS=REGISTRY_TOKEN@acme/* SERVICE_KEY:agent@acme/calc OTHER_TOKEN:setup,check,agent@acme/other")
	s.Play()
	end := s.Ended()
	if end.Outcome != task.PullRequest {
		t.Fatalf("outcome %s: %s%s", end.Outcome, end.Detail, lab.Log(end))
	}

	commands := told("REGISTRY_TOKEN", registry) + told("SERVICE_KEY", "unset") + told("OTHER_TOKEN", "unset") + told("GREETING", "it's here") + told("OPERATORS", "given")
	if end.Setup == nil || end.Setup.Tail != commands {
		t.Errorf("setup has\n%+v\nwant\n%s", end.Setup, commands)
	}
	whole, err := os.ReadFile(filepath.Join(s.Worker.Data, end.Check.File))
	if err != nil || !strings.HasPrefix(string(whole), commands) || !strings.Contains(string(whole), "REGISTRY_TOKEN=[hidden]") {
		t.Errorf("the check has %v\n%s\nwant\n%s", err, whole, commands)
	}
	agents := told("REGISTRY_TOKEN", "unset") + told("SERVICE_KEY", service) + told("OTHER_TOKEN", "unset") + told("GREETING", "it's here") + told("OPERATORS", "given")
	if got := gittest.Git(t, s.Bare, "show", end.Branch+":told.txt"); got != strings.TrimSpace(agents) {
		t.Errorf("the agent has\n%s\nwant\n%s", got, agents)
	}
	if calls := s.Heard("fix", 0); len(calls) != 1 || !strings.Contains(calls[0].Prompt, "The project needs `REGISTRY_TOKEN`, and your session does not have it") {
		t.Error("the agent is not told what it does not have")
	}
	if !slices.ContainsFunc(end.Warnings, func(w string) bool { return strings.Contains(w, "env.OPERATORS") }) {
		t.Errorf("that the operator sets OPERATORS is not said: %q", end.Warnings)
	}

	var history strings.Builder
	for _, e := range s.History(t, s.Begun.GetID()) {
		texts(e.ProtoReflect(), &history)
	}
	pull := s.GitHub.Pulls(lab.Name)[0]
	var asked bytes.Buffer
	for _, call := range s.Model.Calls() {
		asked.Write(call.Body)
	}
	for what, text := range map[string]string{"history": history.String(), "the pull request": pull.Title + pull.Body, "what was pushed": pushed(t, s.Bare),
		"what the model was asked": asked.String(), "the worker's log": s.Worker.Log()} {
		if text == "" {
			t.Errorf("%s is empty, and proves nothing", what)
		}
		withoutAny(t, what, text, registry, service, other)
	}
	files := 0
	err = filepath.WalkDir(s.Worker.Data, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		files++
		withoutAny(t, path, string(data), registry, service, other)
		return err
	})
	if err != nil || files < 20 {
		t.Errorf("%d files were looked at, %v", files, err)
	}
}

// withoutAny fails the test when a text holds one of the values: as it is, reversed, or in base64 at any offset and with any line ends.
func withoutAny(t *testing.T, what, text string, values ...string) {
	t.Helper()
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
	for _, v := range values {
		back := []byte(v)
		slices.Reverse(back)
		forms := []string{v, string(back)}
		for at := range 3 {
			coded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("=", at) + v))
			forms = append(forms, coded[2*at:len(coded)-3])
		}
		for _, form := range forms {
			if strings.Contains(text, form) || !strings.ContainsAny(form, "-+/") && strings.Contains(letters, form) {
				t.Errorf("%s holds a secret as %s", what, form)
				break
			}
		}
	}
}

// TestNeedWithoutGrant refuses a task whose repository needs what nobody gives, before a model is asked.
func TestNeedWithoutGrant(t *testing.T) {
	t.Parallel()
	s := lab.NewStage(t, lab.Brief(), lab.QuickSettings+"needsEnv: [REGISTRY_TOKEN, LICENSE_KEY]\n", "LICENSE_KEY=lic-Zq81mPw0TbY5",
		"LONGSHIFT_TASK_SECRETS=LICENSE_KEY@acme/calc REGISTRY_TOKEN@acme/calc")
	s.Play()
	end := s.Until("the task is refused", func(st signals.Status) bool { return st.Outcome != "" })
	if end.Outcome != task.Failed || !strings.Contains(end.Detail, "needsEnv: REGISTRY_TOKEN: host ") || strings.Contains(end.Detail, "LICENSE") {
		t.Errorf("outcome %s: %s", end.Outcome, end.Detail)
	}
	if ran := s.Longshift(t, "show", s.Begun.GetID()); !strings.Contains(ran.Out+ran.Err, "needsEnv: REGISTRY_TOKEN: host ") {
		t.Errorf("a person is not told why:\n%s\n%s", ran.Out, ran.Err)
	}
	if n := len(s.Model.Calls()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
	if log := s.Worker.Log(); !strings.Contains(log, "can't be given") || !strings.Contains(log, "REGISTRY_TOKEN_FILE") {
		t.Errorf("the worker does not say at its start that it lacks a secret:\n%s", log)
	}
}
