package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/httpclient"
)

// problem is the failure of one request. It holds no type of the library, because those hold the request and with it the token.
type problem struct {
	status  int // 0 when there was no answer
	message string
	details []detail // of a 422
	needs   string   // permission that the call needs, as GitHub names it
	passing bool     // trying again may help
	limited bool     // GitHub asks for a pause
	graph   bool     // the limit of GraphQL is used up, which REST calls don't share
	wait    time.Duration
	gone    string // head branch that GitHub does not find
}

// detail is one entry of the errors of a 422.
type detail struct{ field, code, message string }

// Error returns GitHub's own message, shortened.
func (p *problem) Error() string {
	text := p.message
	for _, d := range p.details {
		text += ": " + strings.TrimSpace(strings.Join([]string{d.field, d.code, d.message}, " "))
	}
	text = excerpt.Line(text, 500)
	if p.status == 0 {
		return text
	}
	return strings.TrimSpace(fmt.Sprintf("HTTP %d %s", p.status, text))
}

// says tells whether GitHub's message contains a phrase, in any case of letters.
func (p *problem) says(phrase string) bool {
	phrase = strings.ToLower(phrase)
	if strings.Contains(strings.ToLower(p.message), phrase) {
		return true
	}
	for _, d := range p.details {
		if strings.Contains(strings.ToLower(d.message), phrase) {
			return true
		}
	}
	return false
}

// invalid tells whether a 422 rejects a field.
func (p *problem) invalid(field string) bool {
	for _, d := range p.details {
		if d.field == field && d.code == "invalid" {
			return true
		}
	}
	return false
}

// understand turns an error of the library into a problem. When ctx has ended, it returns the error of ctx.
func understand(ctx context.Context, resp *gh.Response, err error, now time.Time) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var (
		held      *problem
		spent     *gh.RateLimitError
		secondary *gh.AbuseRateLimitError
		answer    *gh.ErrorResponse
	)
	switch {
	case errors.As(err, &held): // the request was not made
		return held
	case errors.As(err, &spent):
		p := &problem{status: http.StatusForbidden, message: spent.Message, passing: true, limited: true}
		if resp == nil || resp.Response == nil || !p.timed(resp.Response, now) {
			p.wait = max(time.Second, spent.Rate.Reset.Sub(now)+time.Second) // the library has refused without asking
		}
		return p
	case errors.As(err, &secondary):
		p := &problem{status: http.StatusForbidden, message: secondary.Message, passing: true, limited: true}
		if resp != nil && resp.Response != nil && !p.timed(resp.Response, now) &&
			len(resp.Header) == 0 && secondary.RetryAfter != nil {
			p.wait = max(time.Second, *secondary.RetryAfter)
		}
		return p
	case errors.As(err, &answer) && answer.Response != nil:
		return understandAnswer(answer, now)
	case errors.Is(err, errRedirect):
		return &problem{message: "the forge answers with a redirect to another host or for another method"}
	case resp != nil && resp.Response != nil:
		s := resp.StatusCode
		return &problem{status: s, message: "the answer can't be used: " + err.Error(), passing: s < 400 || s >= 500}
	}
	return &problem{message: err.Error(), passing: true}
}

func understandAnswer(a *gh.ErrorResponse, now time.Time) *problem {
	r := a.Response
	p := &problem{status: r.StatusCode, message: a.Message, needs: needs(r.Header)}
	for _, e := range a.Errors {
		p.details = append(p.details, detail{e.Field, e.Code, e.Message})
	}
	switch s := r.StatusCode; {
	case s == http.StatusForbidden || s == http.StatusTooManyRequests:
		named := p.timed(r, now)
		p.limited = named || s == http.StatusTooManyRequests || p.says("secondary rate limit") || p.says("abuse detection") ||
			strings.HasSuffix(a.DocumentationURL, "secondary-rate-limits")
		p.passing = p.limited
	case s >= 500 || s == http.StatusRequestTimeout || s == http.StatusTooEarly:
		p.passing = true
		p.wait, _ = httpclient.RetryAfter(r.Header, now)
	}
	return p
}

// timed sets the wait that GitHub asks for: Retry-After, or else the reset of a used-up allowance. It returns false when there is
// neither.
func (p *problem) timed(r *http.Response, now time.Time) bool {
	var ok bool
	if p.wait, ok = httpclient.RetryAfter(r.Header, now); !ok {
		p.wait, ok = untilReset(r.Header, now)
	}
	if ok {
		p.wait = max(p.wait, time.Second)
	}
	return ok
}

// needs returns the permission that the call takes, as GitHub names it.
func needs(h http.Header) string {
	if v := h.Get("X-Accepted-Github-Permissions"); v != "" {
		return v
	}
	return h.Get("X-Accepted-Oauth-Scopes")
}
