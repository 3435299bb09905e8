package github

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// asked counts the requests for what a token may lack.
func (b *bench) asked() (checks, actions int) {
	return b.server.Count("GET", "/check-runs"), b.server.Count("GET", "/actions/runs")
}

// TestStatusesOnly: without both permissions only commit statuses are read, and the log has one line for all snapshots.
func TestStatusesOnly(t *testing.T) {
	for name, refuse := range map[string]func(b *bench){
		"403": func(b *bench) { b.server.Withhold("checks", "actions") },
		"404": func(b *bench) {
			for _, path := range []string{"/check-runs", "/actions/runs"} {
				b.server.Inject(forgetest.Fault{Status: 404, Text: "Not Found"}.On("GET", path).Repeated(forgetest.Forever))
			}
		},
		"jobs": func(b *bench) {
			b.server.Withhold("checks")
			b.server.Inject(forgetest.Fault{Status: 403, Text: "Resource not accessible by personal access token"}.On("GET", "/jobs").Repeated(forgetest.Forever))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, n := opened(t)
			refuse(b)
			b.server.SetCheck(repo, aJob("test", "", "failure"))
			b.server.SetStatus(repo, forgetest.Status{Context: "ci", Head: commit("work 1"), State: "failure"})
			l := b.look(n, "")
			expect(t, l, "check:ci")
			if len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], `"Actions: read"`) {
				t.Errorf("warnings %q", l.Warnings)
			}
			for range 3 {
				if l := b.look(n, ""); len(l.Warnings) != 1 || len(l.Items) != 1 {
					t.Errorf("got %+v", l)
				}
				if name != "jobs" && !b.look(n, l.Stamp).Unchanged {
					t.Error("the stamp does not hold")
				}
			}
			if n := strings.Count(b.log.String(), "level=WARN"); n != 1 || !strings.Contains(b.log.String(), "neither checks nor jobs") {
				t.Errorf("%d warnings in the log: %s", n, b.log)
			}
			if checks, actions := b.asked(); checks != 1 || actions != 1 {
				t.Errorf("asked for checks %d times, for runs %d times", checks, actions)
			}
			b.server.SetStatus(repo, forgetest.Status{Context: "ci", Head: commit("work 1"), State: "success"})
			if after := b.look(n, l.Stamp); after.Unchanged || after.Passed != 1 {
				t.Errorf("got %+v", after)
			}
		})
	}
}

// TestRefusalEnds: after an hour each snapshot asks once more, an unchanged one too; a permission that was granted is used at once.
func TestRefusalEnds(t *testing.T) {
	for _, c := range []struct {
		lacks, gets []string
		want        string
	}{
		{[]string{"checks"}, nil, "check:app"}, {[]string{"checks", "actions"}, nil, "check:app"},
		{[]string{"checks", "actions"}, []string{"checks"}, "check:test"},
	} {
		b, n := opened(t)
		b.server.Withhold(c.lacks...)
		b.server.SetCheck(repo, forgetest.Check{Name: "app", Head: commit("work 1"), Conclusion: "failure"})
		b.server.SetCheck(repo, aJob("test", "", "failure"))
		stamp := b.look(n, "").Stamp
		for hour := range 3 {
			for range 3 {
				if l := b.look(n, stamp); !l.Unchanged {
					t.Fatalf("%q: got %+v", c.lacks, l)
				}
			}
			if checks, _ := b.asked(); checks != hour+1 {
				t.Errorf("%q: after %d hours checks were asked for %d times", c.lacks, hour, checks)
			}
			b.clock.advance(refusalHolds)
		}
		b.server.Withhold(c.gets...)
		l := b.look(n, stamp)
		if l.Unchanged || keys(l)[0] != c.want {
			t.Errorf("%q, then %q: %+v", c.lacks, c.gets, l)
		}
	}
}

// TestPermissionIsLost: when the token may no longer read checks, a stamp with their tags leads to the jobs.
func TestPermissionIsLost(t *testing.T) {
	b, n := opened(t)
	b.server.SetCheck(repo, aJob("test", "in_progress", ""))
	stamp := b.look(n, "").Stamp
	b.server.Withhold("checks")
	l := b.look(n, stamp)
	if l.Unchanged || l.Pending != 1 || len(l.Warnings) != 1 {
		t.Errorf("got %+v", l)
	}
	b.server.Withhold("checks", "actions")
	l = b.look(n, l.Stamp)
	if l.Unchanged || l.Pending != 0 || !strings.Contains(l.Warnings[0], "neither checks nor jobs") {
		t.Errorf("got %+v", l)
	}
}

