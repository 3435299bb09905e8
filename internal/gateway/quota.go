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
	Claim  string    // which one: five_hour, seven_day, ... as the API names it; retry_after, throttled, credit are ours
	Text   string    // the API's message, 1 KB at most; older ones name the reset only here
}

// The claims that the API has no name for.
const (
	claimRetryAfter = "retry_after" // the API asked for a pause too long to sit out
	claimThrottled  = "throttled"   // short refusals without an end
	claimCredit     = "credit"      // the account is out of money
)

const (
	statusOverloaded = 529
	shortPause       = time.Minute // clients wait this long by themselves
	maxText          = 1 << 10
	manyRefusals     = 5               // in a row, without an answer between them
	longRefusal      = 5 * time.Second // from the first of them to the last: not one burst of sub-agents
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

// limitOf tells whether an answer with 429 means that quota is gone: when it says so, when it asks for a long pause, or
// when it is one of many. Any other is a matter between the client and the API.
func limitOf(h http.Header, now time.Time, persists bool) *Limit {
	now = httpclient.Now(h, now) // that of this host is not the clock by which the reset is waited for
	l := &Limit{Status: http.StatusTooManyRequests}
	pause, hasPause := retryAfter(h, now)
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
		l.Reset = now.Add(pause).Round(0).UTC() // without the reading of a clock that means nothing elsewhere
	}
	if l.Reset.IsZero() {
		l.Reset = minuteReset(h)
	}
	return l
}

// noCredit knows the answer of an account without money, which is a plain bad request.
func noCredit(status int, text string) bool {
	return status == http.StatusBadRequest && strings.Contains(strings.ToLower(text), "credit balance is too low")
}

// unifiedReset gives the reset of a subscription's quota: the general one, or that of the window the claim is about.
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

// minuteReset gives the latest reset among the limits of an API key.
func minuteReset(h http.Header) (latest time.Time) {
	for _, what := range []string{"Requests", "Tokens", "Input-Tokens", "Output-Tokens"} {
		t, err := time.Parse(time.RFC3339, h.Get(perMinute+what+"-Reset"))
		if err == nil && t.After(latest) {
			latest = t
		}
	}
	return latest
}

// retryAfter reads a pause in seconds or as a date.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil && s >= 0 && s < 1e9 {
		return time.Duration(s * float64(time.Second)), true
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(t.Sub(now), 0), true
	}
	return 0, false
}

// epoch reads seconds since 1970; anything else is the zero time.
func epoch(v string) time.Time {
	s, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
	if err != nil || s <= 0 {
		return time.Time{}
	}
	return time.Unix(s, 0).UTC()
}

// gauge keeps how full the subscription's windows are. s.mu is held.
func (s *Session) gauge(h http.Header) {
	if v := h.Get(unified + "Status"); v != "" {
		s.state.Quota = v
	}
	for name := range h {
		window, ours := strings.CutPrefix(name, unified)
		window, gauge := strings.CutSuffix(window, "-Utilization")
		if !ours || !gauge {
			continue
		}
		u, err := strconv.ParseFloat(h.Get(name), 64)
		if err != nil {
			continue
		}
		if s.state.Windows == nil {
			s.state.Windows = map[string]Window{}
		}
		s.state.Windows[strings.ToLower(window)] = Window{
			Utilization: u, Reset: epoch(h.Get(unified + window + "-Reset")), Status: h.Get(unified + window + "-Status"),
		}
	}
}

// errorText gives the message of an error body, or the body itself when it has another form.
func errorText(body []byte) string {
	var e struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	text := strings.TrimSpace(string(body))
	if json.Unmarshal(body, &e) == nil && e.Error.Message != "" {
		text = e.Error.Message
	}
	if len(text) > maxText {
		text = text[:maxText]
		for !utf8.ValidString(text) && len(text) > maxText-utf8.UTFMax {
			text = text[:len(text)-1]
		}
	}
	return text
}
