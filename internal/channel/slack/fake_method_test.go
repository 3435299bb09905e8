package slack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// params are those of one call, form or JSON.
type params struct {
	t      *testing.T
	method string
	token  string
	values map[string]string
}

func (p *params) read(r *http.Request) {
	p.token = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		var raw map[string]json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&raw); err != nil {
			p.t.Errorf("%s: body: %v", p.method, err)
		}
		for k, v := range raw {
			if json.Unmarshal(v, new(string)) == nil {
				var s string
				_ = json.Unmarshal(v, &s)
				p.values[k] = s
				continue
			}
			p.values[k] = string(v)
		}
		return
	}
	if err := r.ParseForm(); err != nil {
		p.t.Errorf("%s: form: %v", p.method, err)
	}
	for k, v := range r.PostForm {
		p.values[k] = v[0]
	}
	if p.token == "" {
		p.token = p.values["token"]
	}
}

func (p *params) need(name string) string {
	if p.values[name] == "" {
		p.t.Errorf("%s: %s is required", p.method, name)
	}
	return p.values[name]
}

// content holds what posts and edits have in common.
func (p *params) content() (text string, blocks []fakeBlock, code string) {
	text = p.need("text")
	if chars(text) > 4000 {
		return "", nil, "msg_too_long"
	}
	if p.values["parse"] != "none" || p.values["link_names"] == "true" || p.values["link_names"] == "1" {
		p.t.Errorf("%s: names and addresses would be parsed: parse=%q link_names=%q", p.method, p.values["parse"], p.values["link_names"])
	}
	if raw := p.values["blocks"]; raw != "" {
		if err := json.Unmarshal([]byte(raw), &blocks); err != nil {
			return "", nil, "invalid_blocks_format"
		}
	}
	return text, blocks, checkBlocks(p.t, blocks)
}

var stampForm = regexp.MustCompile(`^\d+\.\d{6}$`)

func (f *fake) postMessage(p params) (map[string]any, string) {
	m := &stored{channel: p.need("channel"), thread: p.values["thread_ts"], user: botUser, bot: botID}
	if m.channel == "C0GONE" {
		return nil, "channel_not_found"
	}
	if m.thread != "" && f.message(m.channel, m.thread) == nil {
		return nil, "thread_not_found"
	}
	if p.values["unfurl_links"] != "false" || p.values["unfurl_media"] != "false" {
		f.t.Errorf("post unfurls: links %q media %q", p.values["unfurl_links"], p.values["unfurl_media"])
	}
	var code string
	if m.text, m.blocks, code = p.content(); code != "" {
		return nil, code
	}
	if m.metadata, code = metadata(p); code != "" {
		return nil, code
	}
	m.ts = f.stamp()
	f.messages = append(f.messages, m)
	return map[string]any{"channel": m.channel, "ts": m.ts, "message": map[string]any{"type": "message", "user": botUser, "text": m.text}}, ""
}

func metadata(p params) (json.RawMessage, string) {
	raw := p.values["metadata"]
	if raw == "" {
		return nil, ""
	}
	var m struct {
		Type    string         `json:"event_type"`
		Payload map[string]any `json:"event_payload"`
	}
	if err := json.Unmarshal([]byte(raw), &m); err != nil || m.Type == "" || m.Payload == nil {
		return nil, "invalid_metadata_format"
	}
	return json.RawMessage(raw), ""
}

func (f *fake) update(p params) (map[string]any, string) {
	m := f.message(p.need("channel"), p.need("ts"))
	if m == nil {
		return nil, "message_not_found"
	}
	if m.user != botUser {
		return nil, "cant_update_message"
	}
	text, blocks, code := p.content()
	if code != "" {
		return nil, code
	}
	meta, code := metadata(p)
	if code != "" {
		return nil, code
	}
	m.text, m.blocks, m.metadata = text, blocks, meta // what an edit leaves out may be lost
	return map[string]any{"channel": m.channel, "ts": m.ts, "text": m.text}, ""
}

