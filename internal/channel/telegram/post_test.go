package telegram

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/telegram/telegramtest"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

func start(t *testing.T) (*telegramtest.Server, *Telegram) {
	s := telegramtest.New(t)
	s.Open(group, private)
	return s, open(t, s)
}

// tenThousand is a text of that many characters with code blocks, the last one longer than a message.
func tenThousand() (text string, code []string) {
	var s strings.Builder
	for i := 0; s.Len() < 6000; i++ {
		fmt.Fprintf(&s, "Step %d says 🎉 **why** it is done.\n\n", i)
		if i%20 == 10 {
			block := strings.TrimSpace(strings.Repeat(fmt.Sprintf("line of block %d\n", i), 60))
			code = append(code, block)
			fmt.Fprintf(&s, "```go\n%s\n```\n\n", block)
		}
	}
	var big []string
	for i := 0; s.Len()+15*len(big) < 10_000; i++ {
		big = append(big, fmt.Sprintf("big line %5d", i))
	}
	fmt.Fprintf(&s, "```sh\n%s\n```\n", strings.Join(big, "\n"))
	return s.String(), append(code, strings.Join(big, "\n"))
}

func TestTenThousandCharacters(t *testing.T) {
	s, x := start(t)
	text, code := tenThousand()
	m := channel.Message{Key: "k", Text: text, Loud: true, Buttons: []channel.Button{{Label: "Yes", Token: "yes.1", Style: channel.Primary}}}
	at, err := x.Post(t.Context(), room(group), m, false)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	stands := s.Messages(group)
	for i, p := range stands {
		last := i == len(stands)-1
		if last != (len(p.Buttons) == 1) || last == p.Silent || last != (strconv.Itoa(p.ID) == at.Message) {
			t.Errorf("part %d of %d: buttons %q, silent %v, id %d, place %+v", i, len(stands), p.Buttons, p.Silent, p.ID, at)
		}
		for _, e := range p.Entities {
			if e.Type == "pre" && e.Language != "go" && e.Language != "sh" {
				t.Errorf("code in %q", e.Language)
			}
		}
		got = append(got, p.Code()...)
	}
	n := len(code) - 1
	if len(stands) < 3 || !slices.Equal(got[:n], code[:n]) {
		t.Errorf("%d messages, %d blocks of code", len(stands), len(got))
	}
	if d := cmp.Diff(code[n], strings.Join(got[n:], "\n")); d != "" {
		t.Errorf("the block that takes several messages: %s", d)
	}
}

// TestGoesOnAfterAPause checks that no part is sent twice when Telegram asks for a pause in the middle.
func TestGoesOnAfterAPause(t *testing.T) {
	s, x := start(t)
	text, _ := tenThousand()
	m := channel.Message{Key: "k", Text: text}
	s.Fail(nil, telegramtest.Slow(3))
	_, err := x.Post(t.Context(), room(group), m, false)
	var later *fault.Later
	if !errors.As(err, &later) || later.After != 3*time.Second || fault.KindOf(err) != fault.Infra {
		t.Fatalf("got %v", err)
	}
	if len(s.Messages(group)) != 1 {
		t.Fatalf("%d messages before the pause", len(s.Messages(group)))
	}
	at, err := x.Post(t.Context(), room(group), m, true)
	if err != nil {
		t.Fatal(err)
	}
	want := parts(m, time.Now(), mostParts)
	for i, p := range s.Messages(group) {
		if i >= len(want) || p.Sent != want[i].text {
			t.Fatalf("%d messages, want %d; number %d is %.40q", len(s.Messages(group)), len(want), i, p.Sent)
		}
	}
	same, err := x.Post(t.Context(), room(group), m, true)
	if err != nil || !reflect.DeepEqual(same, at) || len(s.Messages(group)) != len(want) {
		t.Errorf("known to be written: %v, %+v and %+v, %d messages", err, at, same, len(s.Messages(group)))
	}
	m.Text = "Another text."
	if other, err := x.Post(t.Context(), room(group), m, true); err != nil || reflect.DeepEqual(other, at) {
		t.Errorf("another text under the key: %v, %+v", err, other)
	}
	if fresh, err := x.Post(t.Context(), room(group), m, false); err != nil || len(s.Messages(group)) != len(want)+2 {
		t.Errorf("not again: %v, %+v, %d messages", err, fresh, len(s.Messages(group)))
	}
}

func TestThreadMayBeGone(t *testing.T) {
	s, x := start(t)
	to := room(private)
	to.Thread = "55"
	at, err := x.Post(t.Context(), to, channel.Message{Key: "k", Text: "Hello."}, false)
	if err != nil || at.Room != to {
		t.Fatalf("%+v %v", at, err)
	}
	if got := s.Requests()[0].Params["reply_parameters"]; got != `{"message_id":55,"allow_sending_without_reply":true}` {
		t.Errorf("reply_parameters %s", got)
	}
}

func TestMovedGroup(t *testing.T) {
	s, x := start(t)
	s.Fail(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(400)
		fmt.Fprintf(w, `{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded to a supergroup chat","parameters":{"migrate_to_chat_id":%d}}`, group)
	})
	text, _ := tenThousand()
	to := task.Room{Channel: channel.Telegram, ID: "-77", Thread: "9"}
	at, err := x.Post(t.Context(), to, channel.Message{Key: "k", Text: text}, false)
	if err != nil || at.Room != room(group) {
		t.Fatalf("%+v %v", at, err)
	}
	for _, c := range s.Requests()[1:] {
		if c.Params["chat_id"] != room(group).ID || c.Params["reply_parameters"] != "" {
			t.Errorf("written to %s, answering %s", c.Params["chat_id"], c.Params["reply_parameters"])
		}
	}
}

