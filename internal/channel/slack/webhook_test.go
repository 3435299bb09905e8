package slack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/slack/slacktest"
	"github.com/longshift/longshift/internal/fault"
)

// recorder keeps the events that it is given.
type recorder struct {
	mu     sync.Mutex
	events []channel.Event
	answer channel.Answer
	err    error
}

func (e *recorder) handle(_ context.Context, ev channel.Event) (channel.Answer, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.events = append(e.events, ev)
	return e.answer, e.err
}

func (e *recorder) set(a channel.Answer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answer = a
}

func (e *recorder) all() []channel.Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]channel.Event(nil), e.events...)
}

var pressed0 = pressCall(general, "1760000001.000001", "", "approve.1", "1.2.3", "1760000009.123456", ada)

func TestRefusedCalls(t *testing.T) {
	now := time.Now()
	shift := func(d time.Duration) func() time.Time { return func() time.Time { return now.Add(d) } }
	for _, c := range []struct {
		name   string
		change func(c *caller)
		want   int
	}{
		{"signed", func(*caller) {}, 200},
		{"signed a bit ago", func(c *caller) { c.now = shift(-4 * time.Minute) }, 200},
		{"six minutes old", func(c *caller) { c.now = shift(-6 * time.Minute) }, 401},
		{"six minutes ahead", func(c *caller) { c.now = shift(6 * time.Minute) }, 401},
		{"another secret", func(c *caller) { c.secret = "0f742231b10e8888abcd99yyyzzz85a5" }, 401},
		{"empty secret", func(c *caller) { c.secret = "" }, 401},
		{"unsigned", func(c *caller) { c.headers["X-Slack-Signature"] = "" }, 401},
		{"no time", func(c *caller) { c.headers["X-Slack-Request-Timestamp"] = "" }, 401},
		{"time is no number", func(c *caller) { c.headers["X-Slack-Request-Timestamp"] = "now" }, 401},
		{"another time than was signed", func(c *caller) { c.headers["X-Slack-Request-Timestamp"] = fmt.Sprint(now.Unix() - 1) }, 401},
		{"forged", func(c *caller) { c.headers["X-Slack-Signature"] = "v0=" + strings.Repeat("ab", 32) }, 401},
		{"cut off", func(c *caller) { c.headers["X-Slack-Signature"] = "v0=" }, 401},
		{"no hex", func(c *caller) { c.headers["X-Slack-Signature"] = "v0=zz" }, 401},
		{"another version", func(c *caller) { c.headers["X-Slack-Signature"] = "v1=" + strings.Repeat("ab", 32) }, 401},
		{"time from the year 0", func(c *caller) { c.headers["X-Slack-Request-Timestamp"] = "-9223372036854775808" }, 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			f, e := newFake(t), &recorder{}
			s := f.open(func(c *Config) {
				c.Now = func() time.Time { return now }
				c.Log = slog.New(slog.NewTextHandler(&log, nil))
			})
			call := newCaller(t, s.Handler(e.handle))
			c.change(call)
			status, _ := call.call(callInteraction, pressed0)
			if status != c.want {
				t.Errorf("status %d, want %d", status, c.want)
			}
			if heard := len(e.all()); (heard > 0) != (c.want == 200) {
				t.Errorf("received %d events", heard)
			}
			if c.want == 401 && !strings.Contains(log.String(), "Slack call refused") {
				t.Errorf("log %q", log.String())
			}
			if strings.Contains(log.String(), signing) || strings.Contains(log.String(), "approve.1") {
				t.Errorf("the log holds what it may not: %s", log.String())
			}
		})
	}
}

// TestTamperedBody changes one character of a signed body.
func TestTamperedBody(t *testing.T) {
	f, e := newFake(t), &recorder{}
	call := newCaller(t, f.open(nil).Handler(e.handle))
	sent := slacktest.Body(callInteraction, pressed0)
	headers := slacktest.SignWith(signing, sent, time.Now())
	if status, _ := call.send(strings.Replace(sent, "approve.1", "approve.2", 1), headers); status != 401 || len(e.all()) != 0 {
		t.Errorf("changed body: status %d, received %+v", status, e.all())
	}
	if status, _ := call.send(sent, headers); status != 200 || len(e.all()) != 1 {
		t.Errorf("as it was signed: status %d, received %+v", status, e.all())
	}
}

func TestOversizedCall(t *testing.T) {
	f, e := newFake(t), &recorder{}
	call := newCaller(t, f.open(nil).Handler(e.handle))
	of := func(n int) any {
		return eventCall(messageEvent("message", "D1", ada.ID, strings.Repeat("x", n), "1.000001", ""))
	}
	if status, _ := call.call(callEvent, of(1<<20)); status != http.StatusRequestEntityTooLarge || len(e.all()) != 0 {
		t.Errorf("status %d, received %d", status, len(e.all()))
	}
	if status, _ := call.call(callEvent, of(1000<<10)); status != http.StatusOK || len(e.all()) != 1 {
		t.Errorf("a smaller one: status %d, received %d", status, len(e.all()))
	}
}

