package gateway

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/httpclient"
)

// Limit is a quota that is used up.
type Limit struct {
	Status int       // HTTP status it came with
	Reset  time.Time // when there is quota again, zero when unknown
	Claim  string    // which quota: five_hour, seven_day, ... as the API names it; retry_after, throttled and credit are the gateway's names
	Text   string    // the API's message, 1 KB at most; older versions name the reset only here
}

// Vague tells whether nothing is known of the limit but that short refusals follow each other. It may be over in a moment.
func (l *Limit) Vague() bool { return l.Claim == claimThrottled && l.Reset.IsZero() }

// Claims that the API has no name for.
const (
	claimRetryAfter = "retry_after" // the API asked for a pause too long to wait for
	claimThrottled  = "throttled"   // many short refusals in a row
	claimCredit     = "credit"      // the account is out of money
)

const (
	statusOverloaded = 529
	shortPause       = time.Minute // clients wait this long on their own
	maxText          = 1 << 10
	manyRefusals     = 5               // in a row, with no successful answer between them
	longRefusal      = 5 * time.Second // from the first to the last, so that one burst of sub-agents does not count
	unified          = "Anthropic-Ratelimit-Unified-"
	perMinute        = "Anthropic-Ratelimit-"
)

// throttle counts refusals in a row.
type throttle struct {
	count       int
	first, last time.Time
}

func (t *throttle) add(now time.Time) {
	if t.count == 0 {
		t.first = now
	}
	t.count++
	t.last = now
}

func (t throttle) persists() bool {
	return t.count >= manyRefusals && t.last.Sub(t.first) >= longRefusal
}

// anthropicLimit returns the limit behind an answer with status 429, or nil. The quota counts as used up when the answer says
// so, when it asks for a long pause, or when refusals persist. Any other 429 is left to the client's own retries.
func anthropicLimit(h http.Header, now time.Time, persists bool) *Limit {
	now = httpclient.Now(h, now) // the server's clock, since resets are given by it
	l := &Limit{Status: http.StatusTooManyRequests}
	pause, hasPause := httpclient.RetryAfter(h, now)
	switch {
	case h.Get(unified+"Status") == "rejected":
		l.Claim = h.Get(unified + "Representative-Claim")
		l.Reset = unifiedReset(h, l.Claim)
	case hasPause && pause > shortPause:
		l.Claim = claimRetryAfter
	case persists:
		l.Claim = claimThrottled
	default:
		return nil
	}
	if l.Reset.IsZero() && hasPause {
		l.Reset = now.Add(pause).Round(0).UTC() // Round drops the monotonic reading, which means nothing elsewhere
	}
	if l.Reset.IsZero() {
		l.Reset = minuteReset(h)
	}
	return l
}

// noCredit recognizes the answer of an account without credit, which is an ordinary bad request.
func noCredit(status int, text string) bool {
	return status == http.StatusBadRequest && strings.Contains(strings.ToLower(text), "credit balance is too low")
}

// unifiedReset returns when a subscription's quota resets: the general reset, or that of the window that the claim
// names.
func unifiedReset(h http.Header, claim string) time.Time {
	if t := epoch(h.Get(unified + "Reset")); !t.IsZero() {
		return t
	}
	window := ""
	switch {
	case claim == "five_hour":
		window = "5h"
	case strings.HasPrefix(claim, "seven_day"):
		window = "7d"
	}
	return epoch(h.Get(unified + window + "-Reset"))
}

// minuteReset returns the latest reset among the rate limits of an API key.
func minuteReset(h http.Header) (latest time.Time) {
	for _, what := range []string{"Requests", "Tokens", "Input-Tokens", "Output-Tokens"} {
		t, err := time.Parse(time.RFC3339, h.Get(perMinute+what+"-Reset"))
		if err == nil && t.After(latest) {
			latest = t
		}
	}
	return latest
}

// epoch parses seconds since 1970; anything else yields the zero time.
func epoch(v string) time.Time {
	s, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
	if err != nil || s <= 0 {
		return time.Time{}
	}
	return time.Unix(s, 0).UTC()
}

// problem is what an API says of an error.
type problem struct {
	text  string
	code  string    // OpenAI's; "" for none
	reset time.Time // when there is quota again, zero when it does not say
}

// errorOf reads the body of an error. One that has another format is its own text.
func errorOf(body []byte, now time.Time) problem {
	var e struct {
		Error struct {
			Message string `json:"message"`
			Type    string `json:"type"`
			Code    any    `json:"code"`
			At      int64  `json:"resets_at"`         // seconds since 1970
			In      int64  `json:"resets_in_seconds"` //
		} `json:"error"`
	}
	p := problem{text: strings.TrimSpace(string(body))}
	if json.Unmarshal(body, &e) == nil && e.Error.Message != "" {
		p.text = e.Error.Message
		if p.code, _ = e.Error.Code.(string); p.code == "" {
			p.code = e.Error.Type
		}
	}
	switch {
	case e.Error.At > 0:
		p.reset = time.Unix(e.Error.At, 0).UTC()
	case e.Error.In > 0:
		p.reset = now.Add(time.Duration(min(e.Error.In, 1e8)) * time.Second).Round(0).UTC()
	}
	if len(p.text) > maxText {
		p.text = p.text[:maxText]
		for !utf8.ValidString(p.text) && len(p.text) > maxText-utf8.UTFMax {
			p.text = p.text[:len(p.text)-1]
		}
	}
	return p
}

// limit returns the limit that an error names, beside what its headers say; nil for none.
func (p problem) limit(status int) *Limit {
	l := &Limit{Status: status, Text: p.text, Reset: p.reset}
	switch {
	case status == http.StatusPaymentRequired || noCredit(status, p.text) || p.code == "insufficient_quota":
		l.Claim = claimCredit
	case status == http.StatusTooManyRequests && (p.code == "usage_limit_reached" || p.code == "usage_not_included"):
		l.Claim = p.code
	default:
		return nil
	}
	return l
}
