package slack

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/channeltest"
	"github.com/longshift/longshift/internal/task"
)

func fixed(s string) Secret { return func(context.Context) (string, error) { return s, nil } }

// The payloads are in the shapes of Slack's reference, with fields that we do not use.

func messageEvent(kind, channel, user, text, ts, thread string) map[string]any {
	e := map[string]any{"type": kind, "channel": channel, "user": user, "text": text, "ts": ts, "event_ts": ts, "team": "T0",
		"client_msg_id": "e1f2", "blocks": []any{map[string]any{"type": "rich_text", "block_id": "x", "elements": []any{}}}}
	if kind == "message" {
		e["channel_type"] = map[string]string{"D": "im", "G": "mpim", "P": "group"}[channel[:1]]
		if e["channel_type"] == "" {
			e["channel_type"] = "channel"
		}
	}
	if thread != "" {
		e["thread_ts"], e["parent_user_id"] = thread, botUser
	}
	return e
}

func eventCall(event map[string]any) map[string]any {
	return map[string]any{"token": "XXYYZZ", "team_id": "T0", "api_app_id": "A0", "event": event, "type": "event_callback",
		"event_id": "Ev0PV52K21", "event_time": 1355517523,
		"authorizations": []any{map[string]any{"team_id": "T0", "user_id": botUser, "is_bot": true}}}
}

func pressCall(channel, message, thread, token, trigger, actionTS string, by channel.User) map[string]any {
	container := map[string]any{"type": "message", "message_ts": message, "channel_id": channel, "is_ephemeral": false}
	posted := map[string]any{"type": "message", "user": botUser, "ts": message, "bot_id": botID, "text": "…"}
	if thread != "" {
		container["thread_ts"], posted["thread_ts"] = thread, thread
	}
	return map[string]any{"type": "block_actions", "team": map[string]any{"id": "T0", "domain": "example"}, "api_app_id": "A0",
		"user": map[string]any{"id": by.ID, "username": by.Name, "name": by.Name, "team_id": "T0"}, "token": "XXYYZZ",
		"container": container, "trigger_id": trigger, "channel": map[string]any{"id": channel, "name": "general"}, "message": posted,
		"response_url": "https://hooks.slack.com/actions/T0/1/x", "state": map[string]any{"values": map[string]any{}},
		"actions": []any{map[string]any{"type": "button", "block_id": actionsID, "action_id": token, "value": token, "style": "primary",
			"text": map[string]any{"type": "plain_text", "text": "Approve", "emoji": false}, "action_ts": actionTS}}}
}

func formCall(v fakeView, text string, by channel.User) map[string]any {
	return map[string]any{"type": "view_submission", "team": map[string]any{"id": "T0"}, "api_app_id": "A0", "token": "XXYYZZ",
		"user":       map[string]any{"id": by.ID, "username": by.Name, "name": by.Name, "team_id": "T0"},
		"trigger_id": "98.76.form", "response_urls": []any{},
		"view": map[string]any{"id": v.ID, "team_id": "T0", "type": "modal", "callback_id": v.CallbackID, "hash": "156772938.1827394",
			"private_metadata": v.PrivateMetadata, "state": map[string]any{"values": map[string]any{
				v.input.BlockID: map[string]any{v.input.Element.ActionID: map[string]any{"type": "plain_text_input", "value": text}}}}}}
}

func commandCall(room, text, trigger, response string, by channel.User) url.Values {
	return url.Values{"token": {"XXYYZZ"}, "team_id": {"T0"}, "team_domain": {"example"}, "channel_id": {room}, "channel_name": {"general"},
		"user_id": {by.ID}, "user_name": {by.Name}, "command": {"/longshift"}, "text": {text}, "api_app_id": {"A0"},
		"is_enterprise_install": {"false"}, "response_url": {response}, "trigger_id": {trigger}}
}

// people plays those who use Slack, over one of the two ways in which Slack tells us.
type people struct {
	*fake
	via    func(kind string, payload any) // delivers
	last   func()                         // delivers the latest once more
	serial int
}

