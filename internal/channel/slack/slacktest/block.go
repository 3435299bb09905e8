package slacktest

import (
	"encoding/json"
	"testing"
)

type textObject struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Verbatim bool   `json:"verbatim"`
}

// UnmarshalJSON leaves what is not an object empty.
func (x *textObject) UnmarshalJSON(data []byte) error {
	type bare textObject
	if len(data) > 0 && data[0] != '{' {
		return nil
	}
	return json.Unmarshal(data, (*bare)(x))
}

type element struct {
	Type      string     `json:"type"`
	Text      textObject `json:"text"`
	ActionID  string     `json:"action_id"`
	Value     string     `json:"value"`
	Style     string     `json:"style"`
	Multiline bool       `json:"multiline"`
	MaxLength int        `json:"max_length"`
}

type block struct {
	Type     string            `json:"type"`
	BlockID  string            `json:"block_id"`
	Text     textObject        `json:"text"`
	Label    textObject        `json:"label"`
	Elements []json.RawMessage `json:"elements"`
	Element  element           `json:"element"`
}

// checkBlocks checks blocks against the limits of the Block Kit reference. It returns Slack's error code for the first
// violation.
func checkBlocks(t testing.TB, blocks []block) string {
	t.Helper()
	if len(blocks) == 0 || len(blocks) > 50 {
		return "invalid_blocks"
	}
	sum, actions := 0, map[string]bool{}
	for _, b := range blocks {
		switch b.Type {
		case "section":
			if b.Text.Type != "mrkdwn" || b.Text.Text == "" || chars(b.Text.Text) > 3000 || !b.Text.Verbatim {
				t.Errorf("section with %d characters, %q, verbatim %v", chars(b.Text.Text), b.Text.Type, b.Text.Verbatim)
				return "invalid_blocks"
			}
			sum += chars(b.Text.Text)
		case "context":
			for _, x := range texts(b) {
				sum += chars(x.Text)
				if x.Type != "mrkdwn" || x.Text == "" || !x.Verbatim {
					return "invalid_blocks"
				}
			}
		case "actions":
			if len(b.Elements) == 0 || len(b.Elements) > 25 || len(b.BlockID) > 255 {
				return "invalid_blocks"
			}
			for _, e := range elements(b) {
				ok := e.Type == "button" && e.Text.Type == "plain_text" && e.Text.Text != "" && chars(e.Text.Text) <= 75 &&
					e.ActionID != "" && len(e.ActionID) <= 255 && !actions[e.ActionID] && len(e.Value) <= 2000 &&
					(e.Style == "" || e.Style == "primary" || e.Style == "danger")
				if !ok {
					t.Errorf("button %+v", e)
					return "invalid_blocks"
				}
				actions[e.ActionID] = true
			}
		default:
			t.Errorf("block %q", b.Type)
			return "invalid_blocks"
		}
	}
	if sum > 10_000 {
		return "msg_blocks_too_long"
	}
	return ""
}

func texts(b block) (list []textObject) {
	for _, raw := range b.Elements {
		var x textObject
		_ = json.Unmarshal(raw, &x)
		list = append(list, x)
	}
	return list
}

func elements(b block) (list []element) {
	for _, raw := range b.Elements {
		var e element
		_ = json.Unmarshal(raw, &e)
		list = append(list, e)
	}
	return list
}
