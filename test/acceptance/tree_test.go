package acceptance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/signals"
)

// compare fails the test unless the pull request changes what is meant, in the commits that are meant.
func (y story) compare(t testing.TB, p *person, repo string, end signals.Status) {
	t.Helper()
	head := p.git(t, repo, "rev-parse", fmt.Sprintf("refs/longshift/pulls/%d/head", end.PullRequest.Number))
	if branch := p.git(t, repo, "rev-parse", end.Branch); head != branch || end.Head != head {
		t.Errorf("the pull request is at %s, its branch at %s, the status says %s", head, branch, end.Head)
	}
	meant := y.meant
	if meant == nil {
		meant = y.archive.compare
	}
	meant(t, p, repo, end.BaseCommit, head)
	var messages []string
	for _, w := range y.work {
		messages = append(messages, w.message)
	}
	got := strings.Split(p.git(t, repo, "log", "--reverse", "--format=%s", end.BaseCommit+".."+head), "\n")
	if diff := cmp.Diff(messages, got); diff != "" {
		t.Errorf("commits (-meant +got):\n%s", diff)
	}
}

// compare fails the test unless the files that are meant differ between two commits, and are as they are meant.
func (a archive) compare(t testing.TB, p *person, repo, base, head string) {
	t.Helper()
	changed := strings.Fields(p.git(t, repo, "diff", "--name-only", "--no-renames", base, head))
	if diff := cmp.Diff(slices.Sorted(maps.Keys(a.meant)), changed); diff != "" {
		t.Errorf("changed files (-meant +got):\n%s", diff)
	}
	for path, want := range a.meant {
		if got := p.git(t, repo, "show", head+":"+path) + "\n"; got != want {
			t.Errorf("%s (-meant +got):\n%s", path, cmp.Diff(want, got))
		}
	}
}

// untouched fails the test when the person's own repository is another than before: all that a task adds are its branch and its
// pull request.
func untouched(t testing.TB, p *person, repo, before string, end signals.Status) {
	t.Helper()
	if now := p.git(t, repo, "rev-parse", "HEAD"); now != before {
		t.Errorf("HEAD was %s and is %s", before, now)
	}
	if dirty := p.git(t, repo, "status", "--porcelain", "--ignored"); dirty != "" {
		t.Errorf("left in the person's work tree:\n%s", dirty)
	}
	for _, ref := range strings.Fields(p.git(t, repo, "for-each-ref", "--format=%(refname)", "refs/longshift", "refs/longshift-fence", "refs/heads/longshift")) {
		if !strings.HasPrefix(ref, "refs/longshift/pulls/") && ref != "refs/heads/"+end.Branch {
			t.Errorf("left in the person's repository: %s", ref)
		}
	}
}

// plain makes an ordinary repository.
func plain(t testing.TB, p *person, dir string, files map[string]string) string {
	t.Helper()
	write(t, dir, files)
	p.owns(dir)
	p.git(t, dir, "init", "--quiet")
	p.git(t, dir, "add", "--all")
	p.git(t, dir, "commit", "--quiet", "--message=Begin")
	return dir
}