// TestWithoutStatuses: a snapshot does without commit statuses, says so, and reads them an hour after the permission is there.
func TestWithoutStatuses(t *testing.T) {
	b, n := opened(t)
	b.server.SetStatus(repo, forgetest.Status{Context: "ci", Head: commit("work 1"), State: "success"})
	b.server.SetCheck(repo, aJob("test", "", "failure"))
	before := b.look(n, "")
	b.server.Withhold("statuses")
	l := b.look(n, "")
	expectOne(t, l)
	if l.Passed != 0 || len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], `"Commit statuses: read"`) {
		t.Errorf("got %+v", l)
	}
	for range 3 {
		if again := b.look(n, l.Stamp); !again.Unchanged {
			t.Errorf("got %+v", again)
		}
	}
	b.server.SetStatus(repo, forgetest.Status{Context: "ci", Head: commit("work 1"), State: "failure"})
	if lost := b.look(n, before.Stamp); lost.Unchanged || len(lost.Warnings) != 1 {
		t.Errorf("a stamp with statuses leads to %+v", lost)
	}
	b.server.Withhold()
	b.clock.advance(refusalHolds)
	if now := b.look(n, l.Stamp); now.Unchanged || len(now.Items) != 2 || len(now.Warnings) != 0 {
		t.Errorf("with the permission: %+v", now)
	}
}

// TestRefusalIsOfOneToken: a refusal applies to one token and one repository.
func TestRefusalIsOfOneToken(t *testing.T) {
	now := begin
	f := &connection{now: func() time.Time { return now }}
	s := func(token, name string) *session {
		return &session{connection: f, who: token, owner: "Acme", name: name}
	}
	refusal := &problem{status: http.StatusForbidden}
	if s("a", "shop").denied("x", &problem{status: 500}) || s("a", "shop").denied("x", nil) ||
		s("a", "shop").denied("x", &problem{status: 403, limited: true}) || !s("a", "shop").mayTry("x") {
		t.Error("what is no refusal counts as one")
	}
	if !s("a", "shop").denied("x", refusal) || s("a", "Shop").mayTry("x") {
		t.Error("a refusal is not remembered")
	}
	if !s("b", "shop").mayTry("x") || !s("a", "site").mayTry("x") || !s("a", "shop").mayTry("y") {
		t.Error("a refusal holds for too much")
	}
	now = now.Add(refusalHolds)
	if !s("a", "shop").mayTry("x") {
		t.Error("a refusal holds for too long")
	}
	if s("c", "shop").denied("x", refusal); len(f.refusals.until) != 1 {
		t.Errorf("%d refusals are kept", len(f.refusals.until))
	}
}

// TestRemarksRefused: a snapshot does not need the annotations of a check.
func TestRemarksRefused(t *testing.T) {
	b, n := opened(t)
	b.server.SetCheck(repo, forgetest.Check{Name: "lint", Head: commit("work 1"), Conclusion: "failure", Title: "bad",
		Annotations: []forgetest.Annotation{{Path: "a", Line: 1, Level: "failure", Message: "m"}}})
	b.server.Inject(forgetest.Fault{Status: 403, Text: "Resource not accessible by personal access token"}.On("GET", "/annotations"))
	if i := b.look(n, "").Items[0]; i.Text != "failure: bad" {
		t.Errorf("got %+v", i)
	}
}

// TestHintNamesThePermission has steps refused for lack of a permission.
func TestHintNamesThePermission(t *testing.T) {
	for path, want := range map[string]string{
		"/branches/main": `"Contents: read"`, "/reviews": `"Pull requests: read"`, "/issues/1/comments": `"Issues: read"`,
	} {
		b, n := opened(t)
		b.server.Inject(forgetest.Fault{Status: 403, Text: "Resource not accessible by personal access token"}.On("GET", path))
		_, err := b.forge.Snapshot(t.Context(), shop(), n, "")
		mustBe(t, err, fault.Denied, "Resource not accessible", want)
	}
	b, n := opened(t)
	b.server.Inject(forgetest.Fault{Status: 403, Text: "Resource not accessible by personal access token"}.On("POST", "/comments"))
	mustBe(t, b.forge.Comment(t.Context(), shop(), n, "k", "text"), fault.Denied, "", `"Issues: write"`)
}

var stepForm = regexp.MustCompile(`(?:repeat|again|write|get\[[^(]*\]|changed|remembered)\((?:[a-zA-Z.]+, )+"([a-z][^"]+)"`)

// TestEveryStepHasItsPermission reads the source of the package: a step that the table lacks would get a useless hint.
func TestEveryStepHasItsPermission(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, k := range steps {
		found[k] = true
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range stepForm.FindAllStringSubmatch(string(text), -1) {
			found[m[1]] = true
		}
	}
	for step := range found {
		if _, ok := needed[step]; !ok {
			t.Errorf("%q is not in the table", step)
		}
	}
	for step := range needed {
		if !found[step] {
			t.Errorf("there is no step %q", step)
		}
	}
}
