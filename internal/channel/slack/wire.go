package slack

import (
	"encoding/json"
	"net/url"
)

// Slack's payloads, reduced to the fields in use. Socket Mode and HTTP requests have the same ones. The library's types
// are unsuitable: they reject a whole payload because of one unknown part.

// callback wraps an event or a URL verification.
type callback struct {
	Type      string   `json:"type"`
	Challenge string   `json:"challenge"`
	TeamID    string   `json:"team_id"`
	Event     incoming `json:"event"`
}

// incoming is a message event, an app_mention event or an app_home_opened event.
type incoming struct {
	Type        string            `json:"type"`
	Subtype     string            `json:"subtype"`
	Channel     string            `json:"channel"`
	ChannelType string            `json:"channel_type"`
	User        string            `json:"user"`
	BotID       string            `json:"bot_id"`
	Text        string            `json:"text"`
	TS          string            `json:"ts"`
	ThreadTS    string            `json:"thread_ts"`
	Team        string            `json:"team"`        // of the author, as the next two; which of them is set varies
	UserTeam    string            `json:"user_team"`   // in channels shared with another workspace
	SourceTeam  string            `json:"source_team"` // as UserTeam
	Profile     profile           `json:"user_profile"`
	Tab         string            `json:"tab"`      // of app_home_opened: "home" or "messages"
	EventTS     string            `json:"event_ts"` // of app_home_opened, which is no message
	Files       []json.RawMessage `json:"files"`
	Edited      *struct {
		TS string `json:"ts"`
	} `json:"edited"`
}

type profile struct {
	Team        string `json:"team"`
	DisplayName string `json:"display_name"`
	Name        string `json:"name"`
}

// interaction is a press of a button or a submitted form.
type interaction struct {
	Type      string `json:"type"`
	TriggerID string `json:"trigger_id"`
	Team      struct {
		ID string `json:"id"`
	} `json:"team"`
	User struct {
		ID       string `json:"id"`
		TeamID   string `json:"team_id"`
		Username string `json:"username"`
		Name     string `json:"name"`
	} `json:"user"`
	Channel struct {
		ID string `json:"id"`
	} `json:"channel"`
	Container struct {
		MessageTS string `json:"message_ts"`
		ThreadTS  string `json:"thread_ts"`
	} `json:"container"`
	Message struct {
		TS       string `json:"ts"`
		ThreadTS string `json:"thread_ts"`
	} `json:"message"`
	Actions []action `json:"actions"`
	View    view     `json:"view"`
}

type action struct {
	Type     string `json:"type"`
	BlockID  string `json:"block_id"`
	ActionID string `json:"action_id"`
	Value    string `json:"value"`
	ActionTS string `json:"action_ts"`
}

type view struct {
	ID              string `json:"id"`
	CallbackID      string `json:"callback_id"`
	PrivateMetadata string `json:"private_metadata"`
	State           struct {
		Values map[string]map[string]struct {
			Value string `json:"value"`
		} `json:"values"`
	} `json:"state"`
}

type command struct {
	TeamID      string `json:"team_id"`
	Command     string `json:"command"`
	Text        string `json:"text"`
	ChannelID   string `json:"channel_id"`
	UserID      string `json:"user_id"`
	UserName    string `json:"user_name"`
	TriggerID   string `json:"trigger_id"`
	ResponseURL string `json:"response_url"`
}

func commandOf(form url.Values) command {
	return command{TeamID: form.Get("team_id"), Command: form.Get("command"), Text: form.Get("text"), ChannelID: form.Get("channel_id"),
		UserID: form.Get("user_id"), UserName: form.Get("user_name"), TriggerID: form.Get("trigger_id"), ResponseURL: form.Get("response_url")}
}

func read[T any](data []byte) (T, error) {
	var v T
	err := json.Unmarshal(data, &v)
	return v, err
}
