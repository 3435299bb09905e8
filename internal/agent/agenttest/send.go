package agenttest

import (
	"cmp"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/longshift/longshift/task"
)

// say sends the answer, or the fault in its place.
func (s *Server) say(w http.ResponseWriter, r *http.Request, c *Call, a answer, f *Fault) {
	w.Header().Set("Request-Id", "req_scripted")
	w.Header().Set("X-Request-Id", "req_scripted") // OpenAI's
	if f != nil && (f.Times == 0 || c.Try <= f.Times) {
		if s.fail(w, r, c, a, f) {
			return
		}
	}
	if !c.Stream {
		w.Header().Set("Content-Type", "application/json")
		_, err := w.Write(c.api.reply(a).whole())
		s.finish(c, http.StatusOK, err == nil, a.usage)
		return
	}
	s.complete(w, c, c.api.reply(a).events(), a.usage)
}

// complete sends an answer to its end. It is recorded before the last event: clients wait for nothing more, and tests look then.
func (s *Server) complete(w http.ResponseWriter, c *Call, events [][]byte, usage task.Usage) {
	last := max(0, len(events)-1)
	err := stream(w, events[:last])
	s.finish(c, http.StatusOK, err == nil, usage)
	if err == nil {
		_ = stream(w, events[last:])
	}
}

func stream(w http.ResponseWriter, events [][]byte) error {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	for _, e := range events {
		if _, err := w.Write(e); err != nil {
			return err
		}
	}
	return http.NewResponseController(w).Flush()
}

// fail carries out the fault. It returns false if the complete answer still has to be sent.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, c *Call, a answer, f *Fault) bool {
	for k, v := range f.Header {
		w.Header().Set(k, v)
	}
	if f.Status != 0 || f.Fail && !c.Stream {
		s.failStatus(w, c, *f)
		return true
	}
	var all [][]byte
	if c.Stream {
		all = c.api.reply(a).events()
	}
	sent := all[:min(f.After, len(all))]
	if f.Fail {
		_ = stream(w, append(slices.Clone(sent), c.api.reply(a).failure(f, len(sent))))
		s.finish(c, http.StatusOK, false, a.usage)
		return true
	}
	if len(sent) > 0 {
		_ = stream(w, sent)
	}
	if f.Hang {
		select {
		case <-f.Release: // nil blocks for ever
			if len(sent) == 0 {
				return false
			}
			s.complete(w, c, all[len(sent):], a.usage)
			return true
		case <-r.Context().Done():
		case <-s.done:
		}
	}
	status := 0
	if len(sent) > 0 {
		status = http.StatusOK
	}
	s.finish(c, status, false, a.usage)
	panic(http.ErrAbortHandler) // closes the connection without a response
}

func (s *Server) failStatus(w http.ResponseWriter, c *Call, f Fault) {
	f.Status = cmp.Or(f.Status, http.StatusInternalServerError)
	s.finish(c, f.Status, false, task.Usage{})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.Status)
	if strings.HasPrefix(f.Body, "{") {
		_, _ = io.WriteString(w, f.Body)
		return
	}
	_, _ = w.Write(c.api.refusal(&f))
}
