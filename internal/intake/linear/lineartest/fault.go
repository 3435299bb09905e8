package lineartest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

type Kind string

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

// Fault describes how requests fail.
type Fault struct {
	Kind                Kind
	Operation           string // "" for any
	Skip                int    // successful requests before it
	Times               int    // failing requests; 0 is one
	Reset               time.Time
	Wait                time.Duration // for Busy
	Code, Type, Message string
}

// Fail makes requests fail. Several faults follow each other: the second begins when the first is over.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.Times = max(f.Times, 1)
	s.faults = append(s.faults, &f)
}

// Pending returns the number of faults that have not occurred yet.
func (s *Server) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.faults)
}

// fault returns the next fault if it applies to the operation.
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

// instead responds in place of the server if the fault prevents the request.
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

// after responds once the request has taken effect.
func (f *Fault) after(w http.ResponseWriter, data any, err error) bool {
	switch f.Kind {
	case LostAnswer:
		panic(http.ErrAbortHandler) // closes the connection
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
