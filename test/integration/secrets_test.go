package integration

import (
	"bytes"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// everywhere is where the worker, its operator and the system keep things.
const everywhere = `/etc /home /root /run /srv /mnt /var/lib /var/run /tmp /dev/shm "$HOME" .`

// search looks for secrets in all processes, and in all files of the folders. It holds no needle whole, or it would find itself.
func search(folders string, needles ...string) string {
	var b strings.Builder
	b.WriteString("found=0\nlook() { if grep -asqF -- \"$1$2\" \"$3\" 2>/dev/null; then echo \"found in $3\"; found=1; fi; }\n")
	for _, n := range needles {
		half := len(n) / 2
		b.WriteString("a='" + n[:half] + "'; b='" + n[half:] + "'\n" +
			"env > \"${TMPDIR:-/tmp}/env.$$\"; look \"$a\" \"$b\" \"${TMPDIR:-/tmp}/env.$$\"\n" +
			"for f in /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/[0-9]*/fd/*; do case $f in */fd/*) [ -f \"$f\" ] || continue;; esac; look \"$a\" \"$b\" \"$f\"; done\n" +
			"grep -rsIlF -- \"$a$b\" " + folders + " 2>/dev/null && found=1\n")
	}
	b.WriteString("echo looked at $(ls -d /proc/[0-9]* | wc -l) processes; exit $found\n")
	return b.String()
}

// TestNoSecretIsInReach plants secrets in every place where the worker or its operator keeps some, and has both a command of the
// project and a script of the agent look for them.
func TestNoSecretIsInReach(t *testing.T) {
	t.Parallel()
	planted := "planted-" + strings.Repeat("7f3a", 6)
	script := search(everywhere, lab.Key, forgetest.Token, planted)
	settings := "setup: |\n  " + strings.ReplaceAll(strings.TrimSpace(script), "\n", "\n  ") + "\nspecs: specs\napproval:\n  mode: none\n"
	s := lab.NewStage(t, lab.With(lab.With(lab.Brief(), "fix", 0, func(turn *agenttest.Turn) {
		turn.Tools = append(turn.Tools, agenttest.Tool{Name: "Write", Input: map[string]any{"file_path": "search.sh", "content": script}})
	}), "fix", 1, func(turn *agenttest.Turn) {
		turn.Tools = []agenttest.Tool{{Name: "Bash", Input: map[string]any{"command": "bash search.sh > search.log 2>&1; echo \"exit $?\" >> search.log", "description": "search"}}}
	}), settings)
	secret := filepath.Join(t.TempDir(), "token")
	for _, file := range []string{filepath.Join(s.Worker.Data, "operator", ".netrc"), filepath.Join(s.Worker.Data, "planted"), secret,
		filepath.Join(os.TempDir(), "longshift-"+filepath.Base(s.Worker.Data)+"-planted")} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(planted+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Remove(file) })
	}
	if out, _ := exec.Command("bash", "-c", search(os.DevNull, lab.Key)).CombinedOutput(); !bytes.Contains(out, []byte("found in /proc/")) {
		t.Fatalf("outside of the sandbox the search finds nothing, so it would prove nothing: %s", out)
	}
	s.Play()
	end := s.Ended()
	if end.Outcome != task.PullRequest {
		t.Fatalf("outcome %s: %s%s", end.Outcome, end.Detail, lab.Log(end))
	}
	if end.Setup == nil || !end.Setup.Passed() || !strings.Contains(end.Setup.Tail, "looked at") {
		t.Errorf("the project's command: %+v", end.Setup)
	}
	log := gittest.Git(t, s.Bare, "show", end.Branch+":search.log")
	if !strings.HasSuffix(log, "exit 0") || !strings.Contains(log, "looked at") {
		t.Errorf("the agent's script: %s", log)
	}
}

