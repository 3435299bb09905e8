package slacktest

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// witness records the failures that a Server reports.
type witness struct {
	testing.TB
	mu    sync.Mutex
	wrong []string
}

func (w *witness) Helper() {}

func (w *witness) Errorf(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
}

func (w *witness) Error(args ...any) { w.Errorf("%s", fmt.Sprint(args...)) }

// post returns the parameters of a valid post, modified by pairs of name and value.
func post(more ...string) url.Values {
	v := url.Values{"token": {BotToken}, "channel": {General}, "text": {"x"}, "parse": {"none"}, "unfurl_links": {"false"},
		"unfurl_media": {"false"}, "blocks": {`[{"type":"section","text":{"type":"mrkdwn","text":"x","verbatim":true}}]`}}
	for i := 0; i < len(more); i += 2 {
		v.Set(more[i], more[i+1])
	}
	return v
}

// home returns the parameters of views.publish.
func home(view string) url.Values {
	return url.Values{"token": {BotToken}, "user_id": {"U0ADA"}, "view": {view}}
}

// full is n blocks.
func full(n int) string {
	return strings.TrimSuffix(strings.Repeat(`{"type":"section","text":{"type":"mrkdwn","text":"x","verbatim":true}},`, n), ",")
}

func TestStrict(t *testing.T) {
	for name, c := range map[string]struct {
		method string
		params func(root, reply string) url.Values
		code   string // error code of the answer, or ""
		wrong  string // reported failure, or ""
	}{
		"a post":            {"chat.postMessage", func(_, _ string) url.Values { return post() }, "", ""},
		"shown in channel":  {"chat.postMessage", func(root, _ string) url.Values { return post("thread_ts", root, "reply_broadcast", "true") }, "", ""},
		"shown, no thread":  {"chat.postMessage", func(_, _ string) url.Values { return post("reply_broadcast", "true") }, "", "without thread_ts"},
		"thread on a reply": {"chat.postMessage", func(_, reply string) url.Values { return post("thread_ts", reply) }, "", "is a reply"},
		"reply to nothing":  {"chat.postMessage", func(_, _ string) url.Values { return post("thread_ts", "1.000001") }, "", ""},
		"no such thread": {"conversations.replies", func(_, _ string) url.Values { return post("ts", "1.000001", "limit", "9") },
			"thread_not_found", ""},
		"edit that shows": {"chat.update", func(_, reply string) url.Values { return post("ts", reply, "reply_broadcast", "true") },
			"no_dual_broadcast_content_update", "beside a new text"},
		"edit of another's": {"chat.update", func(root, _ string) url.Values { return post("ts", root) }, "cant_update_message", ""},
		"edit":              {"chat.update", func(_, reply string) url.Values { return post("ts", reply) }, "", ""},
		"unfurling":         {"chat.postMessage", func(_, _ string) url.Values { return post("unfurl_links", "true") }, "", "unfurls"},
		"parsing":           {"chat.postMessage", func(_, _ string) url.Values { return post("parse", "full") }, "", "would be parsed"},
		"long text":         {"chat.postMessage", func(_, _ string) url.Values { return post("text", strings.Repeat("x", 4001)) }, "msg_too_long", ""},
		"another token":     {"chat.postMessage", func(_, _ string) url.Values { return post("token", "xoxb-x") }, "invalid_auth", ""},
		"unknown method":    {"chat.delete", func(_, _ string) url.Values { return post() }, "unknown_method", "chat.delete"},
		"no form":           {"views.open", func(_, _ string) url.Values { return post("trigger_id", "1.2.3") }, "expired_trigger_id", ""},
		"no home":           {"views.publish", func(_, _ string) url.Values { return home(`{"type":"modal","blocks":[]}`) }, "invalid_arguments", "modal"},
		"full home": {"views.publish", func(_, _ string) url.Values { return home(`{"type":"home","blocks":[` + full(101) + `]}`) },
			"invalid_arguments", "101 blocks"},
		"home":  {"views.publish", func(_, _ string) url.Values { return home(`{"type":"home","blocks":[` + full(100) + `]}`) }, "", ""},
		"block": {"chat.postMessage", func(_, _ string) url.Values { return post("blocks", `[{"type":"video"}]`) }, "invalid_blocks", "video"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &witness{TB: t}
			s := New(w)
			root := s.Put(Post{Channel: General, User: "U0ADA", Text: "Root."})
			reply := s.Put(Post{Channel: General, User: BotUser, Thread: root, Text: "Reply."})
			status, body := s.Post(s.URL+"/"+c.method, c.params(root, reply).Encode(), http.Header{"Content-Type": {"application/x-www-form-urlencoded"}})
			if ok := strings.Contains(body, `"ok":true`); status != 200 || ok != (c.code == "") || !strings.Contains(body, c.code) {
				t.Errorf("status %d %s, want code %q", status, body, c.code)
			}
			if all := strings.Join(w.wrong, "\n"); (all == "") != (c.wrong == "") || !strings.Contains(all, c.wrong) {
				t.Errorf("the test was told %q, want %q", all, c.wrong)
			}
		})
	}
}

// TestDown checks that all URLs fail during an outage, and work again after it.
func TestDown(t *testing.T) {
	s := New(t)
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	s.Down(true)
	for _, address := range []string{s.URL + "/auth.test", s.URL + "/apps.connections.open", s.AnswerURL("U0ADA"), s.root + "/socket"} {
		if status, _ := s.Post(address, post().Encode(), header); status != http.StatusServiceUnavailable {
			t.Errorf("%s: status %d", address, status)
		}
	}
	s.Down(false)
	if status, body := s.Post(s.URL+"/auth.test", post().Encode(), header); status != 200 || !strings.Contains(body, `"ok":true`) {
		t.Errorf("status %d %s", status, body)
	}
	if n := s.Calls()["auth.test"]; n != 1 {
		t.Errorf("%d calls were taken", n)
	}
}
