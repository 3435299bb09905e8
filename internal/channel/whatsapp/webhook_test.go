package whatsapp

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
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/whatsapp/whatsapptest"
)

// ears record events.
type ears struct {
	mu     sync.Mutex
	events []channel.Event
	answer channel.Answer
	err    error
}

func (e *ears) hear(_ context.Context, ev channel.Event) (channel.Answer, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.events = append(e.events, ev)
	return e.answer, e.err
}

func (e *ears) take() []channel.Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	heard := e.events
	e.events = nil
	return heard
}

type scene struct {
	*whatsapptest.Server
	*ears
	hook *hook
	log  *bytes.Buffer
}

func stage(t *testing.T, change func(*Config)) *scene {
	s := &scene{Server: whatsapptest.New(t), ears: &ears{}, log: &bytes.Buffer{}}
	w := open(t, s.Server, func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(s.log, nil))
		if change != nil {
			change(c)
		}
	})
	s.hook = serve(t, s.Server, w.Handler(s.hear))
	return s
}

func TestConfirm(t *testing.T) {
	q := func(mode, token, challenge string) string {
		return "?" + url.Values{"hub.mode": {mode}, "hub.verify_token": {token}, "hub.challenge": {challenge}}.Encode()
	}
	broken := func(context.Context) (string, error) { return "", errors.New("the vault is closed") }
	for name, c := range map[string]struct {
		query  string
		token  Secret
		status int
		body   string
	}{
		"good":          {q("subscribe", verify, "1158201444"), nil, 200, "1158201444"},
		"wrong token":   {q("subscribe", verify+"x", "1158201444"), nil, 403, "refused\n"},
		"part of it":    {q("subscribe", verify[:3], "1158201444"), nil, 403, "refused\n"},
		"no token":      {q("subscribe", "", "1158201444"), nil, 403, "refused\n"},
		"mode":          {q("unsubscribe", verify, "1158201444"), nil, 403, "refused\n"},
		"nothing":       {"", nil, 403, "refused\n"},
		"empty is ours": {q("subscribe", "", "1"), give(""), 500, "not ready\n"},
		"not readable":  {q("subscribe", verify, "1"), broken, 500, "not ready\n"},
		"no number":     {q("subscribe", verify, "<script>"), nil, 400, "no challenge\n"},
	} {
		s := stage(t, func(cfg *Config) {
			if c.token != nil {
				cfg.VerifyToken = c.token
			}
		})
		resp, err := http.Get(s.hook.url + c.query)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != c.status || string(body) != c.body || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
			t.Errorf("%s: %d %q %q", name, resp.StatusCode, body, resp.Header.Get("Content-Type"))
		}
		if strings.Contains(s.log.String(), verify) || (c.status == 403 || c.status == 500) != (s.log.Len() > 0) {
			t.Errorf("%s: log %q", name, s.log)
		}
	}
}

func TestSignatures(t *testing.T) {
	body := batch(said("wamid.1", "approve secret-plan", "", noon))
	good := sign(body, secret)
	for name, c := range map[string]struct{ body, signature string }{
		"unsigned":          {body, ""},
		"wrong secret":      {body, sign(body, "another")},
		"empty secret":      {body, sign(body, "")},
		"of another body":   {body + " ", good},
		"changed":           {strings.Replace(body, "approve", "rejects", 1), good},
		"cut":               {body, good[:len(good)-2]},
		"longer":            {body, good + "00"},
		"no hex":            {body, "sha256=" + strings.Repeat("z", 64)},
		"nothing behind it": {body, "sha256="},
		"no prefix":         {body, strings.TrimPrefix(good, "sha256=")},
		"sha1":              {body, "sha1=" + strings.TrimPrefix(good, "sha256=")},
		"malformed too":     {"{", "sha256=00"},
	} {
		s := stage(t, nil)
		if status := s.hook.send(c.body, c.signature); status != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, status)
		}
		if heard := s.take(); len(heard) != 0 || len(s.Messages("")) != 0 {
			t.Errorf("%s: heard %+v, sent %+v", name, heard, s.Messages(""))
		}
		if text := s.log.String(); !strings.Contains(text, "signature") || strings.Contains(text, "secret-plan") || strings.Contains(text, secret) {
			t.Errorf("%s: log %q", name, text)
		}
	}
	s := stage(t, nil)
	if status := s.hook.send(body, good); status != http.StatusOK || len(s.take()) != 1 {
		t.Errorf("the good one: %d", status)
	}
	for name, none := range map[string]Secret{"empty": give(""), "unreadable": func(context.Context) (string, error) { return "", errors.New("closed") }} {
		s := stage(t, func(c *Config) { c.AppSecret = none })
		if status := s.hook.send(body, sign(body, "")); status != http.StatusInternalServerError || len(s.take()) != 0 {
			t.Errorf("%s secret: %d", name, status)
		}
	}
}