func TestNoSigningSecret(t *testing.T) {
	for name, c := range map[string]struct {
		secret Secret
		want   int
	}{
		"none":        {nil, 401},
		"empty":       {fixed(""), 401},
		"unreachable": {func(context.Context) (string, error) { return "", errors.New("no answer") }, 500},
	} {
		f, e := newFake(t), &recorder{}
		call := newCaller(t, f.open(func(x *Config) { x.SigningSecret = c.secret }).Handler(e.handle))
		call.secret = ""
		if status, _ := call.call(callInteraction, pressed0); status != c.want || len(e.all()) != 0 {
			t.Errorf("%s: status %d, want %d, received %+v", name, status, c.want, e.all())
		}
	}
}

// TestReplayedCalls checks that a repeated request of each kind has the same ID.
func TestReplayedCalls(t *testing.T) {
	v := slacktest.Modal{ID: "V1", CallbackID: formID, PrivateMetadata: remember(channel.Event{Room: room(general, "")}, "edit.1")}
	v.BlockID, v.ActionID = formInput, formInput
	for name, c := range map[string]struct {
		kind     string
		payload  any
		same, no any // a payload with the same meaning, and one with another
	}{
		"press": {callInteraction, pressed0, pressCall(general, "1760000001.000001", "", "approve.1", "9.9.9", "1760000009.123456", ada),
			pressCall(general, "1760000001.000001", "", "approve.1", "1.2.3", "1760000010.123456", ada)},
		"form": {callInteraction, formCall(v, "Do less.", ada), formCall(v, "Do less.", ada), formCall(v, "Do more.", ada)},
		"command": {callCommand, commandCall(general, "status", "1.2.3", "", ada), commandCall(general, "status", "1.2.3", "", ada),
			commandCall(general, "status", "1.2.4", "", ada)},
		"message": {callEvent, eventCall(messageEvent("message", "D1", ada.ID, "status", "1760000009.000100", "")),
			eventCall(messageEvent("message", "D1", ada.ID, "status", "1760000009.000100", "")),
			eventCall(messageEvent("message", "D1", ada.ID, "status", "1760000009.000200", ""))},
	} {
		t.Run(name, func(t *testing.T) {
			f, e := newFake(t), &recorder{}
			call := newCaller(t, f.open(nil).Handler(e.handle))
			for _, p := range []any{c.payload, c.payload, c.same, c.no} {
				call.headers["X-Slack-Retry-Num"] = "1"
				if status, text := call.call(c.kind, p); status != 200 || text != "" {
					t.Fatalf("status %d %q", status, text)
				}
			}
			if n := f.Calls()["auth.test"]; n > 1 {
				t.Errorf("asked %d times who we are", n)
			}
			got := e.all()
			if len(got) != 4 || got[0].ID != got[1].ID || got[0].ID != got[2].ID || got[0].ID == got[3].ID {
				t.Errorf("received %+v", got)
			}
		})
	}
}

func TestCalls(t *testing.T) {
	f, e := newFake(t), &recorder{}
	h := f.open(nil).Handler(e.handle)
	call := newCaller(t, h)
	if status, text := call.call(callEvent, map[string]any{"token": "x", "challenge": "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P",
		"type": "url_verification"}); status != 200 || text != "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P" {
		t.Errorf("challenge: %d %q", status, text)
	}
	call.secret = "wrong"
	if status, text := call.call(callEvent, map[string]any{"challenge": "abc", "type": "url_verification"}); status != 401 || strings.Contains(text, "abc") {
		t.Errorf("forged challenge: %d %q", status, text)
	}
	call.secret = signing
	for name, c := range map[string]struct {
		kind    string
		payload any
		want    int
	}{
		"another event":       {callEvent, eventCall(map[string]any{"type": "reaction_added", "user": ada.ID, "item": map[string]any{"ts": "1"}}), 200},
		"another interaction": {callInteraction, map[string]any{"type": "shortcut", "user": map[string]any{"id": ada.ID}}, 200},
		"no JSON inside":      {callCommand, url.Values{"payload": {"{"}}, 200},
		"neither":             {callCommand, url.Values{"foo": {"bar"}}, 400},
	} {
		if status, _ := call.call(c.kind, c.payload); status != c.want {
			t.Errorf("%s: status %d, want %d", name, status, c.want)
		}
	}
	if len(e.all()) != 0 {
		t.Errorf("received %+v", e.all())
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", w.Code)
	}
}