// TestRefusals checks the fault for each of Telegram's errors, and that Edit ignores "not modified".
func TestRefusals(t *testing.T) {
	s, x := start(t)
	for _, c := range []struct {
		code int
		says string
		kind fault.Kind
	}{
		{400, "Bad Request: message is not modified: specified new message content and reply markup are exactly the same", ""},
		{400, "Bad Request: message to edit not found", fault.NotFound},
		{400, "Bad Request: message can't be edited", fault.NotFound},
		{400, "Bad Request: chat not found", fault.NotFound},
		{400, "Bad Request: PEER_ID_INVALID", fault.NotFound},
		{400, "Bad Request: not enough rights to send text messages to the chat", fault.Denied},
		{400, "Bad Request: can't parse entities", fault.Input},
		{401, "Unauthorized", fault.Denied},
		{403, "Forbidden: bot was blocked by the user", fault.Denied},
		{403, "Forbidden: bot was kicked from the supergroup chat", fault.Denied},
		{404, "Not Found", fault.Denied},
		{409, "Conflict: something", fault.Infra},
		{500, "Internal Server Error: sent while restarting", fault.Infra},
		{502, "Bad Gateway", fault.Infra},
	} {
		s.Fail(telegramtest.Refuse(c.code, c.says))
		at := task.MessageRef{Room: room(group), Message: "7"}
		err := x.Edit(t.Context(), at, channel.Message{Text: "x"})
		if fault.KindOf(err) != c.kind {
			t.Errorf("%s: %v (%s), want %s", c.says, err, fault.KindOf(err), c.kind)
		}
		if err != nil && !strings.Contains(err.Error(), strings.TrimPrefix(c.says, "Bad Request: ")) {
			t.Errorf("%s: the error is %v", c.says, err)
		}
		if fault.KindOf(err) == fault.Denied && fault.HintOf(err) == "" {
			t.Errorf("%s: no hint", c.says)
		}
	}
}

func TestNoMessageAndNoRoom(t *testing.T) {
	s, x := start(t)
	good := channel.Message{Key: "k", Text: "x"}
	for name, do := range map[string]func() error{
		"room's name": func() error {
			_, err := x.Post(t.Context(), task.Room{Channel: "telegram", ID: "@group"}, good, false)
			return err
		},
		"other channel": func() error {
			_, err := x.Post(t.Context(), task.Room{Channel: "slack", ID: "7"}, good, false)
			return err
		},
		"thread": func() error {
			_, err := x.Post(t.Context(), task.Room{Channel: "telegram", ID: "7", Thread: "x"}, good, false)
			return err
		},
		"message":    func() error { return x.Edit(t.Context(), task.MessageRef{Room: room(group), Message: "1.2"}, good) },
		"no message": func() error { return x.Edit(t.Context(), task.MessageRef{Room: room(group)}, good) },
		"only countdown": func() error {
			_, err := x.Post(t.Context(), room(group), channel.Message{Until: time.Now()}, false)
			return err
		},
		"long token": func() error {
			_, err := x.Post(t.Context(), room(group), channel.Message{Text: "x", Buttons: []channel.Button{{Label: "x", Token: strings.Repeat("é", 33)}}}, false)
			return err
		},
	} {
		if err := do(); fault.KindOf(err) != fault.Input {
			t.Errorf("%s: %v", name, err)
		}
	}
	if calls := s.Calls(); len(calls) != 0 {
		t.Errorf("calls: %v", calls)
	}
}

func TestKeyboardRows(t *testing.T) {
	short := []channel.Button{{Label: "Approve", Token: "a"}, {Label: "Edit", Token: "b"}}
	long := []channel.Button{{Label: "Approve all of this", Token: "a"}, {Label: "Tell me more of it", Token: "b", Style: channel.Danger}}
	for rows, list := range map[int][]channel.Button{1: short, 2: long} {
		k, err := keyboard(list)
		if err != nil || len(k.(keys).Rows) != rows {
			t.Errorf("%+v, %v", k, err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	token := func(context.Context) (string, error) { return testToken, nil }
	for name, c := range map[string]Config{
		"no token": {}, "in the clear": {Token: token, BaseURL: "http://bots.example.com"}, "no address": {Token: token, BaseURL: "bots"},
		"user": {Token: token, BaseURL: "https://a:b@bots.example.com"}, "query": {Token: token, BaseURL: "https://bots.example.com?x=1"},
		"poll": {Token: token, Poll: time.Minute}, "other scheme": {Token: token, BaseURL: "ftp://localhost"},
	} {
		if _, err := New(c); fault.KindOf(err) != fault.Input || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for base, want := range map[string]string{"": publicAPI, "https://bots.example.com/api/": "https://bots.example.com/api",
		"http://[::1]:8081": "http://[::1]:8081"} {
		if x, err := New(Config{Token: token, BaseURL: base}); err != nil || x.base != want {
			t.Errorf("%q: %v", base, err)
		}
	}
}