func TestBodies(t *testing.T) {
	foreign := strings.Replace(batch(said("wamid.1", "x", "", noon)), numberID, "999", 1)
	for name, c := range map[string]struct {
		body   string
		status int
	}{
		"too large":     {batch(said("wamid.1", strings.Repeat("x", maxDelivery), "", noon)), 413},
		"no JSON":       {"{", 400},
		"nothing":       {"", 400},
		"a list":        {"[]", 400},
		"other object":  {strings.Replace(batch(said("wamid.1", "x", "", noon)), "whatsapp_business_account", "page", 1), 400},
		"other shape":   {strings.Replace(batch(), `"messages":[]`, `"messages":{}`, 1), 400},
		"foreign":       {foreign, 200},
		"no number":     {strings.Replace(foreign, `"phone_number_id":"999"`, `"x":1`, 1), 200},
		"other field":   {strings.Replace(batch(said("wamid.1", "x", "", noon)), `"field":"messages"`, `"field":"history"`, 1), 200},
		"nothing in it": {batch(), 200},
		"no sender":     {batch(strings.Replace(said("wamid.1", "x", "", noon), `"from":"`+ada+`"`, `"from":""`, 1)), 200},
		"odd sender":    {batch(strings.Replace(said("wamid.1", "x", "", noon), `"from":"`+ada+`"`, `"from":"../x"`, 1)), 200},
		"no id":         {batch(said("", "x", "", noon)), 200},
		"no time":       {batch(strings.Replace(said("wamid.1", "x", "", noon), fmt.Sprint(noon.Unix()), "soon", 1)), 200},
		"empty text":    {batch(strings.Replace(said("wamid.1", "x", "", noon), `"type":"text"`, `"type":"system"`, 1)), 200},
		"forwarded":     {batch(strings.Replace(said("wamid.1", "run x", "", noon), `"from"`, `"context":{"forwarded":true},"from"`, 1)), 200},
		"sent on often": {batch(strings.Replace(said("wamid.1", "run x", "", noon), `"from"`, `"context":{"frequently_forwarded":true},"from"`, 1)), 200},
		"sent on, odd":  {batch(strings.Replace(said("wamid.1", "run x", "", noon), `"from"`, `"context":{"forwarded":"true"},"from"`, 1)), 200},
		"group":         {batch(strings.Replace(said("wamid.1", "x", "", noon), `"from"`, `"group_id":"Y2FwaV9ncm91cDox","from"`, 1)), 200},
		"reaction": {batch(fmt.Sprintf(`{"from":%q,"id":"wamid.1","timestamp":"%d","type":"reaction","reaction":{"message_id":"wamid.0","emoji":"x"}}`,
			ada, noon.Unix())), 200},
	} {
		s := stage(t, nil)
		if status := s.hook.send(c.body, sign(c.body, secret)); status != c.status {
			t.Errorf("%s: %d, want %d", name, status, c.status)
		}
		if heard := s.take(); len(heard) != 0 || len(s.Messages("")) != 0 {
			t.Errorf("%s: heard %+v, sent %+v", name, heard, s.Messages(""))
		}
	}
	s := stage(t, nil)
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPut, s.hook.url, nil)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("PUT: %d", resp.StatusCode)
	}
}

