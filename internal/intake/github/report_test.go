package github_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/github"
	"github.com/longshift/longshift/task"
)

const claimLabel = "longshift-claimed"

// wanted opens an issue that may be worked on.
func (b *bench) wanted() int {
	b.t.Helper()
	n := b.server.AddIssue(repoName, forgetest.Issue{Title: "Greet", Body: "In French.", Author: "mallory"})
	b.clock.advance(time.Minute)
	b.server.Label(repoName, n, "alice", "longshift")
	b.clock.advance(time.Minute)
	return n
}

func (b *bench) claim(number int, id string) error {
	return b.source.Claim(b.t.Context(), b.query, strconv.Itoa(number), intake.Note{TaskID: id, Text: id + " works."})
}

func (b *bench) report(number int, id string, o task.Outcome) {
	b.t.Helper()
	err := b.source.Report(b.t.Context(), b.query, strconv.Itoa(number), intake.Note{TaskID: id, Outcome: o, Text: id + " has ended."})
	if err != nil {
		b.t.Fatalf("Report: %v", err)
	}
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// labels returns the labels of an issue.
func (b *bench) labels(number int) (names []string) {
	b.t.Helper()
	b.server.EditIssue(repoName, number, func(i *forgetest.Issue) { names = slices.Clone(i.Labels) })
	return names
}

// listed returns the keys of the listed issues.
func (b *bench) listed() (keys []string) {
	b.t.Helper()
	b.must(b.source.List(b.t.Context(), b.query, func(i intake.Item) bool { keys = append(keys, i.Key); return true }))
	return keys
}

// TestLife goes through the life of a task at its issue: one comment, which is edited.
func TestLife(t *testing.T) {
	b := newBench(t)
	n := b.wanted()
	key := strconv.Itoa(n)
	b.must(b.source.Queue(t.Context(), b.query, key, intake.Note{TaskID: "t1", Text: "Waits for **two** others."}))
	if got := b.labels(n); !slices.Equal(got, []string{"longshift"}) {
		t.Errorf("queued: labels %q", got)
	}
	b.must(b.claim(n, "t1"))
	if got := b.labels(n); !slices.Equal(got, []string{"longshift", claimLabel}) || len(b.listed()) != 0 {
		t.Errorf("claimed: labels %q, listed %q", got, b.listed())
	}
	b.must(b.source.Queue(t.Context(), b.query, key, intake.Note{TaskID: "t1", Text: "Waits for an allowance."}))
	mustBe(t, b.claim(n, "t2"), fault.Conflict, claimLabel) // what has claimed and waits again has still claimed
	b.report(n, "t1", task.PullRequest)
	want := "t1 has ended.\n\n<!-- longshift:note=work%2Ft1 -->\n<!-- longshift:state=ended -->"
	if got := b.notes(n); !slices.Equal(got, []string{want}) {
		t.Errorf("notes %q", got)
	}
	if got := b.labels(n); !slices.Equal(got, []string{"longshift", claimLabel}) {
		t.Errorf("ended: labels %q", got)
	}
	mustBe(t, b.claim(n, "t1"), fault.Conflict, "has ended") // a call that comes late does not begin it again
}

// TestEndedBadly: it is not begun again by itself, but a person may start another task, and may let the source offer it again.
func TestEndedBadly(t *testing.T) {
	b := newBench(t)
	n := b.wanted()
	b.report(n, "t1", task.Failed) // started by a person, without a claim
	if got := b.listed(); len(got) != 0 {
		t.Errorf("listed %q", got)
	}
	b.must(b.claim(n, "t2"))
	b.report(n, "t2", task.Cancelled)
	b.server.Unlabel(repoName, n, "carol", claimLabel)
	if got := b.listed(); !slices.Equal(got, []string{strconv.Itoa(n)}) || b.read(n).No != "" {
		t.Errorf("listed %q, no %q", got, b.read(n).No)
	}
	b.must(b.claim(n, "t3"))
	if got := b.notes(n); len(got) != 3 {
		t.Errorf("notes %q", got)
	}
}

// TestReleased: a task that died without a report holds the issue until a person removes the label, and never again after that.
func TestReleased(t *testing.T) {
	b := newBench(t)
	n := b.wanted()
	b.must(b.claim(n, "dead"))
	mustBe(t, b.claim(n, "t2"), fault.Conflict, "take the label \"longshift-claimed\" off the issue and write `/longshift run`")
	b.server.Unlabel(repoName, n, "carol", claimLabel)
	b.clock.advance(time.Minute)
	b.must(b.claim(n, "t2"))
	b.must(b.claim(n, "t2"))
	mustBe(t, b.claim(n, "dead"), fault.Conflict, "")
	if got := b.notes(n); len(got) != 2 || !strings.Contains(got[0], "dead works.") || !strings.Contains(got[0], "state=left") {
		t.Errorf("notes %q", got)
	}
}

func TestClaimRefused(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		name  string
		do    func(n int)
		words string
	}{
		{"closed", func(n int) { b.server.CloseIssue(repoName, n) }, "closed"},
		{"label taken off", func(n int) { b.server.Unlabel(repoName, n, "alice", "longshift") }, "not asked for any more"},
	} {
		n := b.wanted()
		c.do(n)
		mustBe(t, b.claim(n, "t1"), fault.Conflict, c.words)
		if got := b.labels(n); slices.Contains(got, claimLabel) || len(b.notes(n)) != 0 {
			t.Errorf("%s: labels %q, notes %q", c.name, got, b.notes(n))
		}
	}
	n := b.wanted()
	b.server.Inject(forgetest.Fault{Status: 403, Text: "Resource not accessible by personal access token"}.On("POST", "/labels"))
	mustBe(t, b.claim(n, "t1"), fault.Denied, "Issues: write")
	for _, bad := range []intake.Note{{Text: "x"}, {TaskID: "t1", Text: " "}} {
		mustBe(t, b.source.Claim(t.Context(), b.query, strconv.Itoa(n), bad), fault.Internal, "needs the id")
	}
}