func (f *fake) postEphemeral(p params) (map[string]any, string) {
	p.need("user")
	if strings.HasPrefix(p.need("channel"), "D") {
		f.t.Error("a message for one person in a private chat")
	}
	if th := p.values["thread_ts"]; th != "" && f.message(p.values["channel"], th) == nil {
		return nil, "thread_not_found"
	}
	_, blocks, code := p.content()
	if code != "" {
		return nil, code
	}
	f.answers = append(f.answers, showBlocks(blocks).text)
	return map[string]any{"message_ts": f.stamp()}, ""
}

// respond takes an answer at the address that came with a slash command.
func (f *fake) respond(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var body struct {
		Type   string      `json:"response_type"`
		Text   string      `json:"text"`
		Blocks []fakeBlock `json:"blocks"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.Type != "ephemeral" || body.Text == "" {
		f.t.Errorf("answer to a command: %+v, %v", body, err)
	}
	if code := checkBlocks(f.t, body.Blocks); code != "" {
		f.t.Errorf("answer to a command: %s", code)
	}
	f.answers = append(f.answers, showBlocks(body.Blocks).text)
	_, _ = w.Write([]byte("ok"))
}

func (f *fake) openView(p params) (map[string]any, string) {
	if !f.triggers[p.need("trigger_id")] {
		return nil, "expired_trigger_id"
	}
	delete(f.triggers, p.values["trigger_id"])
	var v struct {
		Type     string      `json:"type"`
		Title    fakeText    `json:"title"`
		Submit   fakeText    `json:"submit"`
		Callback string      `json:"callback_id"`
		Private  string      `json:"private_metadata"`
		Blocks   []fakeBlock `json:"blocks"`
	}
	if err := json.Unmarshal([]byte(p.need("view")), &v); err != nil {
		f.t.Errorf("view: %v", err)
	}
	switch {
	case v.Type != "modal", v.Title.Type != "plain_text", v.Title.Text == "", chars(v.Title.Text) > 24,
		v.Submit.Text == "", chars(v.Submit.Text) > 24, len(v.Private) > 3000, len(v.Callback) > 255, len(v.Blocks) != 1:
		f.t.Errorf("view %+v", v)
		return nil, "invalid_arguments"
	}
	b := v.Blocks[0]
	if b.Type != "input" || b.Label.Text == "" || b.Label.Type != "plain_text" || chars(b.Label.Text) > 2000 || b.BlockID == "" ||
		b.Element.Type != "plain_text_input" || !b.Element.Multiline || b.Element.ActionID == "" || b.Element.MaxLength > 3000 {
		f.t.Errorf("field %+v", b)
		return nil, "invalid_arguments"
	}
	f.views = append(f.views, fakeView{ID: fmt.Sprintf("V%d", len(f.views)+1), CallbackID: v.Callback, PrivateMetadata: v.Private, input: b})
	return map[string]any{"view": map[string]any{"id": f.views[len(f.views)-1].ID}}, ""
}

// history gives pages: of a channel newest first, of a thread oldest first.
func (f *fake) history(p params, in func(m *stored) bool, newestFirst bool) (map[string]any, string) {
	if p.need("channel") == "C0GONE" {
		return nil, "channel_not_found"
	}
	limit, err := strconv.Atoi(p.need("limit"))
	if err != nil || limit < 1 || limit > 999 {
		return nil, "invalid_limit"
	}
	var list []*stored
	for _, m := range f.messages {
		if m.channel == p.values["channel"] && in(m) {
			list = append(list, m)
		}
	}
	if newestFirst {
		slices.Reverse(list)
	}
	from, _ := strconv.Atoi(p.values["cursor"])
	to := min(from+limit, len(list))
	out := []map[string]any{}
	for _, m := range list[from:to] {
		e := map[string]any{"type": "message", "user": m.user, "text": m.text, "ts": m.ts}
		if m.bot != "" {
			e["bot_id"] = m.bot
		}
		if m.thread != "" {
			e["thread_ts"] = m.thread
		}
		if p.values["include_all_metadata"] == "1" && m.metadata != nil {
			e["metadata"] = m.metadata
		}
		out = append(out, e)
	}
	r := map[string]any{"messages": out, "has_more": to < len(list)}
	if to < len(list) {
		r["response_metadata"] = map[string]any{"next_cursor": strconv.Itoa(to)}
	}
	return r, ""
}
