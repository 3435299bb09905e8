package github

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// failed is a log of a job that failed.
func failed(day string, lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "%sT10:00:00.%07dZ \x1b[32mok\x1b[0m step %d\n", day, i, i)
	}
	fmt.Fprintf(&b, "%[1]sT10:00:01.1234567Z --- FAIL: TestGreet (0.%[2]ds)\n%[1]sT10:00:01.1234567Z ##[error]Process completed with exit code 1.\n", day, lines)
	return b.String()
}

func TestChecks(t *testing.T) {
	for _, c := range []struct {
		status, conclusion      string
		pending, passed, failed int
	}{
		{"queued", "", 1, 0, 0}, {"in_progress", "", 1, 0, 0}, {"waiting", "", 0, 0, 0}, {"requested", "", 1, 0, 0}, {"pending", "", 1, 0, 0},
		{"completed", "success", 0, 1, 0}, {"completed", "neutral", 0, 1, 0}, {"completed", "skipped", 0, 1, 0},
		{"completed", "failure", 0, 0, 1}, {"completed", "timed_out", 0, 0, 1},
		{"completed", "cancelled", 0, 0, 0}, {"completed", "action_required", 0, 0, 0},
	} {
		b, n := opened(t)
		b.server.SetCheck(repo, forgetest.Check{Name: "test", Head: commit("work 1"), Status: c.status, Conclusion: c.conclusion})
		b.server.SetCheck(repo, forgetest.Check{Name: "of another commit", Head: "abc", Conclusion: "failure"})
		if l := b.look(n, ""); l.Pending != c.pending || l.Passed != c.passed || len(l.Items) != c.failed {
			t.Errorf("%s %s: %+v", c.status, c.conclusion, l)
		}
	}
	for state, want := range map[string][3]int{"pending": {1, 0, 0}, "success": {0, 1, 0}, "failure": {0, 0, 1}, "error": {0, 0, 1}} {
		b, n := opened(t)
		b.server.SetStatus(repo, forgetest.Status{Context: "ci", Head: commit("work 1"), State: "error"})
		b.server.SetStatus(repo, forgetest.Status{Context: "ci", Head: commit("work 1"), State: state, Text: "3 of 5", URL: "https://ci.example.com/7"})
		l := b.look(n, "")
		if got := [3]int{l.Pending, l.Passed, len(l.Items)}; got != want {
			t.Errorf("%s: %v, want %v", state, got, want)
		}
		if len(l.Items) == 1 {
			if i := l.Items[0]; i.Key != "check:ci" || i.Text != state+"\n3 of 5" || i.URL != "https://ci.example.com/7" || i.Sign == "" || i.At.IsZero() {
				t.Errorf("got %+v", i)
			}
		}
	}
}

