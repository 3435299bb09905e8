package github

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// watch polls one repository, as its caller does.
type watch struct {
	*bench
	cursor string
}

func newWatch(t *testing.T) *watch { return &watch{bench: newBench(t)} }

// poll returns the events of one poll in short: kind, number, actor, text.
func (w *watch) poll() []string {
	w.t.Helper()
	events, next, err := w.forge.Since(w.t.Context(), shop(), "longshift", w.cursor)
	if err != nil {
		w.t.Fatalf("Since: %v", err)
	}
	if len(next) > maxCursor {
		w.t.Errorf("the cursor has %d bytes", len(next))
	}
	w.cursor = next
	var all []string
	last := time.Time{}
	for _, e := range events {
		if e.At.Before(last) || !eventIDForm.MatchString(e.ID) || e.Owner != "acme" || e.Name != "shop" || e.Host != w.forge.host {
			w.t.Errorf("out of order or incomplete: %+v", e)
		}
		last = e.At
		text := fmt.Sprintf("%s %d %s", e.Kind, e.Number, e.Actor)
		if e.Bot {
			text += " (bot)"
		}
		if e.Pull {
			text += " (pull)"
		}
		if e.Kind == forge.Commanded {
			text += ": " + e.Text
		}
		all = append(all, text)
	}
	return all
}

