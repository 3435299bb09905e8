package intaketest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
)

// testHostileText uses text that imitates the marks by which a source finds its own notes.
func testHostileText(t *testing.T, h Harness) {
	key := h.Add(t, "Greet in French", body)
	n := ended(t, h, key, "t1", "It failed --> <!-- x --> <!-- /y --> ``` @everyone\n\n<!--\n- [ ] more\n# End\r\n")
	for range 2 {
		must(t, "Report", h.Reporter.Report(soon(t), h.Query, key, n))
		shown(t, h, key, "It failed")
	}
	must(t, "Report by another", h.Reporter.Report(soon(t), h.Query, key, ended(t, h, key, "t2", "So did I.")))
	shown(t, h, key, "It failed", "So did I.")
}

func testEnded(t *testing.T, h Harness) {
	key := h.Add(t, "Greet in French", body)
	n := ended(t, h, key, "t1", "Never to be seen.")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	hold := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s gives %v, want %v", what, err, context.Canceled)
		}
	}
	hold("List", h.Source.List(ctx, h.Query, func(intake.Item) bool { return true }))
	for _, c := range calls(h) {
		hold(c.name, c.do(ctx, key, n))
	}
	listed(t, h, key)
	shown(t, h, key)
	n.TaskID = "t2"
	must(t, "Claim after calls that did nothing", h.Reporter.Claim(soon(t), h.Query, key, n))
}

// foreign lists keys that would name something else if they were inserted into a path or URL.
var foreign = []string{
	"", ".", "..", "../x", "../../etc/passwd", "a/../b", "/etc/passwd", "a/b", "a\\b", "..\\x", "-x", "--help", "a\x00b", "a\nb", "1/comments",
	"1?x=1", "1#x", "%2e%2e%2f1", "https://example.com/1", strings.Repeat("x", 5000),
}

func testForeignKeys(t *testing.T, h Harness) {
	key := h.Add(t, "Greet in French", body)
	n := ended(t, h, key, "t1", "Never to be seen.")
	for _, f := range foreign {
		for _, c := range calls(h) {
			what := c.name + " " + strings.ToValidUTF8(f[:min(len(f), 40)], "")
			failed(t, h, what, c.do(soon(t), f, n), fault.NotFound, fault.Input)
		}
	}
	listed(t, h, key)
	shown(t, h, key)
}

// failing checks the error of each call after a failure, and that the next call succeeds.
func failing(t *testing.T, h Harness, f Failure, hold func(what string, err error)) {
	key := h.Add(t, "Greet in French", body)
	n := ended(t, h, key, "t1", "It goes on.")
	h.Fail(t, f)
	hold("List", h.Source.List(soon(t), h.Query, func(intake.Item) bool { return true }))
	listed(t, h, key)
	for _, c := range calls(h) {
		h.Fail(t, f)
		hold(c.name, c.do(soon(t), key, n))
		must(t, c.name+" after the failure", c.do(soon(t), key, n))
	}
	shown(t, h, key, "It goes on.")
}

func testServerError(t *testing.T, h Harness) {
	failing(t, h, ServerError, func(what string, err error) { failed(t, h, what, err, fault.Infra) })
}

func testRateLimit(t *testing.T, h Harness) {
	failing(t, h, RateLimit, func(what string, err error) {
		failed(t, h, what, err, fault.Infra)
		var later *fault.Later
		if !errors.As(err, &later) {
			t.Errorf("%s gives %T %v, want a *fault.Later", what, err, err)
		} else if later.After != Wait {
			t.Errorf("%s asks for a wait of %v, want %v", what, later.After, Wait)
		}
	})
}

func testBadToken(t *testing.T, h Harness) {
	failing(t, h, BadToken, func(what string, err error) { failed(t, h, what, err, fault.Denied) })
}