// TestPastedSecretIsStopped has the model paste the worker's own key wherever text leaves: code, commit message, plan, review; as it
// is, in base64, and cut in two. What the gateway would cover in the model's answers is put together by a command.
func TestPastedSecretIsStopped(t *testing.T) {
	t.Parallel()
	coded := base64.StdEncoding.EncodeToString([]byte("key=" + lab.Key + "\n"))
	half := len(lab.Key) / 2
	forms := lab.Key + " or " + coded + " or \"" + lab.Key[:half] + "\" + \"" + lab.Key[half:] + "\""
	leaky := "package calc\n\nconst plain = \"" + lab.Key + "\"\nconst coded = \"" + coded + "\"\n\nvar split = \"" + lab.Key[:half] + "\" +\n\t\"" + lab.Key[half:] + "\"\n"
	script := lab.With(lab.Brief(), "plan", 0, func(turn *agenttest.Turn) {
		turn.Answer = bytes.ReplaceAll(turn.Answer, []byte("make the failing test pass"), []byte(strings.ReplaceAll(forms, `"`, `'`)))
	})
	script = lab.With(script, "fix", 0, func(turn *agenttest.Turn) {
		paste := "sed \"s/@/" + lab.Key[half:] + "/\" > keys.go <<'END'\n" + strings.ReplaceAll(leaky, lab.Key, lab.Key[:half]+"@") + "END"
		turn.Tools = append(turn.Tools, agenttest.Tool{Name: "Bash", Input: map[string]any{"command": paste, "description": "write keys.go"}})
	})
	script = lab.With(script, "fix", 2, func(turn *agenttest.Turn) { turn.Text = "<PROGRESS>\nfix: use " + forms + "\n</PROGRESS>" })
	script = lab.With(script, "approve", 0, func(turn *agenttest.Turn) {
		turn.Answer = bytes.ReplaceAll(turn.Answer, []byte("Add gives the sum."), []byte("The key is "+strings.ReplaceAll(forms, `"`, `'`)))
	})
	clean := agenttest.Rule{Name: "clean", Role: task.Implementer, Match: "holds a secret", Turns: []agenttest.Turn{
		{Tools: []agenttest.Tool{{Name: "Bash", Input: map[string]any{"command": "echo package calc > keys.go", "description": "take it out"}}}},
		{Text: "<DONE>\nfix: take " + forms + " out\n</DONE>"},
	}}
	script.Rules = append([]agenttest.Rule{clean}, script.Rules...)
	s := lab.NewStage(t, script, lab.QuickSettings)
	s.Play()
	end := s.Ended()
	if end.Outcome != task.PullRequest {
		t.Fatalf("outcome %s: %s%s", end.Outcome, end.Detail, lab.Log(end))
	}
	if log := lab.Log(end); !strings.Contains(log, "keys.go line 3") || !strings.Contains(log, "holds a secret") {
		t.Errorf("the log does not name the place: %s", log)
	}
	if n := len(s.Heard("clean", 0)); n != 1 {
		t.Errorf("%d sessions were told to take the secret out", n)
	}
	if got := gittest.Git(t, s.Bare, "show", end.Branch+":keys.go"); got != "package calc" {
		t.Errorf("the branch has %q", got)
	}
	without(t, "what was pushed", pushed(t, s.Bare), coded)
	pull := s.GitHub.Pulls(lab.Name)[0]
	without(t, "the pull request", pull.Title+"\n"+pull.Body, coded)
	var history strings.Builder
	for _, e := range s.History(t, s.Begun.GetID()) {
		texts(e.ProtoReflect(), &history)
	}
	if !strings.Contains(history.String(), "FIX-001") {
		t.Error("the texts of history were not read")
	}
	without(t, "history", history.String(), coded)
}

// texts collects every text and every run of bytes of a message.
func texts(m protoreflect.Message, to *strings.Builder) {
	value := func(f protoreflect.FieldDescriptor, v protoreflect.Value) {
		switch f.Kind() {
		case protoreflect.StringKind, protoreflect.BytesKind:
			to.WriteString(v.String() + "\n")
			if f.Kind() == protoreflect.BytesKind {
				to.Write(v.Bytes())
			}
		case protoreflect.MessageKind:
			texts(v.Message(), to)
		}
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsMap():
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
				value(f.MapValue(), v)
				return true
			})
		case f.IsList():
			for i := range v.List().Len() {
				value(f, v.List().Get(i))
			}
		default:
			value(f, v)
		}
		return true
	})
}

// pushed is the text of every object of a repository, whatever refers to it.
func pushed(t *testing.T, bare string) string {
	t.Helper()
	ids := gittest.Git(t, bare, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)")
	text := ""
	for line := range strings.Lines(ids) {
		if id, kind, _ := strings.Cut(strings.TrimSpace(line), " "); kind != "tree" {
			text += gittest.Git(t, bare, "cat-file", kind, id) + "\n"
		}
	}
	return text
}

// without fails the test when the text holds the key, in any of the forms that were pasted.
func without(t *testing.T, what, text, coded string) {
	t.Helper()
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return -1
		}, s)
	}
	for _, form := range []string{lab.Key, coded, strings.TrimRight(coded, "=")} {
		if strings.Contains(text, form) || strings.Contains(letters(text), letters(form)) {
			t.Errorf("%s holds the secret", what)
			return
		}
	}
	if !strings.Contains(text, "[hidden]") && !strings.Contains(text, "*****") { // by the redactor, or by the gateway before it
		t.Errorf("%s does not show that something was hidden", what)
	}
}
