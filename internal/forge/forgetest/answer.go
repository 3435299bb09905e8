package forgetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

type answer struct {
	status int
	header http.Header
	body   any
	html   bool
	diff   string // in place of body
}

func refuse(status int, message string) answer {
	return answer{status: status, body: map[string]any{"message": message, "documentation_url": "https://docs.github.com/rest"}}
}

// fail gives a fault in place of an answer.
func (g *GitHub) fail(w http.ResponseWriter, r *http.Request, f Fault, index int) {
	switch {
	case f.Drop:
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			g.t.Errorf("drop connection: %v", err)
			return
		}
		conn.Close()
		return
	case f.Hang:
		if f.Die != nil {
			f.Die()
		}
		g.hang(r)
		return
	}
	a := refuse(f.Status, f.Text)
	if f.Graph != "" {
		a = graphError(strings.TrimPrefix(f.Graph, "-"), f.Text)
	}
	if f.DocURL != "" {
		a.body.(map[string]any)["documentation_url"] = f.DocURL
	}
	a.header, a.html = f.Header.Clone(), f.HTML || f.Status >= 500
	if f.Reset > 0 {
		g.set(func() { g.allowance, g.reset = 0, g.now().Add(f.Reset) })
	}
	g.send(w, a, index)
}

func (g *GitHub) send(w http.ResponseWriter, a answer, index int) {
	g.mu.Lock()
	g.calls[index].Status = a.status
	h := w.Header()
	h.Set("Date", g.now().UTC().Format(http.TimeFormat))
	h.Set("X-RateLimit-Limit", "5000")
	h.Set("X-RateLimit-Remaining", strconv.Itoa(g.allowance))
	reset := g.reset
	if reset.IsZero() {
		reset = g.now().Add(time.Hour)
	}
	h.Set("X-RateLimit-Reset", strconv.FormatInt(reset.Unix(), 10))
	g.mu.Unlock()
	for k, v := range a.header {
		h[k] = v
	}
	if a.status == http.StatusNotModified || a.status == http.StatusFound {
		w.WriteHeader(a.status)
		return
	}
	if a.html {
		h.Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(a.status)
		fmt.Fprint(w, "<!DOCTYPE html><title>Unicorn!</title>")
		return
	}
	if a.diff != "" {
		h.Set("Content-Type", diffMedia+"; charset=utf-8")
		w.WriteHeader(a.status)
		fmt.Fprint(w, a.diff)
		return
	}
	var buf bytes.Buffer
	if err := json.NewEncoder(&buf).Encode(a.body); err != nil {
		g.t.Errorf("write answer: %v", err)
	}
	h.Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(a.status)
	_, _ = w.Write(buf.Bytes()) // the caller may be gone
}
