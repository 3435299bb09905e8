package gateway

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

func TestLimitOf(t *testing.T) {
	now := newClock().now()
	at := func(s int64) time.Time { return time.Unix(s, 0).UTC() }
	date := func(t time.Time) string { return t.UTC().Format(http.TimeFormat) }
	const u = "anthropic-ratelimit-unified-"
	for name, c := range map[string]struct {
		h        http.Header
		persists bool
		want     *Limit
	}{
		"subscription": {header(u+"status", "rejected", u+"reset", "1795169432", u+"representative-claim", "five_hour", "retry-after", "5"), false,
			&Limit{429, at(1795169432), "five_hour", ""}},
		"reset of the window": {header(u+"status", "rejected", u+"7d-reset", "1795169432", u+"representative-claim", "seven_day_opus"), false,
			&Limit{429, at(1795169432), "seven_day_opus", ""}},
		"rejected, only a pause known": {header(u+"status", "rejected", "retry-after", "30"), false, &Limit{429, now.Add(30 * time.Second), "", ""}},
		"rejected, nothing known":      {header(u+"status", "rejected", u+"reset", "soon"), false, &Limit{Status: 429}},
		"short pause":                  {header("retry-after", "60"), false, nil},
		"no pause":                     {header(), false, nil},
		"allowed, but throttled":       {header(u+"status", "allowed_warning", "retry-after", "2"), false, nil},
		"long pause":                   {header("retry-after", "3600"), false, &Limit{429, now.Add(time.Hour), "retry_after", ""}},
		"pause as a date": {header("retry-after", now.Add(10*time.Minute).Format(http.TimeFormat)), false,
			&Limit{429, now.Add(10 * time.Minute), "retry_after", ""}},
		"by a clock that is an hour ahead of ours": {header("date", date(now.Add(time.Hour)), "retry-after", "3600"), false, &Limit{429, now.Add(2 * time.Hour), "retry_after", ""}},
		"by a clock that is an hour behind ours":   {header("date", date(now.Add(-time.Hour)), "retry-after", "3600"), false, &Limit{429, now, "retry_after", ""}},
		"short pause by a clock that is ahead":     {header("date", date(now.Add(time.Hour)), "retry-after", date(now.Add(time.Hour+30*time.Second))), false, nil},
		"date in the past":                         {header("retry-after", "Mon, 02 Jan 2006 15:04:05 GMT"), false, nil},
		"short, but without end": {header("retry-after", "2", "anthropic-ratelimit-requests-reset", "2026-11-20T09:00:00Z"), true,
			&Limit{429, now.Add(2 * time.Second), "throttled", ""}},
		"no pause, without end": {header("anthropic-ratelimit-requests-reset", "2026-11-20T09:00:00Z", "anthropic-ratelimit-tokens-reset", "2026-11-20T10:00:00Z"), true,
			&Limit{429, time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), "throttled", ""}},
		"nonsense": {header("retry-after", "a while", "anthropic-ratelimit-requests-reset", "later"), true, &Limit{429, time.Time{}, "throttled", ""}},
	} {
		if d := cmp.Diff(c.want, anthropicLimit(c.h, now, c.persists)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// script answers each call with the next of its steps.
func script(t *testing.T, steps ...func(http.ResponseWriter)) *upstream {
	n := 0
	return newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		if n >= len(steps) {
			t.Error("more calls than steps")
			return
		}
		n++
		steps[n-1](w)
	})
}

func good(model string, pairs ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i < len(pairs); i += 2 {
			w.Header().Set(pairs[i], pairs[i+1])
		}
		answerStream(w, stream(model, object{"input_tokens": 1}, 1))
	}
}

func bad(status int, message string, pairs ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i < len(pairs); i += 2 {
			w.Header().Set(pairs[i], pairs[i+1])
		}
		apiError(w, status, "some_error", message)
	}
}

