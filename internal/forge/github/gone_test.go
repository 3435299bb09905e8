package github

import (
	"strings"
	"testing"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// TestLookAtWhatIsGone: every snapshot, the first one and a later one, says in one line what is missing.
func TestLookAtWhatIsGone(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(b *bench)
		kind   fault.Kind
		line   string
		hint   string
	}{
		{"repository", func(b *bench) { b.server.Remove(repo) }, fault.NotFound, "repository acme/shop is not there", "check the name"},
		{"renamed and then deleted", func(b *bench) {
			b.server.Rename(repo, "acme/store")
			b.server.Remove("acme/store")
		}, fault.NotFound, "repository acme/shop is not there", "check the name"},
		{"archived", func(b *bench) { b.server.Archive(repo, true) }, fault.Denied, "repository acme/shop is archived", "unarchive it"},
		{"pull request", func(b *bench) {
			b.server.Inject(forgetest.Fault{Status: 404, Text: "Not Found"}.On("GET", "/pulls/1").Repeated(forgetest.Forever))
		}, fault.NotFound, "pull request acme/shop#1 is not there", "Pull requests: write"},
		{"pull request, for good", func(b *bench) {
			b.server.Inject(forgetest.Fault{Status: 410, Text: "Gone"}.On("GET", "/pulls/1").Repeated(forgetest.Forever))
		}, fault.NotFound, "pull request acme/shop#1 is not there", "deleted the pull request"},
		{"blocked", func(b *bench) {
			b.server.Inject(forgetest.Fault{Status: 451, Text: "Repository access blocked"}.On("GET", "/pulls/1").Repeated(forgetest.Forever))
		}, fault.NotFound, "it is gone from acme/shop: HTTP 451 Repository access blocked", "blocked the repository"},
		{"while we look", func(b *bench) {
			b.server.After(func(_, path string) {
				if strings.HasSuffix(path, "/pulls/1") {
					b.server.Remove(repo)
				}
			})
		}, fault.NotFound, "repository acme/shop is not there", "check the name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, known := range []*bool{nil, new(bool)} { // whether it can be merged
				b, n := opened(t)
				b.server.SetMergeable(repo, n, known)
				stamp := b.look(n, "").Stamp
				c.change(b)
				for _, seen := range []string{stamp, ""} {
					l, err := b.forge.Snapshot(t.Context(), shop(), n, seen)
					mustBe(t, err, c.kind, c.line, c.hint)
					if err != nil && strings.Contains(err.Error(), "\n") {
						t.Errorf("not one line: %v", err)
					}
					if l.State != "" || l.Stamp != "" || l.Unchanged {
						t.Errorf("got %+v", l)
					}
				}
			}
		})
	}
}

// TestStateOfWhatIsGone: a pull request is not there only where its repository can be read. Else the right to see it may be lost.
func TestStateOfWhatIsGone(t *testing.T) {
	hide := func(b *bench) {
		b.server.Inject(forgetest.Fault{Status: 404, Text: "Not Found"}.On("GET", "/pulls/1").Repeated(forgetest.Forever))
	}
	for _, c := range []struct {
		name   string
		app    bool
		change func(b *bench)
		kind   fault.Kind
		line   string
		hint   string
	}{
		{"pull request", false, hide, fault.NotFound, "pull request acme/shop#1 is not there", ""},
		{"pull request, for an app", true, hide, fault.NotFound, "pull request acme/shop#1 is not there", ""},
		{"repository", false, func(b *bench) { b.server.Remove(repo) }, fault.Denied, "repository acme/shop is not there", "check the name"},
		{"installation", true, func(b *bench) { b.server.Install() }, fault.Denied, "the app is not installed on acme/shop", "install it there"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, n := opened(t)
			if c.app {
				b = appOf(b).bench
			}
			c.change(b)
			s, err := b.forge.State(t.Context(), shop(), n)
			if mustBe(t, err, c.kind, c.line, c.hint); s != "" {
				t.Errorf("it is %s", s)
			}
		})
	}
}

// TestArchiveIsSeen: without a tag for the pull request, its own fields show the change.
func TestArchiveIsSeen(t *testing.T) {
	yes := true
	p := func(archived *bool) *gh.PullRequest {
		return &gh.PullRequest{Base: &gh.PullRequestBranch{Repo: &gh.Repository{Archived: archived}}}
	}
	if essence(p(&yes)) == essence(p(nil)) {
		t.Error("an archived repository looks like one that is not")
	}
}

// TestLookAfterArchive: a closed pull request is reported whether the repository is archived or not, and an unarchived repository is
// read again.
func TestLookAfterArchive(t *testing.T) {
	b, n := opened(t)
	b.server.CommentOn(repo, n, "alice", "/longshift go on")
	b.server.Archive(repo, true)
	reply := forge.Reply{Item: forge.Item{Key: "comment:1", Kind: forge.CommentItem}, Key: "k", Text: "x"}
	mustBe(t, b.forge.Answer(t.Context(), shop(), n, []forge.Reply{reply}), fault.Denied, "archived", "unarchive")
	b.server.Archive(repo, false)
	expectOne(t, b.look(n, ""))
	b.server.Merge(repo, n)
	b.server.Archive(repo, true)
	if l := b.look(n, ""); l.State != forge.Merged {
		t.Errorf("got %+v", l)
	}
}

// TestLookWithoutBase: the base branch was deleted; its last commit comes from the pull request, and comments still count.
func TestLookWithoutBase(t *testing.T) {
	b, n := opened(t)
	b.server.CommentOn(repo, n, "alice", "/longshift go on")
	stamp := b.look(n, "").Stamp
	b.server.Inject(forgetest.Fault{Status: 404, Text: "Branch not found"}.On("GET", "/branches/main").Repeated(2))
	l := b.look(n, stamp)
	if l.Unchanged || l.State != forge.Open || l.Base != "main" || l.BaseHead != commit("main 1") || l.Stamp != "" {
		t.Errorf("got %+v", l)
	}
	expectOne(t, l)
	if l = b.look(n, ""); l.Stamp == "" || !b.look(n, l.Stamp).Unchanged {
		t.Errorf("when it is back: %+v", l)
	}
}
