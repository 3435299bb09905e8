package slacktest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// conversations hold what was written: messages, and answers that only one person sees.
type conversations struct {
	*shared
	messages []*standing
	answers  []answered
	commands map[string]string // users by path of the response URL
}

type standing struct {
	channel, ts, thread, user, bot, text string

	blocks    []block
	metadata  json.RawMessage
	file      *upload // that the message shows, or nil
	edited    int
	broadcast bool
}

func (c *conversations) message(channel, ts string) *standing {
	for _, m := range c.messages {
		if m.channel == channel && m.ts == ts {
			return m
		}
	}
	return nil
}

func (c *conversations) postMessage(p params) (map[string]any, string) {
	m := &standing{channel: p.need("channel"), thread: p.values["thread_ts"], user: BotUser, bot: BotID, broadcast: p.on("reply_broadcast")}
	if m.channel == Gone {
		return nil, "channel_not_found"
	}
	if m.broadcast && m.thread == "" {
		c.t.Error("chat.postMessage: reply_broadcast without thread_ts")
	}
	if m.thread != "" && c.message(m.channel, m.thread) == nil {
		m.thread, m.broadcast = "", false // Slack posts a reply to a deleted message in the channel itself
	}
	if code := c.checkThread(p, m.channel, m.thread); code != "" {
		return nil, code
	}
	if p.values["unfurl_links"] != "false" || p.values["unfurl_media"] != "false" {
		c.t.Errorf("post unfurls: links %q media %q", p.values["unfurl_links"], p.values["unfurl_media"])
	}
	var code string
	if m.text, m.blocks, code = p.content(); code != "" {
		return nil, code
	}
	if m.metadata, code = p.metadata(); code != "" {
		return nil, code
	}
	m.ts = c.stamp()
	c.messages = append(c.messages, m)
	return map[string]any{"channel": m.channel, "ts": m.ts, "message": map[string]any{"type": "message", "user": BotUser, "text": m.text}}, ""
}

// checkThread checks that thread is a message of the channel and not a reply.
func (c *conversations) checkThread(p params, channel, thread string) string {
	if thread == "" {
		return ""
	}
	root := c.message(channel, thread)
	if root == nil {
		return "thread_not_found"
	}
	if root.thread != "" {
		c.t.Errorf("%s: thread_ts %s is a reply; it must be the message that the thread hangs on", p.method, thread)
	}
	return ""
}

func (c *conversations) update(p params) (map[string]any, string) {
	m := c.message(p.need("channel"), p.need("ts"))
	if m == nil {
		return nil, "message_not_found"
	}
	if m.user != BotUser {
		return nil, "cant_update_message"
	}
	if p.on("reply_broadcast") { // Slack broadcasts an old reply without changing its text
		c.t.Error("chat.update: reply_broadcast beside a new text")
		return nil, "no_dual_broadcast_content_update"
	}
	text, blocks, code := p.content()
	if code != "" {
		return nil, code
	}
	meta, code := p.metadata()
	if code != "" {
		return nil, code
	}
	m.text, m.blocks, m.metadata = text, blocks, meta // fields missing from an edit may be lost
	m.edited++
	return map[string]any{"channel": m.channel, "ts": m.ts, "text": m.text}, ""
}

type answered struct{ user, text string }

func (c *conversations) postEphemeral(p params) (map[string]any, string) {
	if strings.HasPrefix(p.need("channel"), "D") {
		c.t.Error("a message for one person in a private chat")
	}
	if p.values["reply_broadcast"] != "" {
		c.t.Error("chat.postEphemeral knows no reply_broadcast")
	}
	if th := p.values["thread_ts"]; th != "" && c.message(p.values["channel"], th) == nil {
		return nil, "thread_not_found"
	}
	_, blocks, code := p.content()
	if code != "" {
		return nil, code
	}
	c.tell(p.need("user"), blocks)
	return map[string]any{"message_ts": c.stamp()}, ""
}

func (c *conversations) tell(user string, blocks []block) {
	c.answers = append(c.answers, answered{user, show(blocks).text})
	c.changed.note()
}

// respond handles a request to the response URL of a slash command.
func (c *conversations) respond(w http.ResponseWriter, path string, p params) {
	c.mu.Lock()
	defer c.mu.Unlock()
	user, known := c.commands[path]
	if !known {
		c.t.Errorf("answer at %s, which came with no command", path)
		http.Error(w, "used_url", http.StatusNotFound)
		return
	}
	var body struct {
		Type      string  `json:"response_type"`
		Text      string  `json:"text"`
		Broadcast bool    `json:"reply_broadcast"`
		Blocks    []block `json:"blocks"`
	}
	if err := json.Unmarshal(p.body, &body); err != nil || body.Type != "ephemeral" || body.Text == "" || body.Broadcast {
		c.t.Errorf("answer to a command: %+v, %v", body, err)
	}
	if code := checkBlocks(c.t, body.Blocks); code != "" {
		c.t.Errorf("answer to a command: %s", code)
	}
	c.tell(user, body.Blocks)
	_, _ = w.Write([]byte("ok"))
}
