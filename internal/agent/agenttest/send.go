package agenttest

import (
	"cmp"
	"io"
	"net/http"
	"strings"

	"github.com/longshift/longshift/task"
)

// say sends the answer, or the fault in its place.
func (s *Server) say(w http.ResponseWriter, r *http.Request, c *Call, a answer, f *Fault) {
	w.Header().Set("Request-Id", "req_scripted")
	if f != nil && (f.Times == 0 || c.Try <= f.Times) {
		if s.fail(w, r, c, a, f) {
			return
		}
	}
	if !c.Stream {
		w.Header().Set("Content-Type", "application/json")
		_, err := w.Write(a.whole())
		s.finish(c, http.StatusOK, err == nil, a.usage)
		return
	}
	err := stream(w, a.events())
	s.finish(c, http.StatusOK, err == nil, a.usage)
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
	if f.Status != 0 {
		s.failStatus(w, c, f)
		return true
	}
	sent := a.events()
	if !c.Stream {
		sent = nil
	}
	sent = sent[:min(f.After, len(sent))]
	if len(sent) > 0 {
		_ = stream(w, sent)
	}
	if f.Hang {
		select {
		case <-f.Release: // nil blocks for ever
			if len(sent) == 0 {
				return false
			}
			err := stream(w, a.events()[len(sent):])
			s.finish(c, http.StatusOK, err == nil, a.usage)
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

func (s *Server) failStatus(w http.ResponseWriter, c *Call, f *Fault) {
	s.finish(c, f.Status, false, task.Usage{})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.Status)
	if strings.HasPrefix(f.Body, "{") {
		_, _ = io.WriteString(w, f.Body)
		return
	}
	kind := cmp.Or(f.Type, errorType(f.Status))
	writeError(w, kind, f.Body)
}
