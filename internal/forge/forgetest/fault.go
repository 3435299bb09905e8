package forgetest

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Fault is what a call meets in place of its answer.
type Fault struct {
	Method string        // "" is any
	Path   string        // end of the path, "" is any
	Times  int           // how many calls meet it; 0 is one
	After  bool          // the call takes effect, only its answer is lost
	Status int           // the answer's status, unless Drop or Hang
	Header http.Header   // more headers of the answer
	Text   string        // message of the answer
	DocURL string        // address of the page that explains the answer
	Graph  string        // type of an error of GraphQL, which comes with status 200; "-" is one without a type
	HTML   bool          // the answer is a page; a 5xx always is, as GitHub's own are
	Drop   bool          // the connection breaks
	Hang   bool          // no answer comes; a client of Client() meets its time limit at once
	Reset  time.Duration // the allowance is used up for so long
	Die    func()        // ends the caller before no answer comes; for Hang
}

// ServerError is a 500, 502, 503 or 504.
func ServerError(status int) Fault { return Fault{Status: status} }

// SecondaryLimit is GitHub's answer to too many calls in a short time. Without a wait the header is left out.
func SecondaryLimit(status int, wait time.Duration) Fault {
	f := Fault{Status: status, Header: http.Header{},
		DocURL: "https://docs.github.com/free-pro-team@latest/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits",
		Text:   "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}
	if wait > 0 {
		f.Header.Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
	}
	return f
}

// PrimaryLimit is GitHub's answer when the hourly allowance is used up.
func PrimaryLimit(status int, reset time.Duration) Fault {
	return Fault{Status: status, Text: "API rate limit exceeded for user ID 1.", Reset: reset}
}

// GraphError is an error of GraphQL, which has a type such as FORBIDDEN, or "-" for none.
func GraphError(kind, text string) Fault { return Fault{Status: 200, Graph: kind, Text: text} }

// Dropped is a connection that breaks.
func Dropped() Fault { return Fault{Drop: true} }

// Hung is a call that gets no answer.
func Hung() Fault { return Fault{Hang: true} }

// Death is the end of the caller, by die, when its call has taken effect: it never sees the answer, however fast that would be.
func Death(die func()) Fault { return Fault{Hang: true, After: true, Die: die} }

// On limits a fault to calls of a method whose path has this end.
func (f Fault) On(method, path string) Fault {
	f.Method, f.Path = method, path
	return f
}

// Late lets the call take effect before the fault.
func (f Fault) Late() Fault {
	f.After = true
	return f
}

// Repeated lets n calls meet the fault.
func (f Fault) Repeated(n int) Fault {
	f.Times = n
	return f
}

// Forever is a number of calls that no test makes; a fault with it need not be used up.
const Forever = 1 << 30

// Inject lets the next calls that fit meet a fault. Faults are used up in the order in which they came.
func (g *GitHub) Inject(faults ...Fault) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, f := range faults {
		f.Times = max(f.Times, 1)
		g.faults = append(g.faults, f)
	}
}

// Heal takes back every fault that no call has met.
func (g *GitHub) Heal() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.faults = nil
}

// next takes the fault for a call, or nil.
func (g *GitHub) next(method, path string) *Fault {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range g.faults {
		f := &g.faults[i]
		if f.Times > 0 && (f.Method == "" || f.Method == method) && strings.HasSuffix(path, f.Path) {
			f.Times--
			taken := *f
			return &taken
		}
	}
	return nil
}