// An invalid message does not affect the others of its delivery.
func TestEvents(t *testing.T) {
	s := stage(t, nil)
	old := noon.Add(-3 * 24 * time.Hour)
	hiding := strings.Replace(said("wamid.3", "hi", "", noon), `"from":"`+ada+`"`, `"from_user_id":"US.13491208655302741918"`, 1)
	if status := s.hook.deliver(said("wamid.1", "status", "wamid.ours", noon), `{"from":1}`, pressed("wamid.2", "approve.task-1", "wamid.ours", old),
		hiding); status != 200 {
		t.Errorf("status %d", status)
	}
	user, room := channel.User{ID: ada, Name: "Ada"}, room
	other := room
	other.ID = "US.13491208655302741918"
	want := []channel.Event{
		{Kind: channel.Said, User: user, Room: room, Direct: true, Text: "status", ReplyTo: "wamid.ours", Message: "wamid.1", At: noon},
		{Kind: channel.Press, User: user, Room: room, Direct: true, Token: "approve.task-1", Message: "wamid.ours", At: old},
		{Kind: channel.Said, User: channel.User{ID: other.ID, Name: other.ID}, Room: other, Direct: true, Text: "hi", Message: "wamid.3", At: noon},
	}
	heard := s.take()
	ids := map[string]bool{}
	for i := range heard {
		if !regexp.MustCompile(`^whatsapp-[0-9a-f]{32}$`).MatchString(heard[i].ID) || ids[heard[i].ID] {
			t.Errorf("id %q", heard[i].ID)
		}
		ids[heard[i].ID] = true
		heard[i].ID = ""
	}
	if diff := cmp.Diff(want, heard); diff != "" {
		t.Error(diff)
	}
	if got := s.Messages(""); len(got) != 0 {
		t.Errorf("sent %+v", got)
	}
}

func TestReplay(t *testing.T) {
	s := stage(t, nil)
	body := batch(pressed("wamid.1", "yes.1", "wamid.ours", noon))
	for range 2 {
		if status := s.hook.send(body, sign(body, secret)); status != 200 {
			t.Errorf("status %d", status)
		}
	}
	if heard := s.take(); len(heard) != 2 || heard[0] != heard[1] {
		t.Errorf("heard %+v", heard)
	}
}

func TestHearError(t *testing.T) {
	s := stage(t, nil)
	s.err = errors.New("the server is away")
	if status := s.hook.deliver(said("wamid.1", "status of secret-plan", "", noon), said("wamid.2", "b", "", noon)); status != 500 {
		t.Errorf("status %d", status)
	}
	if heard := s.take(); len(heard) != 2 || len(s.Messages("")) != 0 {
		t.Errorf("heard %+v, sent %+v", heard, s.Messages(""))
	}
	if text := s.log.String(); !strings.Contains(text, "the server is away") || strings.Contains(text, "secret-plan") {
		t.Errorf("log %q", text)
	}
}

func TestAnswers(t *testing.T) {
	s := stage(t, nil)
	s.answer = channel.Answer{Text: "Done: **two** tasks.", Form: &channel.Question{Title: "Edit", Hint: "Reply to the plan.", Token: "t"}}
	s.hook.deliver(pressed("wamid.1", "edit.1", "wamid.ours", noon))
	id := s.take()[0].ID
	if diff := cmp.Diff([]whatsapptest.Message{{ID: s.Messages("")[0].ID, To: ada, QuotedID: "wamid.1", Key: id, Type: "text",
		Text: "Done: two tasks.\n\nReply to the plan.", Sent: "Done: *two* tasks.\n\nReply to the plan."}}, s.Messages("")); diff != "" {
		t.Error(diff)
	}
	s.Fail(whatsapptest.Problem(400, 131047, "Re-engagement message"))
	if status := s.hook.deliver(said("wamid.2", "secret-plan", "", noon)); status != 200 {
		t.Errorf("an answer that was not sent: %d", status)
	}
	if text := s.log.String(); !strings.Contains(text, "24 hours") || strings.Contains(text, "secret-plan") || strings.Contains(text, accessed) ||
		strings.Contains(text, ada) {
		t.Errorf("log %q", text)
	}
}