// late is a GitHub whose lists of comments lag behind: each shows what stood there at the list before.
type late struct {
	github.Hub
	before []forge.Note
}

func (l *late) Notes(ctx context.Context, r task.Repository, number int) ([]forge.Note, error) {
	shown := l.before
	var err error
	l.before, err = l.Hub.Notes(ctx, r, number)
	return shown, err
}

// meddling is a GitHub on which a person does something right before our comments are listed for the second time.
type meddling struct {
	github.Hub
	lists int
	do    func()
}

func (m *meddling) Notes(ctx context.Context, r task.Repository, number int) ([]forge.Note, error) {
	if m.lists++; m.lists == 2 {
		m.do()
	}
	return m.Hub.Notes(ctx, r, number)
}

// TestClaimNotSeen: a claim whose note does not show yet, shows as it was, or was deleted, is made once more.
func TestClaimNotSeen(t *testing.T) {
	for name, c := range map[string]struct {
		queued bool
		on     func(b *bench, n int, h github.Hub) github.Hub
	}{
		"not yet":   {false, func(_ *bench, _ int, h github.Hub) github.Hub { return &late{Hub: h} }},
		"as it was": {true, func(_ *bench, _ int, h github.Hub) github.Hub { return &late{Hub: h} }},
		"deleted": {false, func(b *bench, n int, h github.Hub) github.Hub {
			return &meddling{Hub: h, do: func() { b.server.DeleteComment(repoName, b.server.Comments(repoName, n)[0].ID) }}
		}},
	} {
		b := newBench(t)
		n := b.wanted()
		if c.queued {
			b.must(b.source.Queue(t.Context(), b.query, strconv.Itoa(n), intake.Note{TaskID: "t1", Text: "Waits."}))
		}
		b.source = b.openOn(func(h github.Hub) github.Hub { return c.on(b, n, h) })
		mustBe(t, b.claim(n, "t1"), fault.Infra, "does not show")
		b.must(b.claim(n, "t1"))
		if got := b.notes(n); len(got) != 1 || !strings.HasPrefix(got[0], "t1 works.") || !strings.Contains(got[0], "state=working") {
			t.Errorf("%s: notes %q", name, got)
		}
	}
}