func (p *people) deliver(kind string, payload any) {
	p.last = func() { p.via(kind, payload) }
	p.last()
}

func (p *people) press(t *testing.T, at task.Place, token string, by channel.User) {
	p.mu.Lock()
	m := p.message(at.ID, at.Message)
	if m == nil {
		p.mu.Unlock()
		t.Fatalf("nothing to press at %+v", at)
	}
	p.serial++
	trigger := fmt.Sprintf("13345224609.738474920.%d", p.serial)
	p.triggers[trigger] = true
	ts := p.stamp()
	p.mu.Unlock()
	p.deliver(callInteraction, pressCall(at.ID, at.Message, m.thread, token, trigger, ts, by))
}

// say gives the message's id. A mention comes as app_mention here; that it comes as message too has a test of its own.
func (p *people) say(t *testing.T, s channeltest.Say) string {
	p.mu.Lock()
	ts, thread := p.stamp(), s.Room.Thread
	p.mu.Unlock()
	if s.ReplyTo != "" {
		thread = s.ReplyTo
	}
	kind, text := "message", entities(s.Text)
	if s.Direct {
		kind, text = "app_mention", "<@"+botUser+"> "+text
	}
	e := messageEvent(kind, s.Room.ID, s.User.ID, text, ts, thread)
	switch s.By {
	case channeltest.Robot:
		e["subtype"], e["bot_id"], e["user"] = "bot_message", "B0OTHER", "U0OTHER"
	case channeltest.Ourselves:
		e["bot_id"], e["user"] = botID, botUser
	default:
		e["user_profile"] = map[string]any{"display_name": s.User.Name, "name": s.User.Name}
	}
	p.deliver(callEvent, eventCall(e))
	return ts
}

func (p *people) fill(t *testing.T, text string, by channel.User) {
	var v fakeView
	eventually(t, "a form", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.views) == 0 {
			return false
		}
		v = p.views[len(p.views)-1]
		return true
	})
	p.deliver(callInteraction, formCall(v, text, by))
}

// caller sends signed calls to a handler.
type caller struct {
	t       *testing.T
	server  *httptest.Server
	secret  string
	now     func() time.Time
	headers map[string]string
}

func newCaller(t *testing.T, h http.Handler) *caller {
	c := &caller{t: t, server: httptest.NewServer(h), secret: signing, now: time.Now, headers: map[string]string{}}
	t.Cleanup(c.server.Close)
	return c
}

// body gives a payload as an HTTP call carries it.
func body(kind string, payload any) (media, text string) {
	if v, ok := payload.(url.Values); ok {
		return "application/x-www-form-urlencoded", v.Encode()
	}
	raw, err := json.Marshal(payload)
	if err != nil {
		panic(err)
	}
	if kind == callInteraction {
		return "application/x-www-form-urlencoded", url.Values{"payload": {string(raw)}}.Encode()
	}
	return "application/json", string(raw)
}

func (c *caller) call(kind string, payload any) (status int, text string) {
	media, text := body(kind, payload)
	stamp := fmt.Sprint(c.now().Unix())
	h := map[string]string{"Content-Type": media, "X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": signature(c.secret, stamp, text)}
	for k, v := range c.headers {
		h[k] = v
	}
	return c.send(text, h)
}

func signature(secret, stamp, text string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = io.WriteString(mac, "v0:"+stamp+":"+text)
	return "v0=" + hex.EncodeToString(mac.Sum(nil))
}

func (c *caller) send(text string, headers map[string]string) (int, string) {
	c.t.Helper()
	req, err := http.NewRequest(http.MethodPost, c.server.URL, strings.NewReader(text))
	if err != nil {
		c.t.Fatal(err)
	}
	for k, v := range headers {
		if v != "" {
			req.Header.Set(k, v)
		}
	}
	r, err := c.server.Client().Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer r.Body.Close()
	got, _ := io.ReadAll(r.Body)
	return r.StatusCode, string(got)
}
