package slacktest

import (
	"slices"
	"strconv"
)

func historyScope(channel string) string {
	switch (channel + " ")[:1] {
	case "D":
		return "im:history"
	case "G":
		return "mpim:history"
	case "P":
		return "groups:history"
	}
	return "channels:history"
}

// history returns pages: newest first for a channel, oldest first for a thread.
func (c *conversations) history(p params, in func(m *standing) bool, newestFirst bool) (map[string]any, string) {
	if p.need("channel") == Gone {
		return nil, "channel_not_found"
	}
	limit, err := strconv.Atoi(p.need("limit"))
	if err != nil || limit < 1 || limit > 999 {
		return nil, "invalid_limit"
	}
	var list []*standing
	for _, m := range c.messages {
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
	for _, m := range list[min(from, to):to] {
		out = append(out, c.past(m, p.on("include_all_metadata")))
	}
	r := map[string]any{"messages": out, "has_more": to < len(list)}
	if to < len(list) {
		r["response_metadata"] = map[string]any{"next_cursor": strconv.Itoa(to)}
	}
	return r, ""
}

// past is a message in a history. One with replies has its own timestamp as its thread.
func (c *conversations) past(m *standing, withMetadata bool) map[string]any {
	e := map[string]any{"type": "message", "user": m.user, "text": m.text, "ts": m.ts}
	if m.bot != "" {
		e["bot_id"] = m.bot
	}
	if th := c.threadOf(m); th != "" {
		e["thread_ts"] = th
	}
	if m.file != nil {
		e["files"] = []any{map[string]any{"name": m.file.name, "title": m.file.name}}
	}
	if m.broadcast {
		e["subtype"] = "thread_broadcast"
	}
	if withMetadata && m.metadata != nil {
		e["metadata"] = m.metadata
	}
	return e
}

func (c *conversations) threadOf(m *standing) string {
	if m.thread != "" {
		return m.thread
	}
	for _, r := range c.messages {
		if r.channel == m.channel && r.thread == m.ts {
			return m.ts
		}
	}
	return ""
}