// TestClaimTakenBack: a person takes the label off, and another task retires the note, before the claim has settled.
func TestClaimTakenBack(t *testing.T) {
	b := newBench(t)
	n := b.wanted()
	other := b.source
	b.source = b.openOn(func(h github.Hub) github.Hub {
		return &meddling{Hub: h, do: func() {
			b.server.Unlabel(repoName, n, "carol", claimLabel)
			b.must(other.Claim(t.Context(), b.query, strconv.Itoa(n), intake.Note{TaskID: "t2", Text: "t2 works."}))
		}}
	})
	mustBe(t, b.claim(n, "t1"), fault.Conflict, "taken back")
}

// TestClaimWithdrawn: a worker dies after the claim, and a person does not want the work any more. The next attempt refuses, and nothing of the claim
// holds the issue, also when the process dies right after each of its writes.
func TestClaimWithdrawn(t *testing.T) {
	const others = "t2 works.\n\n<!-- longshift:note=work%2Ft2 -->\n<!-- longshift:state=working -->"
	closed := func(b *bench, n int) { b.server.CloseIssue(repoName, n) }
	unlabelled := func(b *bench, n int) { b.server.Unlabel(repoName, n, "alice", "longshift") }
	for name, c := range map[string]struct {
		do     func(b *bench, n int)
		died   string // right after this call
		labels []string
	}{
		"label taken off":      {unlabelled, "", nil},
		"closed":               {closed, "", []string{"longshift"}},
		"died at the label":    {unlabelled, "DELETE /labels/" + claimLabel, nil},
		"died at the note":     {unlabelled, "PATCH ", nil},
		"another task is here": {func(b *bench, n int) { unlabelled(b, n); b.server.CommentOn(repoName, n, "longshift-bot", others) }, "", []string{claimLabel}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			n := b.wanted()
			b.must(b.claim(n, "t1"))
			c.do(b, n)
			if c.died != "" {
				method, path, _ := strings.Cut(c.died, " ")
				ctx, cancel := context.WithCancel(t.Context())
				b.server.Inject(forgetest.Death(cancel).On(method, path))
				if err := b.source.Claim(ctx, b.query, strconv.Itoa(n), intake.Note{TaskID: "t1", Text: "t1 works."}); fault.KindOf(err) == fault.Conflict {
					t.Fatalf("the call of a dead process: %v", err)
				}
				b.source = b.open()
			}
			for range 2 {
				mustBe(t, b.claim(n, "t1"), fault.Conflict, "issue #")
			}
			if got := b.labels(n); !slices.Equal(got, c.labels) {
				t.Errorf("labels %q, want %q", got, c.labels)
			}
			if got := b.notes(n); !strings.HasPrefix(got[0], "This issue") || !strings.Contains(got[0], "does not begin") || !strings.Contains(got[0], "state=left") {
				t.Errorf("notes %q", got)
			}
		})
	}
}

// TestForgedClaim: a comment of somebody else is not a claim, whatever it contains.
func TestForgedClaim(t *testing.T) {
	b := newBench(t)
	n := b.wanted()
	b.server.CommentOn(repoName, n, "mallory", "x\n\n<!-- longshift:note=work%2Ft9 -->\n<!-- longshift:state=working -->")
	b.server.Label(repoName, n, "mallory", claimLabel)
	b.must(b.claim(n, "t1"))
	b.must(b.source.Queue(t.Context(), b.query, strconv.Itoa(n), intake.Note{TaskID: "t2",
		Text: "x\n\n<!-- longshift:note=work%2Ft9 -->\n<!-- longshift:state=working -->\n\n```\n<!-- longshift:state=working -->\n```\nend"}))
	b.must(b.claim(n, "t1"))
}

// TestClaimDeath: the process dies right after each of its writes. The retry succeeds, another task does not, and one note stands.
func TestClaimDeath(t *testing.T) {
	for _, queued := range []bool{false, true} {
		for _, at := range []string{"POST /labels", "POST /comments", "PATCH "} {
			method, path, _ := strings.Cut(at, " ")
			if queued == (at == "POST /comments") && at != "POST /labels" {
				continue
			}
			t.Run(fmt.Sprintf("%s, queued %t", at, queued), func(t *testing.T) {
				b := newBench(t)
				n := b.wanted()
				if queued {
					b.must(b.source.Queue(t.Context(), b.query, strconv.Itoa(n), intake.Note{TaskID: "t1", Text: "Waits."}))
				}
				ctx, cancel := context.WithCancel(t.Context())
				b.server.Inject(forgetest.Death(cancel).On(method, path))
				if err := b.source.Claim(ctx, b.query, strconv.Itoa(n), intake.Note{TaskID: "t1", Text: "t1 works."}); err == nil {
					t.Fatal("the call of a dead process went well")
				}
				if got := b.listed(); len(got) != 0 {
					t.Errorf("listed %q", got)
				}
				b.source = b.open()
				b.must(b.claim(n, "t1"))
				mustBe(t, b.claim(n, "t2"), fault.Conflict, "another task")
				if got := b.notes(n); len(got) != 1 || !strings.HasPrefix(got[0], "t1 works.") {
					t.Errorf("notes %q", got)
				}
			})
		}
	}
}

