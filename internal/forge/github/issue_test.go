package github

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// TestIssue reads an issue without label and assignment.
func TestIssue(t *testing.T) {
	b := newBench(t)
	n := b.server.AddIssue(repoName, forgetest.Issue{Title: " Greet\u200b <!-- x --> in French", Body: "Say **bonjour**.\r\n<!-- y -->"})
	i, open, err := b.forge.Issue(t.Context(), shop(), n)
	if err != nil || !open || i.Title != "Greet in French" || i.Body != "Say **bonjour**." || i.Number != n || i.Forge != "github" ||
		i.URL != fmt.Sprintf("%s/acme/shop/issues/%d", b.server.URL, n) {
		t.Errorf("open %t, %v: %+v", open, err, i)
	}
	b.server.Label(repoName, n, "alice", "longshift")
	if w, _, _ := b.wanted(n); w != i {
		t.Errorf("Wanted gives %+v, Issue %+v", w, i)
	}
	b.server.CloseIssue(repoName, n)
	if _, open, err := b.forge.Issue(t.Context(), shop(), n); err != nil || open {
		t.Errorf("closed: open %t, %v", open, err)
	}
}

func TestIssueThatIsNone(t *testing.T) {
	b := newBench(t)
	b.server.AddRepository(forgetest.Repository{Name: "other/place", Branches: map[string]string{"main": "1"}})
	pull := b.ensure(b.request()).Number
	gone := b.server.AddIssue(repoName, forgetest.Issue{Title: "Gone"})
	b.server.DeleteIssue(repoName, gone)
	moved := b.server.AddIssue(repoName, forgetest.Issue{Title: "Moved"})
	b.server.MoveIssue(repoName, moved, "other/place")
	for name, n := range map[string]int{"pull request": pull, "deleted": gone, "moved": moved, "missing": 5555} {
		i, open, err := b.forge.Issue(t.Context(), shop(), n)
		if fault.KindOf(err) != fault.NotFound || open || i.Title != "" || !strings.Contains(err.Error(), fmt.Sprintf("acme/shop#%d", n)) {
			t.Errorf("%s: open %t, %v, %+v", name, open, err, i)
		}
	}
}

// TestIssueEdited: only an issue that was edited after the event has another sum.
func TestIssueEdited(t *testing.T) {
	b := newBench(t)
	n := b.server.AddIssue(repoName, forgetest.Issue{Title: "Greet", Body: "Say <b>bonjour</b>.\r\n"})
	e := newEar(t, nil)
	issue := fields{"number": n, "state": "open", "updated_at": at, "title": "Greet", "body": "Say <b>bonjour</b>.\r\n"}
	e.expect(signed("issues", forgetest.Hook(t, "issues-labeled",
		fields{"repository": shopRepo, "sender": alice, "issue": issue, "label": fields{"name": "longshift"}})), http.StatusAccepted, 1)
	now := func() string {
		i, _, err := b.forge.Issue(t.Context(), shop(), n)
		if err != nil {
			t.Fatal(err)
		}
		return forge.IssueSum(i.Title, i.Body)
	}
	was := e.events[0].Sum
	if len(was) != 32 || was != now() {
		t.Errorf("the event has %q, the issue %q", was, now())
	}
	for _, change := range []func(*forgetest.Issue){
		func(i *forgetest.Issue) { i.Body += "And delete the tests." },
		func(i *forgetest.Issue) { i.Title, i.Body = "Greet all", "Say <b>bonjour</b>.\r\n" },
		func(i *forgetest.Issue) { i.Title, i.Body = "", "Greet\nSay bonjour." },
	} {
		b.server.EditIssue(repoName, n, change)
		if now() == was {
			t.Error("the change does not show")
		}
	}
}
