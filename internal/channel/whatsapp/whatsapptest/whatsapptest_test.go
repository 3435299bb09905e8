package whatsapptest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

const ada = "16505551234"

// recorder records test failures.
type recorder struct {
	testing.TB
	mu     sync.Mutex
	errors []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) take() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.errors)
	r.errors = nil
	return n
}

// send makes a call and returns the status.
func send(t *testing.T, s *Server, token, body string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v23.0/"+s.PhoneID+"/messages", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

func text(body string) string {
	return fmt.Sprintf(`{"messaging_product":"whatsapp","recipient_type":"individual","to":%q,"type":"text","text":{"preview_url":false,"body":%s}}`,
		ada, quote(body))
}

// TestStrict makes calls that must be refused and fail a test.
func TestStrict(t *testing.T) {
	r := &recorder{TB: t}
	s := New(r)
	good := text("*x*")
	for name, c := range map[string]struct{ token, body string }{
		"token":     {"other", good},
		"no JSON":   {Token, "{"},
		"field":     {Token, strings.Replace(good, `"type"`, `"tpye"`, 1)},
		"preview":   {Token, strings.Replace(good, `"preview_url":false,`, "", 1)},
		"empty":     {Token, text(" ")},
		"long":      {Token, text(strings.Repeat("x", 4097))},
		"plus":      {Token, strings.Replace(good, ada, "+"+ada, 1)},
		"hidden":    {Token, strings.Replace(good, `"to"`, `"recipient"`, 1)},
		"to nobody": {Token, strings.Replace(good, `"to":"`+ada+`",`, "", 1)},
		"context":   {Token, strings.Replace(good, `"type"`, `"context":{"message_id":"7"},"type"`, 1)},
		"kind":      {Token, strings.Replace(good, `"type":"text"`, `"type":"image"`, 1)},
	} {
		if status := send(t, s, c.token, c.body); status != http.StatusBadRequest || r.take() != 1 {
			t.Errorf("%s: status %d", name, status)
		}
	}
	if status := send(t, s, Token, good); status != http.StatusOK || r.take() != 0 {
		t.Errorf("what is right is refused: %d", status)
	}
	got := s.Messages(ada)
	if len(got) != 1 || got[0].Text != "x" || got[0].Sent != "*x*" || len(s.Messages("1")) != 0 {
		t.Errorf("%+v", got)
	}
	s.Down(true)
	if status := send(t, s, Token, good); status != http.StatusServiceUnavailable || r.take() != 0 || len(s.Messages("")) != 1 {
		t.Errorf("down: %d", status)
	}
	s.Down(false)
	if status := send(t, s, Token, good); status != http.StatusOK || len(s.Messages("")) != 2 {
		t.Errorf("up again: %d", status)
	}
}

// TestDelivered checks deliveries to a webhook, and that the last one can be repeated byte for byte.
func TestDelivered(t *testing.T) {
	type came struct{ body, signature string }
	var got []came
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, came{string(body), r.Header.Get("X-Hub-Signature-256")})
		w.WriteHeader(http.StatusTeapot)
	}))
	defer hook.Close()
	s := New(t)
	at := time.Unix(1_700_000_000, 0)
	s.At(at)
	said := s.Say(hook.URL, ada, `Ada "A"`, "line\n\"two\"", "wamid.ours")
	first := s.Last()
	pressed := s.Press(hook.URL, "US.13491208655302741918", "Bob", "wamid.ours", "y.1", "Yes")
	last := s.Last()
	again := s.Post(hook.URL, last.Body, last.Signature)
	bare := s.Post(hook.URL, "{", "")
	if said != 418 || pressed != 418 || again != 418 || bare != 418 || len(got) != 4 {
		t.Fatalf("%d %d %d %d, %d came", said, pressed, again, bare, len(got))
	}
	if got[0] != (came{first.Body, first.Signature}) || got[1] != (came{last.Body, last.Signature}) || got[2] != got[1] || got[3] != (came{"{", ""}) {
		t.Errorf("came %q", got)
	}
	if first.Message == last.Message || first.Signature != Sign(first.Body, AppSecret) || !strings.Contains(last.Body, last.Message) {
		t.Errorf("%+v and %+v", first, last)
	}
	for _, d := range []Delivery{first, last} {
		if !json.Valid([]byte(d.Body)) || !strings.Contains(d.Body, `"timestamp":"1700000000"`) || !strings.Contains(d.Body, PhoneID) {
			t.Errorf("body %s", d.Body)
		}
	}
	if !strings.Contains(last.Body, `"user_id":"US.`) || !strings.Contains(last.Body, `"from_user_id":"US.`) {
		t.Errorf("somebody who hides the number: %s", last.Body)
	}
	hook.Close()
	if status := s.Say(hook.URL, ada, "Ada", "x", ""); status != 0 {
		t.Errorf("nobody is there: %d", status)
	}
}