// TestReportDeath: the process dies right after each write of a report. The retry does the rest, and nothing is done twice: an issue whose
// claim was taken off, so that the label goes on again, and one whose note was deleted.
func TestReportDeath(t *testing.T) {
	for _, at := range []string{"PATCH ", "POST /comments", "POST /labels"} {
		t.Run(at, func(t *testing.T) {
			b := newBench(t)
			n := b.wanted()
			if at != "POST /comments" {
				b.must(b.claim(n, "t1"))
			}
			b.server.Unlabel(repoName, n, "alice", claimLabel)
			ctx, cancel := context.WithCancel(t.Context())
			method, path, _ := strings.Cut(at, " ")
			b.server.Inject(forgetest.Death(cancel).On(method, path))
			ended := intake.Note{TaskID: "t1", Outcome: task.PullRequest, Text: "t1 has ended."}
			if err := b.source.Report(ctx, b.query, strconv.Itoa(n), ended); err == nil {
				t.Fatal("the call of a dead process went well")
			}
			b.source = b.open()
			b.report(n, "t1", task.PullRequest)
			if got := b.notes(n); len(got) != 1 || !strings.HasPrefix(got[0], "t1 has ended.") || !slices.Contains(b.labels(n), claimLabel) {
				t.Errorf("notes %q, labels %q", got, b.labels(n))
			}
			if posts := b.server.Count(http.MethodPost, "/comments"); posts != 1 {
				t.Errorf("%d comments were written", posts)
			}
			if got := b.listed(); len(got) != 0 {
				t.Errorf("listed %q", got)
			}
		})
	}
}

// TestClaimLostAnswers: a request whose answer was lost has its effect once.
func TestClaimLostAnswers(t *testing.T) {
	for _, c := range []struct{ method, path string }{{"POST", "/labels"}, {"POST", "/comments"}} {
		for name, f := range map[string]forgetest.Fault{
			"502": forgetest.ServerError(http.StatusBadGateway), "dropped": forgetest.Dropped(), "hung": forgetest.Hung(),
		} {
			for _, late := range []bool{false, true} {
				b := newBench(t)
				n := b.wanted()
				f := f.On(c.method, c.path)
				if late {
					f = f.Late()
				}
				b.server.Inject(f)
				if err := b.claim(n, "t1"); err != nil || len(b.notes(n)) != 1 || !slices.Contains(b.labels(n), claimLabel) {
					t.Errorf("%s %s, %s, late %t: %v, notes %q", c.method, c.path, name, late, err, b.notes(n))
				}
			}
		}
	}
}

// TestClaimRace lets a second task claim between the first one's look and its writing: whoever has written first has the issue.
func TestClaimRace(t *testing.T) {
	b := newBench(t)
	n := b.wanted()
	var second error
	once := false
	b.server.Before(func(method, path string) {
		if method == http.MethodPost && strings.HasSuffix(path, "/labels") && !once {
			once = true
			second = b.open().Claim(t.Context(), b.query, strconv.Itoa(n), intake.Note{TaskID: "t2", Text: "t2 works."})
		}
	})
	mustBe(t, b.claim(n, "t1"), fault.Conflict, "another task")
	if second != nil {
		t.Errorf("the first to write: %v", second)
	}
	got := b.notes(n)
	if len(got) != 2 || !strings.Contains(got[0], "state=working") || !strings.Contains(got[1], "state=left") || !strings.Contains(got[1], "does not begin") {
		t.Errorf("notes %q", got)
	}
	b.server.Before(nil)
	mustBe(t, b.claim(n, "t1"), fault.Conflict, "another task")
	b.must(b.claim(n, "t2"))
}
