package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// A tag that becomes a folder of tags on the remote, or the other way round, is followed; one that can't be made is done without.
func TestTagsInTheWay(t *testing.T) {
	t.Parallel()
	remote := gittest.NewBare(t, start)
	b := newBench(t, remote)
	for i, c := range []struct{ tag, described string }{
		{"nightly", "nightly"}, {"nightly/2024-06-01", "nightly/2024-06-01"}, {"nightly", "nightly"}, {"nightly/locked", ""}, {"closed", ""},
	} {
		gittest.Sh(t, remote, `git tag -l | xargs -r git tag -d`)
		gittest.Commit(t, remote, "main", "next", map[string]string{"next": strings.Repeat("x", i)})
		gittest.Git(t, remote, "tag", c.tag, "main")
		mirrors, err := filepath.Glob(filepath.Join(b.m.mirrors.dir, "*.git"))
		must(t, err)
		switch c.tag {
		case "nightly/locked": // the tag in its way can't be deleted
			gittest.Write(t, mirrors[0], map[string]string{"refs/tags/nightly.lock/x": ""})
		case "closed": // what git finds no ref in, and can't remove
			gittest.Write(t, mirrors[0], map[string]string{"refs/tags/closed/x.lock": ""})
			must(t, os.RemoveAll(filepath.Join(mirrors[0], "refs/tags/nightly")))
		}
		ws, tree := b.prepare("t-"+string(rune('a'+i)), 1)
		if ws.Head != gittest.Ref(t, remote, "refs/heads/main") {
			t.Errorf("%s: the workspace is at %s", c.tag, ws.Head)
		}
		if got := agent(t, tree, "tag", "--points-at", "HEAD"); got != c.described {
			t.Errorf("%s: the tags of the last commit are %q", c.tag, got)
		}
	}
	if !strings.Contains(b.log.String(), "tags can't be fetched") {
		t.Error("the log does not name the tags that are done without")
	}
}

// The base branch may have a name that is too long for a file once it is escaped.
func TestLongBaseBranch(t *testing.T) {
	t.Parallel()
	remote := gittest.NewBare(t, start)
	s := Spec{TaskID: "t-1", Base: strings.Repeat("長", 65), Branch: "longshift/t-1", Fence: 1}
	gittest.Git(t, remote, "branch", s.Base, "main")
	b := newBench(t, remote)
	s.Repository = b.repository()
	ws, tree := b.prepareOn(b.m, s)
	if got := agent(t, tree, "rev-parse", "origin/"+s.Base); got != ws.Head {
		t.Errorf("the base branch is at %q, want %s", got, ws.Head)
	}
}
