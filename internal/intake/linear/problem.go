package linear

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/httpclient"
)

const (
	unnamedWait = time.Minute // for a rate limit without a time
	longestWait = 2 * time.Hour
)

// problem is the failure of one request.
type problem struct {
	status  int // 0 when there was no response
	message string
	kind    fault.Kind // set if a retry can't help
	hint    string     // for kind Denied
	passing bool       // a retry can help
	limited bool       // rate limit
	wait    time.Duration
}

// complaint is one entry of "errors" in a response.
type complaint struct {
	Message    string `json:"message"`
	Extensions struct {
		Type    string `json:"type"`
		Code    string `json:"code"`
		Message string `json:"userPresentableMessage"`
	} `json:"extensions"`
}

// Error returns Linear's message, shortened.
func (p *problem) Error() string {
	text := excerpt.Line(p.message, 500)
	if p.status == 0 || p.status == http.StatusOK {
		return text
	}
	return strings.TrimSpace(fmt.Sprintf("HTTP %d %s", p.status, text))
}

// scrub removes the token from text by Linear or a library.
func (s *session) scrub(text string) string { return strings.ReplaceAll(text, s.key, "[token]") }

// understand converts a failed response. Linear's first error has a code and a type. A response without errors is not Linear's own, so
// its status decides.
func (s *session) understand(answer *http.Response, errs []complaint) *problem {
	p := &problem{status: answer.StatusCode, message: "the answer is not Linear's"}
	code, kind := "", ""
	if len(errs) > 0 {
		e := errs[0]
		code, kind, p.message = strings.ToUpper(e.Extensions.Code), strings.ToLower(e.Extensions.Type), s.scrub(e.Message)
		if m := s.scrub(e.Extensions.Message); m != "" && !strings.Contains(p.message, m) {
			p.message += ": " + m
		}
	}
	status := p.status
	if len(errs) > 0 && status == http.StatusBadRequest {
		status = http.StatusOK // the status that Linear uses for most of its errors
	}
	switch {
	case code == "RATELIMITED" || kind == "ratelimited" || status == http.StatusTooManyRequests:
		p.passing, p.limited, p.wait = true, true, limitWait(answer.Header, s.date)
	case code == "AUTHENTICATION_ERROR" || kind == "authentication error" || status == http.StatusUnauthorized:
		p.kind, p.hint, p.message = fault.Denied, "it is revoked or wrong: "+tokenHint, "the token is refused: "+p.message
	case code == "FORBIDDEN" || kind == "forbidden" || kind == "feature not accessible" || kind == "usage limit exceeded" ||
		status == http.StatusForbidden:
		p.kind, p.message = fault.Denied, "not allowed: "+p.message
		p.hint = "its account must be able to see and edit the team's issues, and the key to write: " + tokenHint
	case status >= 300 && status < 400:
		p.kind, p.hint, p.message = fault.Denied, "check the base URL and the proxy in between", "the server answers with a redirect"
	case strings.HasPrefix(p.message, "Entity not found"):
		p.kind = fault.NotFound
	case code == "INPUT_ERROR" || kind == "invalid input" || kind == "user error":
		p.kind = fault.Input
	case code == "GRAPHQL_VALIDATION_FAILED" || code == "GRAPHQL_PARSE_FAILED" || code == "BAD_USER_INPUT" || kind == "graphql error":
		p.kind = fault.Internal
	default:
		p.passing = true
		p.wait, _ = httpclient.RetryAfter(answer.Header, s.date)
	}
	return p
}

// limitWait is how long Linear asks to wait: Retry-After if set, otherwise until the exhausted limit is reset.
func limitWait(h http.Header, now time.Time) time.Duration {
	if d, ok := httpclient.RetryAfter(h, now); ok {
		return min(max(d, time.Second), longestWait)
	}
	var wait time.Duration
	for _, of := range []string{"Requests", "Complexity", "Endpoint-Requests"} {
		reset, err := strconv.ParseInt(h.Get("X-Ratelimit-"+of+"-Reset"), 10, 64) // in milliseconds since 1970
		left, _ := strconv.ParseFloat(h.Get("X-Ratelimit-"+of+"-Remaining"), 64)
		if err == nil && left <= 0 {
			wait = max(wait, time.UnixMilli(reset).Sub(now))
		}
	}
	if wait <= 0 {
		return unnamedWait
	}
	return min(max(wait, time.Second), longestWait)
}