func TestSubscriptionLimitComesAndGoes(t *testing.T) {
	const u = "anthropic-ratelimit-unified-"
	rejected := []string{u + "status", "rejected", u + "reset", "1795169432", u + "representative-claim", "seven_day_opus"}
	up := script(t,
		good("claude-opus-5-5", u+"status", "allowed_warning", u+"5h-utilization", "0.93", u+"5h-reset", "1795169432", u+"7d-utilization", "0.4",
			u+"7d-status", "allowed"),
		bad(429, "This request would exceed your account's rate limit. "+strings.Repeat("é", 1000), rejected...),
		good("claude-sonnet-5-5", u+"status", "allowed"),
		good("claude-opus-5-5"))
	s := openSession(t, startGateway(t, up.URL, nil), 0)
	mustAsk(t, s, question("claude-opus-5-5", 1))
	st := s.State()
	want := map[string]Window{"5h": {0.93, time.Unix(1795169432, 0).UTC(), ""}, "7d": {0.4, time.Time{}, "allowed"}}
	if d := cmp.Diff(want, st.Windows); d != "" || st.Quota != "allowed_warning" || st.Limit != nil {
		t.Errorf("state %+v: %s", st, d)
	}
	resp, err := ask(t.Context(), s, question("claude-opus-5-5", 1))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	if resp.StatusCode != 429 || resp.Header.Get(u+"Reset") != "1795169432" || resp.Header.Get("X-Should-Retry") != "false" {
		t.Errorf("answer %d %v", resp.StatusCode, resp.Header)
	}
	limit := func() Limit {
		if l := s.State().Limit; l != nil {
			return *l
		}
		return Limit{}
	}
	l := limit()
	if l.Status != 429 || !l.Reset.Equal(time.Unix(1795169432, 0)) || l.Claim != "seven_day_opus" || len(l.Text) > maxText || !strings.HasSuffix(l.Text, "é") {
		t.Errorf("limit %+v", l)
	}
	mustAsk(t, s, question("claude-sonnet-5-5", 1)) // another model still has quota
	if limit() == (Limit{}) || s.State().Quota != "allowed" {
		t.Errorf("state %+v", s.State())
	}
	mustAsk(t, s, question("claude-opus-5-5", 1))
	if limit() != (Limit{}) {
		t.Errorf("limit %+v after an answer of the same model", limit())
	}
}

func TestShortRefusalsAreALimitOnlyWhenTheyPersist(t *testing.T) {
	c := newClock()
	refuse := bad(429, "slow down", "retry-after", "2")
	up := script(t, refuse, refuse, refuse, refuse, good("m"), refuse, refuse, refuse, refuse, refuse, refuse)
	s := openSession(t, startGateway(t, up.URL, func(cfg *Config, _ *Gateway) { cfg.Now = c.now }), 0)
	for i := range 10 {
		mustAsk(t, s, question("claude-opus-5-5", 1))
		if st := s.State(); st.Limit != nil {
			t.Fatalf("call %d: %+v", i, st.Limit)
		}
		if i < 6 {
			c.advance(2 * time.Second) // the last five come in one burst
		}
	}
	c.advance(10 * time.Second)
	mustAsk(t, s, question("claude-opus-5-5", 1))
	st := s.State()
	if st.Limit == nil || st.Limit.Claim != "throttled" || st.Limit.Vague() || st.Limit.Text != "slow down" || st.Throttled != 10 || !st.LastCall.Equal(c.now()) {
		t.Errorf("state %+v", st)
	}
}

func TestAccountWithoutMoneyOrLogin(t *testing.T) {
	up := script(t,
		bad(400, "Your credit balance is too low to access the Anthropic API."), good("claude-opus-5-5"),
		bad(402, "billing"), bad(401, "invalid x-api-key"), good("claude-opus-5-5"), bad(403, ""))
	s := openSession(t, startGateway(t, up.URL, nil), 0)
	check := func(what string, ok func(State) bool) {
		t.Helper()
		mustAsk(t, s, question("claude-opus-5-5", 1))
		if st := s.State(); !ok(st) {
			t.Errorf("%s: %+v, limit %+v", what, st, st.Limit)
		}
	}
	check("no credit", func(st State) bool { return st.Limit != nil && st.Limit.Claim == "credit" && st.Limit.Reset.IsZero() })
	check("credit again", func(st State) bool { return st.Limit == nil })
	check("billing", func(st State) bool { return st.Limit != nil && st.Limit.Status == 402 })
	check("bad key", func(st State) bool { return st.AuthRefused == "invalid x-api-key" })
	check("good key", func(st State) bool { return st.AuthRefused == "" })
	check("no word", func(st State) bool { return st.AuthRefused != "" })
}

func TestErrorInMidStreamIsCounted(t *testing.T) {
	up := script(t, func(w http.ResponseWriter) {
		answerStream(w, append(stream("claude-opus-5-5", object{"input_tokens": 1}, 1)[:3],
			event("error", object{"type": "error", "error": object{"type": "overloaded_error", "message": "Overloaded"}})))
	})
	s := openSession(t, startGateway(t, up.URL, nil), 0)
	mustAsk(t, s, question("claude-opus-5-5", 1))
	s.Close()
	if st := s.State(); st.Overloaded != 1 {
		t.Errorf("state %+v", st)
	}
}
