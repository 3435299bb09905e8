package activities

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

// A task that can't begin leaves neither a workspace nor a ref on the remote.
func TestTaskThatCanNotBeginLeavesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	bad, empty := gittest.NewBare(t, map[string]string{".longshift.yaml": "chekc: make\n"}), gittest.NewBare(t, nil)
	hollow := gittest.NewBare(t, map[string]string{"SPEC.md": ""})
	leading := gittest.NewCheckout(t, map[string]string{".longshift.yaml": "paths: {ignore: [out]}\n"})
	must(t, os.Symlink("../elsewhere", filepath.Join(leading, "out")))
	gittest.Git(t, leading, "add", "--all")
	gittest.Git(t, leading, "commit", "--quiet", "--message=Link")
	for _, c := range []struct {
		name, remote, base string
		kind               fault.Kind
		says               string
		spec               []string
	}{
		{"settings that can't be read", bad, "", fault.Input, "chekc", nil},
		{"a repository without a commit", empty, "", fault.Input, "has no commit", nil},
		{"a base that isn't there", b.remote, "nope", fault.Input, "nope", nil},
		{"a repository that isn't there", b.remote + "-gone", "", fault.NotFound, "is not there", nil},
		{"no specification", b.remote, "", fault.NotFound, "spec: there is no SPEC.md in main at ", []string{"SPEC.md"}},
		{"a closed link that leads out", leading, "", fault.Input,
			`paths.ignore: follow the links of the base commit: out is a symbolic link to "../elsewhere"`, nil},
		{"an empty one", hollow, "", fault.Input, "spec: SPEC.md is empty in main at ", []string{"SPEC.md"}},
	} {
		b.remote = c.remote
		in := PrepareInput{Ref: b.ref, Repository: task.Repository{Text: "ann/calc", Path: c.remote}, Base: c.base, Title: "x", Spec: c.spec}
		err := b.attempt().run(b.PrepareWorkspace, in, nil)
		app := applicationError(t, err)
		if app.Type() != string(c.kind) || !app.NonRetryable() || !strings.Contains(app.Message(), c.says) {
			t.Errorf("%s: %s: %s", c.name, app.Type(), app.Message())
		}
		b.leaks(c.name, err)
		if left, err := b.Workspaces.List(t.Context()); err != nil || len(left) != 0 {
			t.Errorf("%s: workspaces %q, %v", c.name, left, err)
		}
		if c.kind == fault.Input {
			if refs := gittest.Refs(t, c.remote); len(refs) > 1 || c.remote != empty && len(refs) == 0 {
				t.Errorf("%s: the remote has %v", c.name, refs)
			}
		}
	}
}

// The specification of a task is closed to it, a file or a folder, beside what the settings close.
func TestSpecificationIsClosed(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.remote = gittest.NewBare(t, map[string]string{"SPEC.md": "It adds.\n", "docs/spec/a.md": "It multiplies.\n",
		".longshift.yaml": "paths: {readOnly: [go.mod]}\n"})
	in := PrepareInput{Ref: b.ref, Repository: task.Repository{Text: "ann/calc", Path: b.remote}, Title: "x",
		Spec: []string{"SPEC.md", "docs/spec"}}
	var out Prepared
	if err := b.attempt().run(b.PrepareWorkspace, in, &out); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(out.Settings.Paths.ReadOnly, " "); got != "go.mod SPEC.md docs/spec/**" {
		t.Errorf("read-only are %s", got)
	}
}
