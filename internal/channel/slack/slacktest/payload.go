package slacktest

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/longshift/longshift/internal/channel"
)

// Payloads as in Slack's reference, including fields that Longshift does not use.

// MessageEvent is a message; kind is "message" or "app_mention".
func MessageEvent(kind, channel, user, text, ts, thread string) map[string]any {
	e := map[string]any{"type": kind, "channel": channel, "user": user, "text": text, "ts": ts, "event_ts": ts, "team": Team,
		"client_msg_id": "e1f2", "blocks": []any{map[string]any{"type": "rich_text", "block_id": "x", "elements": []any{}}}}
	if kind == "message" {
		e["channel_type"] = map[string]string{"D": "im", "G": "mpim", "P": "group"}[channel[:1]]
		if e["channel_type"] == "" {
			e["channel_type"] = "channel"
		}
	}
	if thread != "" {
		e["thread_ts"], e["parent_user_id"] = thread, BotUser
	}
	return e
}

func EventCall(event map[string]any) map[string]any {
	return map[string]any{"token": "XXYYZZ", "team_id": Team, "api_app_id": "A0", "event": event, "type": "event_callback",
		"event_id": "Ev0PV52K21", "event_time": 1355517523,
		"authorizations": []any{map[string]any{"team_id": Team, "user_id": BotUser, "is_bot": true}}}
}

// buttonsID is the block_id of a button whose message does not exist.
const buttonsID = "longshift"

// PressCall is a press of a button below a message. thread is "" for a message without one.
func PressCall(channel, message, thread, token, trigger, actionTS string, by channel.User) map[string]any {
	return pressCall(channel, message, thread, buttonsID, Button{"Approve", token, "primary"}, trigger, actionTS, by)
}

func pressCall(channel, message, thread, block string, b Button, trigger, actionTS string, by channel.User) map[string]any {
	container := map[string]any{"type": "message", "message_ts": message, "channel_id": channel, "is_ephemeral": false}
	posted := map[string]any{"type": "message", "user": BotUser, "ts": message, "bot_id": BotID, "text": "…"}
	if thread != "" {
		container["thread_ts"], posted["thread_ts"] = thread, thread
	}
	action := map[string]any{"type": "button", "block_id": block, "action_id": b.Token, "value": b.Token,
		"text": map[string]any{"type": "plain_text", "text": b.Label, "emoji": false}, "action_ts": actionTS}
	if b.Style != "" {
		action["style"] = b.Style
	}
	return map[string]any{"type": "block_actions", "team": map[string]any{"id": Team, "domain": "example"}, "api_app_id": "A0",
		"user": map[string]any{"id": by.ID, "username": by.Name, "name": by.Name, "team_id": Team}, "token": "XXYYZZ",
		"container": container, "trigger_id": trigger, "channel": map[string]any{"id": channel, "name": "general"}, "message": posted,
		"response_url": "https://hooks.slack.com/actions/" + Team + "/1/x", "state": map[string]any{"values": map[string]any{}},
		"actions": []any{action}}
}

func FormCall(m Modal, text string, by channel.User) map[string]any {
	return map[string]any{"type": "view_submission", "team": map[string]any{"id": Team}, "api_app_id": "A0", "token": "XXYYZZ",
		"user":       map[string]any{"id": by.ID, "username": by.Name, "name": by.Name, "team_id": Team},
		"trigger_id": "98.76.form", "response_urls": []any{},
		"view": map[string]any{"id": m.ID, "team_id": Team, "type": "modal", "callback_id": m.CallbackID, "hash": "156772938.1827394",
			"private_metadata": m.PrivateMetadata, "state": map[string]any{"values": map[string]any{
				m.BlockID: map[string]any{m.ActionID: map[string]any{"type": "plain_text_input", "value": text}}}}}}
}

// CommandCall is a slash command, as over HTTP. response is the response URL.
func CommandCall(channel, text, trigger, response string, by channel.User) url.Values {
	return url.Values{"token": {"XXYYZZ"}, "team_id": {Team}, "team_domain": {"example"}, "channel_id": {channel}, "channel_name": {"general"},
		"user_id": {by.ID}, "user_name": {by.Name}, "command": {"/longshift"}, "text": {text}, "api_app_id": {"A0"},
		"is_enterprise_install": {"false"}, "response_url": {response}, "trigger_id": {trigger}}
}

// Person returns a user. The name is derived from the id: U0ADA is called ada.
func Person(id string) channel.User {
	return channel.User{ID: id, Name: strings.ToLower(strings.TrimPrefix(id, "U0"))}
}

func Body(kind string, payload any) string {
	if v, ok := payload.(url.Values); ok {
		return v.Encode()
	}
	raw, err := json.Marshal(payload)
	if err != nil {
		panic(err) // strings can't fail
	}
	if kind == Interaction {
		return url.Values{"payload": {string(raw)}}.Encode()
	}
	return string(raw)
}

// Flat converts a form to JSON, as Socket Mode has it.
func Flat(payload any) any {
	form, ok := payload.(url.Values)
	if !ok {
		return payload
	}
	out := map[string]string{}
	for k := range form {
		out[k] = form.Get(k)
	}
	return out
}