// TestNotTakenIn checks that an error causes status 500 without its text, and that events are redelivered with the same
// ID.
func TestNotTakenIn(t *testing.T) {
	f, e := newFake(t), &recorder{err: fault.New(fault.Infra, "database of acme is away")}
	call := newCaller(t, f.open(nil).Handler(e.handle))
	ev := eventCall(messageEvent("app_mention", general, ada.ID, "<@U0BOT> status", "1760000009.000100", ""))
	if status, text := call.call(callEvent, ev); status != 500 || strings.Contains(text, "acme") {
		t.Errorf("status %d %q", status, text)
	}
	e.mu.Lock()
	e.err = nil
	e.mu.Unlock()
	call.headers["X-Slack-Retry-Num"], call.headers["X-Slack-Retry-Reason"] = "1", "http_error"
	if status, _ := call.call(callEvent, ev); status != 200 {
		t.Errorf("status %d", status)
	}
	if got := e.all(); len(got) != 2 || got[0].ID != got[1].ID {
		t.Errorf("received %+v", got)
	}
	f.Refuse("auth.test", "internal_error")
	call = newCaller(t, f.open(nil).Handler(e.handle)) // it does not know its identity yet
	if status, _ := call.call(callEvent, ev); status != 500 || len(e.all()) != 2 {
		t.Errorf("without knowing who we are: status %d, received %d", status, len(e.all()))
	}
}

// TestSlowHearer covers a handler that exceeds Slack's three seconds. Slack redelivers only events; the rest is retried
// here, and in the end the person is told.
func TestSlowHearer(t *testing.T) {
	for name, tt := range map[string]struct {
		kind    string
		payload any
		slow    int // how many times the handler is too late
		want    int
		heard   int
		told    string
	}{
		"event":                {callEvent, statusEvent("1760000009.000100"), 1, 500, 1, ""},
		"press":                {callInteraction, pressed0, 2, 200, 3, "approved"},
		"command":              {callCommand, commandCall(general, "status", "1.2.3", "", ada), 1, 200, 2, "approved"},
		"press, never heard":   {callInteraction, pressed0, 99, 200, 4, "Please do it again"},
		"command, never heard": {callCommand, commandCall(general, "status", "1.2.3", "", ada), 99, 200, 4, "Please do it again"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told strings.Builder
				s, err := New(Config{BotToken: fixed(botToken), SigningSecret: fixed(signing), Log: slog.New(slog.DiscardHandler)})
				if err != nil {
					t.Fatal(err)
				}
				s.self = known
				s.http.Transport = spoken(func(body string) { told.WriteString(body) })
				var ids []string
				h := s.Handler(func(ctx context.Context, ev channel.Event) (channel.Answer, error) {
					if ids = append(ids, ev.ID); len(ids) <= tt.slow {
						<-ctx.Done()
						return channel.Answer{}, ctx.Err()
					}
					return channel.Answer{Text: "approved"}, nil
				})
				start, w := time.Now(), &timed{ResponseRecorder: httptest.NewRecorder()}
				h.ServeHTTP(w, signed(tt.kind, tt.payload))
				if took := w.at.Sub(start); w.Code != tt.want || took != handlePeriod || took >= 3*time.Second {
					t.Errorf("status %d after %v", w.Code, took)
				}
				if len(ids) != tt.heard || len(slices.Compact(ids)) != 1 {
					t.Errorf("received %v", ids)
				}
				if said := told.String(); tt.told == "" && said != "" || !strings.Contains(said, tt.told) {
					t.Errorf("told %q", said)
				}
			})
		})
	}
}

// timed is a recorder that notes when the answer was sent.
type timed struct {
	*httptest.ResponseRecorder
	at time.Time
}

func (w *timed) WriteHeader(status int) {
	w.at = time.Now()
	w.ResponseRecorder.WriteHeader(status)
}

// spoken simulates a Slack API that accepts everything; it passes on the bodies of calls.
type spoken func(body string)

func (s spoken) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	text, err := url.QueryUnescape(string(body))
	if err != nil {
		return nil, err
	}
	s(text)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(`{"ok":true}`))}, nil
}

// signed returns a request without a server.
func signed(kind string, payload any) *http.Request {
	body := slacktest.Body(kind, payload)
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header = slacktest.SignWith(signing, body, time.Now())
	return r
}

// TestKnownSignature uses the example in Slack's reference on verifying requests.
func TestKnownSignature(t *testing.T) {
	const text = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
	h := http.Header{}
	h.Set("X-Slack-Request-Timestamp", "1531420618")
	h.Set("X-Slack-Signature", "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503")
	if err := verify(h, []byte(text), "8f742231b10e8888abcd99yyyzzz85a5", time.Unix(1531420618+299, 0)); err != nil {
		t.Error(err)
	}
}
