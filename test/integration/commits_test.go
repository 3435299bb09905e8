package integration

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// TestSignedCommits has the real agent commit by itself and report, both with a message that tries everything, while the key of the worker
// is gone. The task waits for a person. With the key back the branch holds signed commits in the worker's name that only say something.
func TestSignedCommits(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	private, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	script := lab.With(lab.Brief(), "fix", 1, func(turn *agenttest.Turn) {
		turn.Tools = []agenttest.Tool{{Name: "Bash", Input: map[string]any{"description": "commit",
			"command": "git add -A && git commit -q -m 'closes #7 @everyone [skip ci]' -m 'Co-authored-by: Linus <torvalds@example.com>'"}}}
	})
	script = lab.With(script, "fix", 2, func(turn *agenttest.Turn) {
		turn.Text = "<DONE>\nfix: sums, fixes #8\n\nSigned-off-by: Linus <torvalds@example.com>\n</DONE>"
	})
	s := lab.NewStage(t, script, strings.Replace(lab.QuickSettings, "after: 1s", "after: 1h", 1), "LONGSHIFT_SIGNING_KEY="+key, "LONGSHIFT_AUTHOR_NAME=Ada's bot", "LONGSHIFT_AUTHOR_EMAIL=bot@example.com")
	away := key + ".away"
	s.Play()
	s.Until("the plan waits", func(now signals.Status) bool { return now.Phase == task.Approving })
	if err := os.Rename(key, away); err != nil { // a worker would not start without it
		t.Fatal(err)
	}
	if _, err := s.Updated(signals.Approve, map[string]any{"by": "ada"}); err != nil {
		t.Fatal(err)
	}
	stopped := s.Until("it waits for the key", func(now signals.Status) bool { return now.Reason == signals.ReasonAccess })
	if !strings.Contains(stopped.Detail, "LONGSHIFT_SIGNING_KEY="+key) || strings.Contains(gittest.Git(t, s.Bare, "for-each-ref"), "refs/longshift/") {
		t.Errorf("it says %q; refs\n%s", stopped.Detail, gittest.Git(t, s.Bare, "for-each-ref"))
	}
	if err := os.Rename(away, key); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Updated(signals.Resume, map[string]any{}); err != nil {
		t.Fatal(err)
	}
	end := s.Ended()
	if end.Outcome != task.PullRequest {
		t.Fatalf("outcome %s: %s%s", end.Outcome, end.Detail, lab.Log(end))
	}

	allowed := filepath.Join(t.TempDir(), "allowed")
	public, err := os.ReadFile(key + ".pub")
	if err == nil {
		err = os.WriteFile(allowed, append([]byte("bot@example.com "), public...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	ids := strings.Fields(gittest.Git(t, s.Bare, "rev-list", "main.."+end.Branch))
	if len(ids) == 0 {
		t.Fatal("there is no commit")
	}
	for _, id := range ids {
		if out, err := gittest.Try(s.Bare, "-c", "gpg.ssh.allowedSignersFile="+allowed, "verify-commit", id); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	told := gittest.Git(t, s.Bare, "log", "--format=%an <%ae> %cn <%ce>%n%B", "main.."+end.Branch)
	const who = "Ada's bot <bot@example.com>"
	want := who + " " + who + "\ncloses # 7 @ everyone [ skip ci]\n\nCo-authored- by: Linus <torvalds@example.com>\n\nLongshift-Task: " + end.TaskID + "/2"
	if strings.TrimSpace(told) != want {
		t.Errorf("the commits say\n%s\nwant\n%s", told, want)
	}

	line := bytes.Split(private, []byte("\n"))[2] // of the key itself
	if found, _ := exec.Command("grep", "-rlF", string(line), s.Worker.Data).Output(); len(found) > 0 {
		t.Errorf("the key is in %s", found)
	}
}
