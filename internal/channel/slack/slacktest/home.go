package slacktest

import (
	"encoding/json"
	"strings"
)

// Limits of a home in Slack's reference.
const (
	homeBlocks = 100
	homeBytes  = 250_000
)

// Home is the published home of a user.
type Home struct {
	Text      string   // as people see it, without markup
	Links     []string // addresses, in order
	Mentions  int      // effective mentions
	Published int      // number of times
}

func (vs *views) publishView(p params) (map[string]any, string) {
	user := p.need("user_id")
	var v struct {
		Type   string  `json:"type"`
		Blocks []block `json:"blocks"`
	}
	if len(p.need("view")) > homeBytes {
		vs.t.Errorf("a view of %d bytes", len(p.values["view"]))
		return nil, "view_too_large"
	}
	if err := json.Unmarshal([]byte(p.values["view"]), &v); err != nil || v.Type != "home" {
		vs.t.Errorf("view %q: %v", p.values["view"], err)
		return nil, "invalid_arguments"
	}
	if _, ok := countBlocks(vs.t, v.Blocks, homeBlocks); !ok {
		return nil, "invalid_arguments"
	}
	l := show(v.Blocks)
	h := Home{Text: l.text, Links: links(v.Blocks), Mentions: l.calls, Published: vs.homes[user].Published + 1}
	vs.homes[user] = h
	vs.changed.note()
	return map[string]any{"view": map[string]any{"id": "VH" + user, "type": "home"}}, ""
}

// links are the addresses in the text of sections.
func links(blocks []block) (list []string) {
	for _, b := range blocks {
		for _, found := range references.FindAllString(b.Text.Text, -1) {
			if address, _, _ := strings.Cut(found[1:len(found)-1], "|"); strings.HasPrefix(address, "https://") {
				list = append(list, unescape(address))
			}
		}
	}
	return list
}

// HomeOf waits until a user's home was published n times, and returns it.
func (vs *views) HomeOf(user string, n int) (h Home, ok bool) {
	ok = vs.changed.wait(func() bool {
		vs.mu.Lock()
		defer vs.mu.Unlock()
		h = vs.homes[user]
		return h.Published >= n
	})
	return h, ok
}

// OpenHome opens the app's home as a user, over Socket Mode.
func (s *Server) OpenHome(user string) {
	s.Socket.Deliver(Event, s.opening(user))
}

// OpenHomeHTTP is OpenHome as a signed request to a webhook. It returns the webhook's answer.
func (s *Server) OpenHomeHTTP(url, user string) (status int, body string) {
	return s.Send(url, Event, s.opening(user))
}

func (s *Server) opening(user string) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return EventCall(HomeEvent(user, "home", strings.ReplaceAll(s.stamp(), ".", "")))
}

// HomeEvent is that a user has opened a tab of the app's home, "home" or "messages".
func HomeEvent(user, tab, ts string) map[string]any {
	e := map[string]any{"type": "app_home_opened", "user": user, "channel": "D" + strings.TrimPrefix(user, "U"), "event_ts": ts, "tab": tab}
	if tab == "home" {
		e["view"] = map[string]any{"id": "VH" + user, "team_id": Team, "type": "home", "blocks": []any{}, "private_metadata": "",
			"callback_id": "", "hash": "1231232323.12321312", "bot_id": BotID}
	}
	return e
}
