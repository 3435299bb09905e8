package lineartest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Kind is what goes wrong with a request.
type Kind string

// The kinds.
const (
	Broken     Kind = "HTTP 500"
	Busy       Kind = "HTTP 503 with Retry-After"
	TooMany    Kind = "HTTP 429"
	RateLimit  Kind = "HTTP 400 with RATELIMITED"
	Hang       Kind = "no answer"
	Truncated  Kind = "half an answer"
	Page       Kind = "a web page"
	Empty      Kind = "an answer without data"
	Complaint  Kind = "a GraphQL error"       // Code, Type, Message
	LostAnswer Kind = "the answer is lost"    // after the request took effect
	Unsure     Kind = "HTTP 502 after effect" // the same, from a proxy
	Revoked    Kind = "HTTP 401"
	Redirect   Kind = "HTTP 302"
)

// Fault is something that goes wrong.
type Fault struct {
	Kind                Kind
	Operation           string // "" for any
	Skip                int    // how many requests go well before
	Times               int    // how many go wrong; 0 is one
	Reset               time.Time
	Wait                time.Duration // Busy
	Code, Type, Message string
}

// Fail lets requests go wrong. Several faults come one after the other: the second begins when the first is over.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.Times = max(f.Times, 1)
	s.faults = append(s.faults, &f)
}

// Pending tells how many faults have not come yet.
func (s *Server) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.faults)
}

// fault takes the next fault, when it is one for the operation.
func (s *Server) fault(operation string) *Fault {
	if len(s.faults) == 0 {
		return nil
	}
	f := s.faults[0]
	if f.Operation != "" && f.Operation != operation {
		return nil
	}
	if f.Skip > 0 {
		f.Skip--
		return nil
	}
	if f.Times--; f.Times == 0 {
		s.faults = s.faults[1:]
	}
	return f
}

// instead answers in place of the server, when the fault has no effect on the workspace.
func (f *Fault) instead(w http.ResponseWriter, r *http.Request) bool {
	switch f.Kind {
	case Broken:
		refuse(w, http.StatusInternalServerError, "INTERNAL_SERVER_ERROR", "internal error", "Internal server error")
	case Busy:
		w.Header().Set("Retry-After", strconv.Itoa(int(f.Wait/time.Second)))
		http.Error(w, "upstream connect error", http.StatusServiceUnavailable)
	case TooMany, RateLimit:
		for _, of := range []string{"Requests", "Complexity"} {
			w.Header().Set("X-RateLimit-"+of+"-Limit", "5000")
			w.Header().Set("X-RateLimit-"+of+"-Remaining", "4000")
			w.Header().Set("X-RateLimit-"+of+"-Reset", strconv.FormatInt(f.Reset.Add(time.Hour).UnixMilli(), 10))
		}
		w.Header().Set("X-Complexity", "12")
		w.Header().Set("X-RateLimit-Requests-Remaining", "0")
		w.Header().Del("X-RateLimit-Requests-Reset")
		if !f.Reset.IsZero() {
			w.Header().Set("X-RateLimit-Requests-Reset", strconv.FormatInt(f.Reset.UnixMilli(), 10))
		}
		status := http.StatusBadRequest
		if f.Kind == TooMany {
			status = http.StatusTooManyRequests
		}
		refuse(w, status, "RATELIMITED", "ratelimited", "Rate limit exceeded")
	case Hang:
		<-r.Context().Done()
	case Page:
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>Maintenance</title>"))
	case Empty:
		answer(w, http.StatusOK, map[string]any{"data": nil})
	case Complaint:
		refuse(w, http.StatusOK, f.Code, f.Type, f.Message)
	case Revoked:
		refuse(w, http.StatusUnauthorized, "AUTHENTICATION_ERROR", "authentication error",
			"Authentication required, not authenticated: "+r.Header.Get("Authorization"))
	case Redirect:
		http.Redirect(w, r, "https://example.com/graphql", http.StatusFound)
	default:
		return false
	}
	return true
}

// after answers when the request has taken effect.
func (f *Fault) after(w http.ResponseWriter, data any, err error) bool {
	switch f.Kind {
	case LostAnswer:
		panic(http.ErrAbortHandler) // cuts the connection
	case Unsure:
		http.Error(w, "bad gateway", http.StatusBadGateway)
	case Truncated:
		text, _ := json.Marshal(map[string]any{"data": data})
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text[:len(text)/2])
	default:
		return false
	}
	return true
}
