package workspace

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// A reason of the remote's that git prints on stdout alone.
func TestServerThatRefusesARef(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	_, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	gittest.Git(t, bare, "config", "receive.hideRefs", "refs/heads/longshift")
	_, err := tree.Push(t.Context())
	wantFault(t, err, fault.Denied, "rule of its own", "deny updating a hidden ref")
}

func TestClassifyRefusals(t *testing.T) {
	t.Parallel()
	const workflow = "(refusing to allow a Personal Access Token to create or update workflow `.github/workflows/x.yml` without `workflow` scope)"
	line := func(ref, why string) string { return "!\t0123abc:" + ref + "\t[remote rejected] " + why + "\n" }
	for name, c := range map[string]struct {
		branch, fence string
		kind          fault.Kind
		words         string
		stale         bool
	}{
		"workflow of a token": {workflow, "(atomic transaction failed)", fault.Denied, "create or update workflow `.github/workflows/x.yml`", false},
		"workflow of an app": {"(refusing to allow a GitHub App to create or update workflow `.github/workflows/x.yml` without `workflows` permission)",
			"(atomic push failed)", fault.Denied, "no change of a workflow file", false},
		"the fence comes first":  {"(atomic transaction failed)", workflow, fault.Denied, "no change of a workflow file", false},
		"hook":                   {"(pre-receive hook declined)", "(pre-receive hook declined)", fault.Denied, "rule of its own", false},
		"protected":              {"(protected branch hook declined)", "(atomic transaction failed)", fault.Denied, "rule of its own", false},
		"rules":                  {"(push declined due to repository rule violations)", "(atomic push failed)", fault.Denied, "rule of its own", false},
		"moved":                  {"(atomic transaction failed)", "(atomic transaction failed)", fault.Infra, "", true},
		"moved, and told":        {"(cannot lock ref 'refs/heads/x': is at 2 but expected 1)", "(atomic transaction failed)", fault.Infra, "", true},
		"stale":                  {"(atomic push failed)", "(stale info)", fault.Infra, "", true},
		"nobody has seen before": {"(internal server error)", "(atomic transaction failed)", fault.Infra, "internal server error", false},
	} {
		out := "To https://github.com/a/b.git\n" + line("refs/heads/x", c.branch) + line("refs/longshift-fence/t-1", c.fence) + "Done"
		const said = "error: failed to push some refs to 'https://github.com/a/b.git'"
		err := classify(&git.Error{Command: "push", Stderr: said}, remote{name: "a/b"}, out, said)
		if fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v", name, err)
		}
		if got := refusals(out).stale(); got != c.stale {
			t.Errorf("%s: stale is %t", name, got)
		}
	}
}