func (w *watch) expect(want ...string) {
	w.t.Helper()
	if got := w.poll(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		w.t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// settle advances the clock so far that no event is returned twice.
func (w *watch) settle() {
	w.t.Helper()
	w.clock.advance(2 * overlap)
	w.poll()
}

// TestSinceBegins: the first poll returns the waiting work, and no commands.
func TestSinceBegins(t *testing.T) {
	w := newWatch(t)
	labelled := w.server.AddIssue(repoName, forgetest.Issue{Title: "1", Author: "alice", Labels: []string{"bug", "longshift"}})
	w.clock.advance(time.Hour)
	both := w.server.AddIssue(repoName, forgetest.Issue{Title: "2", Author: "carol", Labels: []string{"longshift"}, Assignees: []string{"longshift-bot"}})
	w.clock.advance(time.Hour)
	closed := w.server.AddIssue(repoName, forgetest.Issue{Title: "3", Author: "alice", Labels: []string{"longshift"}})
	w.server.CloseIssue(repoName, closed)
	assigned := w.server.AddIssue(repoName, forgetest.Issue{Title: "4", Author: "dave", Assignees: []string{"longshift-bot"}})
	w.server.AddIssue(repoName, forgetest.Issue{Title: "5", Author: "dave", Assignees: []string{"dave"}})
	w.server.CommentOn(repoName, labelled, "alice", "/longshift retry")
	w.clock.advance(time.Second)
	w.expect(
		fmt.Sprintf("issue_wanted %d alice", labelled),
		fmt.Sprintf("issue_wanted %d carol", both),
		fmt.Sprintf("issue_wanted %d dave", assigned),
	)
	w.expect(fmt.Sprintf("issue_wanted %d dave", assigned)) // within the minute
	w.expect()
}

// TestSinceWaited: work that has waited for the first poll is as new as that poll, whenever it was labelled; also for the first one with another
// label or account. The ID stays that of the label.
func TestSinceWaited(t *testing.T) {
	w := newWatch(t)
	w.server.AddIssue(repoName, forgetest.Issue{Title: "1", Author: "alice", Labels: []string{"longshift"}})
	w.clock.advance(time.Hour)
	w.server.AddIssue(repoName, forgetest.Issue{Title: "2", Author: "alice", Labels: []string{"robots"}})
	w.server.AddIssue(repoName, forgetest.Issue{Title: "3", Author: "alice", Assignees: []string{"robot-two"}})
	w.server.AddIssue(repoName, forgetest.Issue{Title: "4", Author: "alice", Labels: []string{"longshift"}})
	w.clock.advance(48 * time.Hour)
	for _, c := range []struct {
		label, account string
		numbers        []int // oldest first
		labelled       time.Duration
	}{
		{"longshift", "longshift-bot", []int{1001, 1004}, 0},
		{"robots", "longshift-bot", []int{1002}, time.Hour},
		{"robots", "robot-two", []int{1003}, time.Hour},
	} {
		w.server.SetUser(c.account)
		events, next, err := w.forge.Since(t.Context(), shop(), c.label, w.cursor)
		if err != nil || len(events) != len(c.numbers) {
			t.Fatalf("%s, %s: %v, %+v", c.label, c.account, err, events)
		}
		w.cursor = next
		for i, e := range events {
			if e.Number != c.numbers[i] || !e.At.Equal(w.clock.now()) {
				t.Errorf("%s, %s: issue %d at %s, want %d at %s", c.label, c.account, e.Number, e.At, c.numbers[i], w.clock.now())
			}
		}
		if at := fmt.Sprint(begin.Add(c.labelled).Unix()); !strings.HasSuffix(events[0].ID, at) {
			t.Errorf("%s, %s: id %s, want the time of the label, %s", c.label, c.account, events[0].ID, at)
		}
	}
	w.clock.advance(time.Hour)
	w.server.Label(repoName, 1001, "alice", "robots")
	labelled := w.clock.now()
	w.clock.advance(time.Minute)
	if events, _, err := w.forge.Since(t.Context(), shop(), "robots", w.cursor); err != nil || len(events) != 1 || !events[0].At.Equal(labelled) {
		t.Errorf("labelled at %s, after the first poll: %v, %+v", labelled, err, events)
	}
}

// TestSinceWaitedTooLong: what was labelled more than three days before the first poll has its own time, and so comes late.
func TestSinceWaitedTooLong(t *testing.T) {
	w := newWatch(t)
	labelled := w.clock.now()
	w.server.AddIssue(repoName, forgetest.Issue{Title: "1", Author: "alice", Labels: []string{"longshift"}})
	w.clock.advance(73 * time.Hour)
	if events, _, err := w.forge.Since(t.Context(), shop(), "longshift", ""); err != nil || len(events) != 1 || !events[0].At.Equal(labelled) {
		t.Errorf("%v, %+v, want the time %s", err, events, labelled)
	}
}

// TestSinceQuiet: a repository where nothing happens costs nothing.
func TestSinceQuiet(t *testing.T) {
	w := newWatch(t)
	n := w.server.AddIssue(repoName, forgetest.Issue{Title: "1", Author: "alice", Labels: []string{"longshift"}})
	w.poll()
	w.settle()
	w.settle()
	for round := range 3 {
		before := len(w.server.Calls())
		w.clock.advance(time.Minute)
		w.expect()
		calls := w.server.Calls()[before:]
		if len(calls) != 4 {
			t.Errorf("round %d: %d calls, want 4: %+v", round, len(calls), calls)
		}
		for _, c := range calls {
			if c.Status != http.StatusNotModified {
				t.Errorf("round %d: %s %s was answered with %d", round, c.Method, c.Path, c.Status)
			}
		}
	}
	w.server.CommentOn(repoName, n, "bob", "/longshift status")
	w.expect(fmt.Sprintf("commanded %d bob: status", n))
}

// TestSinceIssue: an issue is returned when it gets the label or is assigned, and not when it is commented on or edited.
func TestSinceIssue(t *testing.T) {
	w := newWatch(t)
	n := w.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
	w.poll()
	w.settle()
	w.server.Label(repoName, n, "alice", "longshift")
	w.expect(fmt.Sprintf("issue_wanted %d alice", n))
	w.settle()
	for range 3 {
		w.clock.advance(time.Minute)
		w.server.EditIssue(repoName, n, func(i *forgetest.Issue) { i.Body = "More." + i.Body })
		w.server.CommentOn(repoName, n, "bob", "Interesting.")
		w.expect()
	}
	w.server.Unlabel(repoName, n, "alice", "longshift")
	w.expect()
	w.settle()
	w.server.Assign(repoName, n, "renovate[bot]", "longshift-bot")
	w.expect(fmt.Sprintf("issue_wanted %d renovate[bot] (bot)", n))
	w.settle()
	w.server.Label(repoName, n, "longshift-bot", "longshift") // by our own account
	w.expect()
}

// TestSinceTalk: commands are returned after they are written, by anybody except our own account.
func TestSinceTalk(t *testing.T) {
	w := newWatch(t)
	n := w.server.AddIssue(repoName, forgetest.Issue{Title: "1"})
	r := w.request()
	p := w.ensure(r)
	old := w.server.CommentOn(repoName, n, "alice", "A word.")
	w.clock.advance(time.Minute)
	w.poll()
	w.clock.advance(time.Minute)
	w.server.CommentOn(repoName, n, "alice", "/longshift retry <!-- hidden -->")
	w.clock.advance(time.Second)
	w.server.CommentOn(repoName, p.Number, "bob", "/longshift stop")
	w.server.CommentOn(repoName, n, "alice", "Nice weather, /longshift")
	w.server.CommentOn(repoName, n, "longshift-bot", "/longshift retry")
	w.clock.advance(time.Second)
	w.server.CommentOn(repoName, n, "renovate[bot]", "/longshift retry")
	w.server.EditComment(repoName, old, "/longshift delete everything")
	w.expect(
		fmt.Sprintf("commanded %d alice: retry", n),
		fmt.Sprintf("commanded %d bob (pull): stop", p.Number),
		fmt.Sprintf("commanded %d renovate[bot] (bot): retry", n),
	)
}

// TestSinceAgreesWithWebhook: poll and webhook return the same event.
func TestSinceAgreesWithWebhook(t *testing.T) {
	w := newWatch(t)
	n := w.server.AddIssue(repoName, forgetest.Issue{Title: "1", Assignees: []string{"carol"}})
	w.poll()
	w.clock.advance(time.Minute)
	w.server.Label(repoName, n, "alice", "longshift")
	labelledAt := w.clock.now()
	w.clock.advance(time.Minute)
	c := w.server.CommentOn(repoName, n, "alice", "/longshift retry")
	events, _, err := w.forge.Since(t.Context(), shop(), "longshift", w.cursor)
	if err != nil || len(events) != 2 {
		t.Fatalf("%v, %+v", err, events)
	}
	e := newEar(t, nil)
	issue := fields{"number": n, "title": "1", "body": "", "state": "open", "updated_at": labelledAt.Format(time.RFC3339), "user": alice,
		"assignees": []any{forgetest.Person("carol")}}
	e.send(signed("issues", forgetest.Hook(t, "issues-labeled",
		fields{"repository": shopRepo, "sender": alice, "issue": issue, "label": fields{"name": "longshift"}})))
	e.send(signed("issue_comment", forgetest.Hook(t, "issue-comment-created", fields{"repository": shopRepo, "sender": alice, "issue": issue,
		"comment": fields{"id": c, "user": alice, "body": "/longshift retry", "created_at": w.clock.now().Format(time.RFC3339)}})))
	if len(e.events) != 2 {
		t.Fatalf("the webhook gave %+v", e.events)
	}
	if who := events[0].Assignees; len(who) != 1 || who[0] != "carol" {
		t.Errorf("assigned to %q", who)
	}
	for i := range events {
		poll, hook := events[i], e.events[i]
		poll.Host, hook.Host = "", "" // in the poll it is the server of the test
		if !reflect.DeepEqual(poll, hook) {
			t.Errorf("poll    %+v\nwebhook %+v", poll, hook)
		}
	}
}

// TestSinceSkips: an issue that was deleted since it was listed, or has too many events, keeps no other from being heard.
func TestSinceSkips(t *testing.T) {
	for name, bad := range map[string]forgetest.Fault{
		"deleted":          {Status: http.StatusGone, Text: "This issue was deleted"},
		"moved away":       {Status: http.StatusNotFound, Text: "Not Found"},
		"too many to read": {Status: http.StatusUnprocessableEntity, Text: "In order to keep the API fast for everyone, pagination is limited"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWatch(t)
			n := w.server.AddIssue(repoName, forgetest.Issue{Title: "1", Author: "alice", Labels: []string{"longshift"}})
			w.clock.advance(time.Minute)
			next := w.server.AddIssue(repoName, forgetest.Issue{Title: "2", Author: "alice", Labels: []string{"longshift"}})
			w.clock.advance(time.Minute)
			w.server.Inject(bad.On("GET", fmt.Sprintf("/issues/%d/events", n)).Repeated(forgetest.Forever))
			w.expect(fmt.Sprintf("issue_wanted %d alice", next))
			if !strings.Contains(w.log.String(), fmt.Sprintf("issue=%d", n)) {
				t.Errorf("the log says nothing of issue %d: %s", n, w.log)
			}
			w.settle()
			w.server.CommentOn(repoName, n, "alice", "/longshift run")
			w.expect(fmt.Sprintf("commanded %d alice: run", n))
		})
	}
}
