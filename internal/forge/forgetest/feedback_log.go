package forgetest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"
)

// signature is what the address of a log holds in place of a token.
const signature = "5f0c"

// jobLog sends the caller to another host, which must not see the token.
func (g *GitHub) jobLog(repo *Repository, id string) answer {
	for _, c := range repo.feedback().checks {
		if strconv.FormatInt(c.ID, 10) != id || !c.Job || c.Log == "" {
			continue
		}
		if g.people.logs == nil {
			g.people.logs = httptest.NewServer(http.HandlerFunc(g.serveLog))
			g.t.Cleanup(g.people.logs.Close)
		}
		to := fmt.Sprintf("%s/signed/%s/%s?sig=%s", g.people.logs.URL, repo.Name, id, signature)
		return answer{status: http.StatusFound, header: http.Header{"Location": {to}}}
	}
	return refuse(http.StatusNotFound, "Not Found")
}

// serveLog is the host of the logs. It knows the range of a request, and takes faults as the server itself does.
func (g *GitHub) serveLog(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	index := len(g.calls)
	g.calls = append(g.calls, Call{Method: r.Method, Path: r.URL.Path, Status: http.StatusOK})
	g.mu.Unlock()
	if r.Header.Get("Authorization") != "" || r.URL.Query().Get("sig") != signature {
		g.t.Errorf("the host of the logs sees Authorization %q and the query %q", r.Header.Get("Authorization"), r.URL.RawQuery)
	}
	if f := g.next(r.Method, r.URL.Path); f != nil {
		g.fail(w, r, *f, index)
		return
	}
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/signed/"), "/")
	id, _ := strconv.ParseInt(parts[len(parts)-1], 10, 64)
	g.mu.Lock()
	text := ""
	for _, c := range g.feedbackOn(strings.Join(parts[:len(parts)-1], "/")).checks {
		if c.ID == id {
			text = c.Log
		}
	}
	g.mu.Unlock()
	http.ServeContent(w, r, "log.txt", time.Time{}, strings.NewReader(text))
}
