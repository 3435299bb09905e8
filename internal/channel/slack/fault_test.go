package slack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
)

func TestErrors(t *testing.T) {
	for code, want := range map[string]fault.Kind{"invalid_auth": fault.Denied, "account_inactive": fault.Denied, "token_revoked": fault.Denied,
		"not_in_channel": fault.Denied, "is_archived": fault.Denied, "missing_scope": fault.Denied, "restricted_action": fault.Denied,
		"channel_not_found": fault.NotFound, "thread_not_found": fault.NotFound, "message_not_found": fault.NotFound,
		"msg_too_long": fault.Input, "msg_blocks_too_long": fault.Input, "invalid_blocks": fault.Input, "no_text": fault.Input,
		"internal_error": fault.Infra, "fatal_error": fault.Infra, "service_unavailable": fault.Infra, "ratelimited": fault.Infra,
		"something_new": fault.Infra} {
		f := newFake(t)
		s := f.open(nil)
		f.Refuse("chat.postMessage", code)
		_, err := s.Post(t.Context(), room(general, ""), channel.Message{Key: "k", Text: "x"}, false)
		if fault.KindOf(err) != want {
			t.Errorf("%s: %v (%s), want %s", code, err, fault.KindOf(err), want)
		}
		var later *fault.Later
		if errors.As(err, &later) != (code == "ratelimited") {
			t.Errorf("%s: %T", code, err)
		}
		f.Refuse("conversations.history", code)
		if _, err := s.Post(t.Context(), room(general, ""), channel.Message{Key: "k", Text: "x"}, true); fault.KindOf(err) != want {
			t.Errorf("%s in a search: %v", code, err)
		}
		if len(f.Messages(general)) != 0 {
			t.Errorf("%s: a message was written though the search failed", code)
		}
	}
}

// TestStrangeAnswers covers proxies and broken servers.
func TestStrangeAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   fault.Kind
	}{
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/api/elsewhere", http.StatusTemporaryRedirect)
		}, fault.Infra},
		"403":     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, fault.Denied},
		"429":     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }, fault.Infra},
		"502":     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, fault.Infra},
		"no JSON": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>" + botToken)) }, fault.Infra},
		"empty":   {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"ok":true}`)) }, fault.Infra},
		"cut off": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, fault.Infra},
		"day-long pause": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "86400")
			w.WriteHeader(http.StatusTooManyRequests)
		}, fault.Infra},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = append(asked, r.URL.Path)
				c.answer(w, r)
			}))
			defer server.Close()
			s, err := New(Config{BotToken: fixed(botToken), APIURL: server.URL + "/api/"})
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Post(t.Context(), room(general, ""), channel.Message{Key: "k", Text: "x"}, false)
			if fault.KindOf(err) != c.want || strings.Contains(fmt.Sprintf("%v %+v", err, err), botToken) || strings.Contains(err.Error(), server.URL) {
				t.Errorf("got %v (%s), want %s", err, fault.KindOf(err), c.want)
			}
			server.Close()
			var later *fault.Later
			if errors.As(err, &later) && (later.After > time.Hour || later.After <= 0) {
				t.Errorf("wait %v", later.After)
			}
			if len(asked) != 1 {
				t.Errorf("asked %q", asked)
			}
		})
	}
}

func TestTokens(t *testing.T) {
	f := newFake(t)
	calls := 0
	s := f.open(func(c *Config) {
		c.BotToken = func(context.Context) (string, error) {
			if calls++; calls == 1 {
				return "xoxb-old", nil
			}
			return botToken, nil
		}
	})
	m := channel.Message{Key: "k", Text: "x"}
	if _, err := s.Post(t.Context(), room(general, ""), m, false); fault.KindOf(err) != fault.Denied || strings.Contains(err.Error(), "xoxb") {
		t.Errorf("old token: %v", err)
	}
	mustPost(t, s, room(general, ""), m, false)
	for name, c := range map[string]struct {
		get  Secret
		want fault.Kind
	}{
		"empty":   {fixed(""), fault.Denied},
		"away":    {func(context.Context) (string, error) { return "", errors.New("no answer") }, fault.Infra},
		"refused": {func(context.Context) (string, error) { return "", fault.New(fault.NotFound, "no such secret") }, fault.NotFound},
	} {
		s := f.open(func(c2 *Config) { c2.BotToken = c.get })
		if _, err := s.Post(t.Context(), room(general, ""), m, false); fault.KindOf(err) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(Config{}); fault.KindOf(err) != fault.Input {
		t.Errorf("without a token: %v", err)
	}
}

func TestAPIURL(t *testing.T) {
	for text, ok := range map[string]bool{"https://slack.example/api": true, "http://127.0.0.1:1/api/": true, "http://localhost/api": true,
		"http://slack.example/api": false, "https://u:p@slack.example/": false, "slack.example": false, "https://slack.example/?a=b": false} {
		_, err := New(Config{BotToken: fixed("x"), APIURL: text})
		if (err == nil) != ok || (err != nil && (fault.KindOf(err) != fault.Input || strings.Contains(err.Error(), "u:p"))) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestInput(t *testing.T) {
	f := newFake(t)
	s := f.open(nil)
	for name, b := range map[string]channel.Button{"no token": {Label: "A"}, "no label": {Token: "a"}, "wild token": {Label: "A", Token: "a b"},
		"long token": {Label: "A", Token: strings.Repeat("a", 61)}} {
		_, err := s.Post(t.Context(), room(general, ""), channel.Message{Key: "k", Text: "x", Buttons: []channel.Button{b}}, false)
		if fault.KindOf(err) != fault.Input {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(f.Calls()) != 0 {
		t.Errorf("calls were made: %v", f.Calls())
	}
}

// TestTimeout checks that a server without an answer is an infrastructure fault, and that the error wraps that of an
// ended context.
func TestTimeout(t *testing.T) {
	free := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-free:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	defer close(free)
	s, err := New(Config{BotToken: fixed(botToken), APIURL: server.URL, HTTP: &http.Client{Timeout: 20 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	m := channel.Message{Key: "k", Text: "x"}
	if _, err := s.Post(t.Context(), room(general, ""), m, false); fault.KindOf(err) != fault.Infra {
		t.Errorf("timeout: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Post(ctx, room(general, ""), m, false); fault.KindOf(err) != fault.Infra || !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v", err)
	}
}
