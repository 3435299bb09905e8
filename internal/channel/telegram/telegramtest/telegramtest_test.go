package telegramtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

const chat = int64(4242)

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

func (r *recorder) Error(args ...any) { r.Errorf("%s", fmt.Sprint(args...)) }

// take returns the failures since the last call.
func (r *recorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.errors
	r.errors = nil
	return list
}

// do calls a method and returns the status and the result.
func do(t *testing.T, s *Server, method string, params map[string]any) (int, json.RawMessage) {
	t.Helper()
	body, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := s.Client().Post(s.URL+"/bot"+s.Token+"/"+method, "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Error(err)
		return 0, nil
	}
	defer resp.Body.Close()
	var a struct {
		Result json.RawMessage `json:"result"`
	}
	_ = json.NewDecoder(resp.Body).Decode(&a)
	return resp.StatusCode, a.Result
}

func text(words string, more ...any) map[string]any {
	p := map[string]any{"chat_id": chat, "text": words, "link_preview_options": map[string]any{"is_disabled": true}}
	for i := 0; i < len(more); i += 2 {
		p[more[i].(string)] = more[i+1]
	}
	return p
}

// get polls, and returns the ids of the updates.
func get(t *testing.T, s *Server, offset int64) (status int, ids []int64) {
	t.Helper()
	status, raw := do(t, s, "getUpdates", map[string]any{"offset": offset, "limit": 100, "timeout": 1, "allowed_updates": []string{"message", "callback_query"}})
	var list []struct {
		ID int64 `json:"update_id"`
	}
	_ = json.Unmarshal(raw, &list)
	for _, u := range list {
		ids = append(ids, u.ID)
	}
	return status, ids
}

// TestStrict makes calls that must fail a test; most are refused too.
func TestStrict(t *testing.T) {
	r := &recorder{TB: t}
	s := New(r)
	s.Open(chat)
	entity := func(kind string, at, length int) []any {
		return []any{map[string]any{"type": kind, "offset": at, "length": length}}
	}
	for name, c := range map[string]struct {
		method string
		params map[string]any
		status int
	}{
		"method":          {"sendPhoto", text("x"), 404},
		"parameter":       {"sendMessage", text("x", "parse_mode", "HTML"), 200},
		"preview":         {"sendMessage", map[string]any{"chat_id": chat, "text": "x"}, 200},
		"outside":         {"sendMessage", text("abc", "entities", entity("bold", 2, 2)), 400},
		"half a sign":     {"sendMessage", text("🎉x", "entities", entity("bold", 1, 2)), 400},
		"kind":            {"sendMessage", text("abc", "entities", entity("mention", 0, 2)), 400},
		"blanks":          {"sendMessage", text(" x"), 200},
		"must not answer": {"sendMessage", text("x", "reply_parameters", map[string]any{"message_id": 7}), 200},
		"empty button":    {"sendMessage", text("x", "reply_markup", map[string]any{"inline_keyboard": [][]any{{map[string]string{"text": "x"}}}}), 200},
		"poll":            {"getUpdates", map[string]any{"offset": 0, "timeout": -1, "allowed_updates": []string{"message", "callback_query"}}, 200},
		"long alert":      {"answerCallbackQuery", map[string]any{"callback_query_id": "1", "text": strings.Repeat("x", 201)}, 400},
	} {
		if status, _ := do(t, s, c.method, c.params); status != c.status {
			t.Errorf("%s: status %d, want %d", name, status, c.status)
		}
		if got := r.take(); len(got) == 0 {
			t.Errorf("%s: no test would fail", name)
		}
	}
	if status, _ := do(t, s, "sendMessage", text("fine")); status != 200 || len(r.take()) != 0 {
		t.Errorf("what is right is refused: %d", status)
	}
	s.Say(chat, 7, "ada", "x", 999)
	if len(r.take()) != 1 {
		t.Error("somebody may answer a message that is not there")
	}
}

func TestMessagesAsTheyStand(t *testing.T) {
	s := New(t)
	if status, _ := do(t, s, "sendMessage", text("x")); status != 400 {
		t.Errorf("a chat that nobody opened: %d", status)
	}
	asked := s.Say(chat, 7, "ada", "hello", 0)
	keys := map[string]any{"inline_keyboard": [][]any{{map[string]string{"text": "Yes", "callback_data": "y"}},
		{map[string]string{"text": "No", "callback_data": "n"}}}}
	do(t, s, "sendMessage", text("a@\u2060b", "reply_markup", keys, "disable_notification", true,
		"reply_parameters", map[string]any{"message_id": asked, "allow_sending_without_reply": true}))
	do(t, s, "sendMessage", text("two"))
	got := s.Messages(chat)
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	one := got[0]
	if one.Text != "a@b" || one.Sent != "a@\u2060b" || one.ReplyTo != asked || !one.Silent || one.Edited != 0 ||
		!slices.Equal(one.Buttons, []Button{{"Yes", "y"}, {"No", "n"}}) {
		t.Errorf("%+v", one)
	}
	do(t, s, "editMessageText", text("done", "message_id", one.ID))
	do(t, s, "editMessageText", text("done", "message_id", one.ID)) // changes nothing
	if m := s.Messages(chat)[0]; m.Text != "done" || m.Edited != 1 || len(m.Buttons) != 0 || m.ReplyTo != asked {
		t.Errorf("after the edit: %+v", m)
	}
	if want := []string{"sendMessage", "sendMessage", "sendMessage", "editMessageText", "editMessageText"}; !slices.Equal(s.Calls(), want) {
		t.Errorf("calls %q", s.Calls())
	}
}