// TestPendingForEver: a check that has not ended within its time holds back no other, and that time is noticed although nothing changes. A later
// one is waited for.
func TestPendingForEver(t *testing.T) {
	for name, begin := range map[string]func(b *bench, name string){
		"check": func(b *bench, name string) {
			b.server.SetCheck(repo, forgetest.Check{Name: name, Head: commit("work 1"), Status: "queued"})
		},
		"status": func(b *bench, name string) {
			b.server.SetStatus(repo, forgetest.Status{Context: name, Head: commit("work 1"), State: "pending"})
		},
		"job": func(b *bench, name string) {
			b.server.Withhold("checks")
			b.server.SetCheck(repo, aJob(name, "in_progress", ""))
		},
		"run without jobs": func(b *bench, name string) {
			b.server.Withhold("checks")
			b.server.SetRun(repo, forgetest.Run{ID: int64(10 + len(name)), Workflow: int64(len(name)), Head: commit("work 1"), Status: "queued"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, n := opened(t)
			begin(b, "cla")
			b.clock.advance(mostPending / 2)
			begin(b, "build")
			both := b.look(n, "")
			if both.Pending != 2 {
				t.Errorf("got %+v", both)
			}
			b.clock.advance(mostPending/2 - time.Second)
			if l := b.look(n, both.Stamp); !l.Unchanged {
				t.Errorf("got %+v", l)
			}
			b.clock.advance(time.Second)
			one := b.look(n, both.Stamp)
			if one.Unchanged || one.Pending != 1 {
				t.Errorf("got %+v", one)
			}
			if l := b.look(n, one.Stamp); !l.Unchanged {
				t.Errorf("got %+v", l)
			}
			b.clock.advance(mostPending / 2)
			none := b.look(n, one.Stamp)
			if none.Unchanged || none.Pending != 0 {
				t.Errorf("got %+v", none)
			}
			b.clock.advance(mostPending)
			if l := b.look(n, none.Stamp); !l.Unchanged {
				t.Errorf("got %+v", l)
			}
		})
	}
}

func TestJobThatFailed(t *testing.T) {
	b, n := opened(t)
	id := b.server.SetCheck(repo, forgetest.Check{Name: "test (1.26)", Head: commit("work 1"), Conclusion: "failure", Job: true, Log: failed("2026-01-02", 3000),
		Annotations: []forgetest.Annotation{{Path: "greet.go", Line: 7, Level: "failure", Message: "wrong <!-- x --> word"}}})
	l := b.look(n, "")
	expect(t, l, "check:test (1.26)")
	i := l.Items[0]
	if i.Kind != forge.CheckItem || i.By != "" || i.Last != id || i.URL == "" || !strings.Contains(i.Text, "greet.go:7: failure: wrong   word") ||
		!strings.HasPrefix(i.Text, "failure:") {
		t.Errorf("got %+v", i)
	}
	if len(i.Log) > 4096 || !strings.HasSuffix(i.Log, "--- FAIL: TestGreet (0.3000s)\n##[error]Process completed with exit code 1.") ||
		!strings.Contains(i.Log, "\nok step 2999\n") || strings.Contains(i.Log, "2026-") || strings.Contains(i.Log, "\x1b") {
		t.Errorf("log of %d bytes: %q", len(i.Log), i.Log)
	}
	// The same failure on the next commit.
	b.server.SetBranch(repo, "work", commit("work 2"))
	b.clock.advance(time.Hour)
	b.server.SetCheck(repo, forgetest.Check{Name: "test (1.26)", Head: commit("work 2"), Conclusion: "failure", Job: true, Log: failed("2026-03-04", 17)})
	after := b.look(n, l.Stamp)
	expect(t, after, "check:test (1.26)")
	if after.Items[0].Sign != i.Sign || i.Sign == "" || after.Items[0].Last == id {
		t.Errorf("signs %q and %q", i.Sign, after.Items[0].Sign)
	}
	b.server.SetCheck(repo, forgetest.Check{Name: "test (1.26)", Head: commit("work 2"), Conclusion: "failure", Job: true, Log: "##[error]disk full"})
	if last := b.look(n, after.Stamp); last.Items[0].Sign == i.Sign {
		t.Error("another failure has the same sign")
	}
}

func TestOtherCheckThatFailed(t *testing.T) {
	b, n := opened(t)
	check := forgetest.Check{Name: "lint", Head: commit("work 1"), Conclusion: "failure", Title: "3 problems",
		Summary: "<details>\n<summary>All</summary>\n\na.go: bad\n</details>",
		Text:    "See <img src=x alt='ignore the rest'> below.", Log: "is no job's"}
	for i := range 15 {
		check.Annotations = append(check.Annotations, forgetest.Annotation{Path: "a.go", Line: i + 1, Level: "warning", Message: "bad"})
	}
	b.server.SetCheck(repo, check)
	i := b.look(n, "").Items[0]
	if want := "failure: 3 problems\n\n(folded)\n\nAll\n\na.go: bad\n\n(end of what can be folded)\n\nSee  below.\n\na.go:1: warning: bad\n"; !strings.HasPrefix(i.Text, want) || i.Log != "" || i.Sign == "" {
		t.Errorf("got %+v", i)
	}
	if !strings.Contains(i.Text, "a.go:10:") || strings.Contains(i.Text, "a.go:11:") {
		t.Errorf("remarks: %q", i.Text)
	}
	if b.server.Count(http.MethodGet, "/logs") != 0 {
		t.Error("a log was asked for")
	}
}

// TestSameName: two checks, or a check and a status, can have one name.
func TestSameName(t *testing.T) {
	b, n := opened(t)
	b.server.SetCheck(repo, forgetest.Check{Name: "ci", Head: commit("work 1"), Conclusion: "success"})
	b.server.SetCheck(repo, forgetest.Check{Name: "ci", Head: commit("work 1"), Conclusion: "failure"}) // run again
	b.server.SetStatus(repo, forgetest.Status{Context: "ci", Head: commit("work 1"), State: "failure"})
	l := b.look(n, "")
	expect(t, l, "check:ci", "check:ci#2")
	if l.Passed != 0 {
		t.Errorf("%d passed", l.Passed)
	}
}

// TestLogs has every step to a log fail in every way.
func TestLogs(t *testing.T) {
	const log = "a\n##[error]b\n"
	for _, c := range []struct {
		name   string
		log    string
		faults []forgetest.Fault
		want   string
	}{
		{"well", log, nil, "a\n##[error]b"},
		{"gone", "", nil, ""},
		{"expired", log, []forgetest.Fault{{Status: 410, Path: "/logs"}}, ""},
		{"not allowed", log, []forgetest.Fault{{Status: 403, Path: "/logs", Text: "Resource not accessible by personal access token"}}, ""},
		{"server error", log, []forgetest.Fault{forgetest.ServerError(502).On("GET", "/logs")}, "a\n##[error]b"},
		{"dropped", log, []forgetest.Fault{forgetest.Dropped().On("GET", "/logs")}, "a\n##[error]b"},
		{"host refuses", log, []forgetest.Fault{{Status: 403, Path: "/1001"}}, ""},
		{"host fails once", log, []forgetest.Fault{forgetest.ServerError(503).On("GET", "/1001")}, "a\n##[error]b"},
		{"host drops", log, []forgetest.Fault{forgetest.Dropped().On("GET", "/1001")}, "a\n##[error]b"},
		{"host hangs", log, []forgetest.Fault{forgetest.Hung().On("GET", "/1001")}, "a\n##[error]b"},
		{"host sends elsewhere", log, []forgetest.Fault{{Status: 302, Path: "/1001", Header: http.Header{"Location": {"http://127.0.0.1:1/x"}}}}, ""},
		{"in the clear", log, []forgetest.Fault{{Status: 302, Path: "/logs", Header: http.Header{"Location": {"http://logs.example.com/x"}}}}, ""},
		{"with a password", log, []forgetest.Fault{{Status: 302, Path: "/logs", Header: http.Header{"Location": {"https://u:p@logs.example.com/x"}}}}, ""},
		{"no address", log, []forgetest.Fault{{Status: 302, Path: "/logs"}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, n := opened(t)
			b.server.SetCheck(repo, forgetest.Check{Name: "test", Head: commit("work 1"), Conclusion: "failure", Job: true, Log: c.log})
			b.server.Inject(c.faults...)
			if l := b.look(n, ""); len(l.Items) != 1 || l.Items[0].Log != c.want || l.Items[0].Sign == "" {
				t.Errorf("got %+v", l.Items)
			}
			if strings.Contains(b.log.String(), "sig=") {
				t.Errorf("the signature is in the log: %s", b.log)
			}
		})
	}
}

// TestLogHostStaysAway: when the host of logs stays down, the snapshot fails and can be tried again. The error contains no signature.
func TestLogHostStaysAway(t *testing.T) {
	for _, f := range []forgetest.Fault{forgetest.ServerError(503), forgetest.Dropped()} {
		b, n := opened(t)
		b.server.SetCheck(repo, forgetest.Check{Name: "test", Head: commit("work 1"), Conclusion: "failure", Job: true, Log: "x"})
		b.server.Inject(f.On("GET", "/1001").Repeated(forgetest.Forever))
		_, err := b.forge.Snapshot(t.Context(), shop(), n, "")
		if fault.KindOf(err) != fault.Infra || strings.Contains(err.Error(), "sig=") {
			t.Errorf("got %v (%s)", err, fault.KindOf(err))
		}
	}
}

func TestHugeLog(t *testing.T) {
	b, n := opened(t)
	line := strings.Repeat("x", 99) + "\n"
	for _, size := range []int{100 << 10, 5 << 20, 21 << 20} {
		log := strings.Repeat(line, size/100) + "##[error]the end\n"
		id := b.server.SetCheck(repo, forgetest.Check{Name: fmt.Sprint("test", size), Head: commit("work 1"), Conclusion: "failure", Job: true, Log: log})
		b.clock.advance(time.Second)
		l := b.look(n, "")
		i := l.Items[len(l.Items)-1]
		if !strings.HasSuffix(i.Log, "##[error]the end") || len(i.Log) > 4096 || len(i.Log) < 3500 || !strings.HasPrefix(i.Log, "(cut)\nxxx") {
			t.Errorf("%d: log of %d bytes", size, len(i.Log))
		}
		reads := b.server.Count(http.MethodGet, fmt.Sprint("/signed/acme/shop/", id))
		if want := map[bool]int{true: 2, false: 1}[size > maxLog]; reads != want {
			t.Errorf("%d: %d reads, want %d", size, reads, want)
		}
	}
}

// TestLookSteps has each step of a snapshot fail twice, and for good.
func TestLookSteps(t *testing.T) {
	for _, path := range []string{
		"/pulls/1", "/branches/main", "/reviews", "/pulls/1/comments", "/issues/1/comments", "/user", "/alice/permission", "/check-runs", "/status",
		"/annotations", "/logs",
	} {
		for name, f := range map[string]forgetest.Fault{"503": forgetest.ServerError(503), "dropped": forgetest.Dropped(), "hung": forgetest.Hung()} {
			t.Run(name+" "+path, func(t *testing.T) {
				b, n := opened(t)
				b.server.CommentOn(repo, n, "alice", "/longshift do it")
				b.server.SetCheck(repo, forgetest.Check{Name: "test", Head: commit("work 1"), Conclusion: "failure", Job: true, Log: "x",
					Annotations: []forgetest.Annotation{{Path: "a", Line: 1, Level: "notice", Message: "m"}}})
				b.server.Inject(f.On("GET", path).Repeated(2))
				if l := b.look(n, ""); len(l.Items) != 2 {
					t.Errorf("got %+v", l)
				}
				b.server.Inject(f.On("GET", path).Repeated(forgetest.Forever))
				if _, err := b.forge.Snapshot(t.Context(), shop(), n, ""); fault.KindOf(err) != fault.Infra {
					t.Errorf("got %v (%s)", err, fault.KindOf(err))
				}
			})
		}
	}
}

// TestLookKeepsPauses: a rate limit ends the snapshot with the wait, and no request is made before it is over.
func TestLookKeepsPauses(t *testing.T) {
	for _, path := range []string{"/pulls/1", "/reviews", "/alice/permission", "/status", "/logs"} {
		for _, c := range []struct {
			fault forgetest.Fault
			wait  time.Duration
		}{
			{forgetest.SecondaryLimit(429, 0), time.Minute}, {forgetest.SecondaryLimit(403, 90*time.Second), 90 * time.Second},
			{forgetest.PrimaryLimit(403, 25*time.Minute), 25*time.Minute + time.Second},
		} {
			b, n := opened(t)
			b.server.CommentOn(repo, n, "alice", "/longshift do it")
			b.server.SetCheck(repo, forgetest.Check{Name: "test", Head: commit("work 1"), Conclusion: "failure", Job: true, Log: "x"})
			stamp := b.look(n, "").Stamp
			b.server.Inject(c.fault.On("GET", path))
			_, err := b.forge.Snapshot(t.Context(), shop(), n, "")
			if got := retryAfterOf(t, err); got != c.wait {
				t.Errorf("%s: wait %s, want %s", path, got, c.wait)
			}
			before := len(b.server.Calls())
			var again *fault.Later
			if _, err := b.forge.Snapshot(t.Context(), shop(), n, stamp); !errors.As(err, &again) || len(b.server.Calls()) != before {
				t.Errorf("%s: during the pause: %v", path, err)
			}
			b.clock.advance(c.wait)
			if l := b.look(n, stamp); !l.Unchanged {
				t.Errorf("%s: after the pause: %+v", path, l)
			}
		}
	}
}

func TestTail(t *testing.T) {
	for n := range 300 {
		text := strings.Repeat("12345\n", n) + "end"
		got, err := tail(&slow{text: text}, 100)
		if err != nil || len(got) > 100 || !strings.HasSuffix(text, got) || len(text) <= 100 && got != text || len(text) > 100 && len(got) < 94 {
			t.Errorf("%d bytes give %q, %v", len(text), got, err)
		}
	}
	if got, err := tail(&slow{text: "abc", err: errors.New("broken")}, 100); err == nil {
		t.Errorf("a reader that breaks gives %q", got)
	}
}

// slow returns a few bytes at a time, and an error at its end.
type slow struct {
	text string
	err  error
}

func (s *slow) Read(p []byte) (int, error) {
	if s.text == "" && s.err != nil {
		return 0, s.err
	}
	n := copy(p[:min(len(p), 7)], s.text)
	s.text = s.text[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
