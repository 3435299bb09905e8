package forgetest

import (
	"strings"
	"time"
)

// Calls gives what came in so far, redirected calls included.
func (g *GitHub) Calls() []Call {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]Call(nil), g.calls...)
}

// Count says how many calls of a method came in whose path, without query, has this end.
func (g *GitHub) Count(method, path string) int {
	n := 0
	for _, c := range g.Calls() {
		p, _, _ := strings.Cut(c.Path, "?")
		if c.Method == method && strings.HasSuffix(p, path) {
			n++
		}
	}
	return n
}

// Before sets a hook that is called before a call takes effect. The path has no /api/v3 and no query.
func (g *GitHub) Before(hook func(method, path string)) { g.set(func() { g.before = hook }) }

// After sets a hook that is called when a call has taken effect, before its answer goes out.
func (g *GitHub) After(hook func(method, path string)) { g.set(func() { g.after = hook }) }

// SetNow sets the server's clock, for times in answers, the Date header and limits.
func (g *GitHub) SetNow(now func() time.Time) { g.set(func() { g.now = now }) }

// SetUser names the owner of the token: the author of the pull requests to come.
func (g *GitHub) SetUser(login string) { g.set(func() { g.user = login }) }

// SetPageSize bounds how much one page of a list holds; GitHub's own bound is 100.
func (g *GitHub) SetPageSize(n int) { g.set(func() { g.pageSize = n }) }

// UseCursors lets lists link to their next pages by places instead of numbers. GitHub does so, and its description does not say it.
func (g *GitHub) UseCursors() { g.set(func() { g.cursors = true }) }

// SetAllowance lets n more calls through until a reset time; further ones meet GitHub's hourly limit.
func (g *GitHub) SetAllowance(n int, reset time.Time) {
	g.set(func() { g.allowance, g.reset = n, reset })
}

// IgnoreHead lets lists of pull requests ignore the filter by head branch, as GitHub does with one it does not understand.
func (g *GitHub) IgnoreHead() { g.set(func() { g.unsifted = true }) }

func (g *GitHub) set(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f()
}