// A delivery is acknowledged before it is answered. When it comes again, because a part of it failed or for no reason, it is answered only
// where it was not before.
func TestAnswersFollowTheAcknowledgement(t *testing.T) {
	p, away := whatsapptest.New(t), true
	var rec *httptest.ResponseRecorder
	w := open(t, p, func(c *Config) {
		c.HTTP = &http.Client{Transport: carrier(func(r *http.Request) (*http.Response, error) {
			if !rec.Flushed {
				t.Error("an answer was sent before the acknowledgement")
			}
			return p.Client().Transport.RoundTrip(r)
		})}
	})
	handler := w.Handler(func(_ context.Context, e channel.Event) (channel.Answer, error) {
		if e.Text == "second" && away {
			return channel.Answer{}, errors.New("the server is away")
		}
		return channel.Answer{Text: "To " + e.Text}, nil
	})
	body := batch(said("wamid.1", "first", "", noon), said("wamid.2", "second", "", noon))
	for i, want := range []struct {
		status int
		sent   string
	}{{500, "To first"}, {200, "To first, To second"}, {200, "To first, To second"}} {
		rec = httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("X-Hub-Signature-256", sign(body, secret))
		handler.ServeHTTP(rec, r)
		away = false
		var sent []string
		for _, m := range p.Messages(ada) {
			sent = append(sent, m.Text)
		}
		if all := strings.Join(sent, ", "); rec.Code != want.status || all != want.sent {
			t.Errorf("delivery %d: status %d, sent %q", i+1, rec.Code, all)
		}
	}
}

type carrier func(*http.Request) (*http.Response, error)

func (c carrier) RoundTrip(r *http.Request) (*http.Response, error) { return c(r) }

// A sender of unsupported messages is told so once in a while, but not for old messages.
func TestNotUnderstood(t *testing.T) {
	now := noon
	s := stage(t, func(c *Config) { c.Now = func() time.Time { return now } })
	image := func(id string, at time.Time) string {
		return fmt.Sprintf(`{"from":%q,"id":%q,"timestamp":"%d","type":"image","image":{"mime_type":"image/jpeg","id":"2754859441498128"}}`, ada, id, at.Unix())
	}
	s.hook.deliver(image("wamid.0", noon.Add(-2*time.Hour)))
	if len(s.Messages("")) != 0 {
		t.Errorf("sent %+v", s.Messages(""))
	}
	s.hook.deliver(image("wamid.1", noon), image("wamid.2", noon))
	s.hook.deliver(image("wamid.1", noon))
	s.hook.deliver(pressed("wamid.3", "no token", "wamid.ours", noon))
	if got := s.Messages(""); len(got) != 1 || got[0].Sent != onlyText || got[0].QuotedID != "wamid.1" {
		t.Errorf("sent %+v", got)
	}
	now = noon.Add(pardonOnce)
	s.hook.deliver(image("wamid.4", now))
	if got := s.Messages(""); len(got) != 2 {
		t.Errorf("after an hour: sent %+v", got)
	}
	if heard := s.take(); len(heard) != 0 {
		t.Errorf("heard %+v", heard)
	}
}

func TestStatuses(t *testing.T) {
	s := stage(t, nil)
	body := strings.Replace(batch(), `"messages":[]`, `"statuses":[`+
		`{"id":"wamid.1","status":"read","timestamp":"1","recipient_id":"`+ada+`","biz_opaque_callback_data":"k-read"},`+
		`{"id":"wamid.2","status":"failed","timestamp":"1","recipient_id":"`+ada+
		`","biz_opaque_callback_data":"k-failed","errors":[{"code":131047,"title":"secret-plan"}]},7]`, 1)
	if status := s.hook.send(body, sign(body, secret)); status != 200 || len(s.take()) != 0 {
		t.Errorf("status %d", status)
	}
	text := s.log.String()
	if strings.Count(text, "\n") != 1 || !strings.Contains(text, "k-failed") || !strings.Contains(text, "131047") ||
		strings.Contains(text, "secret-plan") || strings.Contains(text, ada) {
		t.Errorf("log %q", text)
	}
}
