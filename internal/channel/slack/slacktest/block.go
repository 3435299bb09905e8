package slacktest

import (
	"encoding/json"
	"fmt"
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

// checkBlocks checks the blocks of a message against the limits of the Block Kit reference. It returns Slack's error code
// for the first violation.
func checkBlocks(t testing.TB, blocks []block) string {
	t.Helper()
	sum, ok := countBlocks(t, blocks, 50)
	if !ok {
		return "invalid_blocks"
	}
	if sum > 10_000 {
		t.Errorf("blocks with %d characters", sum)
		return "msg_blocks_too_long"
	}
	return ""
}

// countBlocks returns the number of characters of blocks, and whether each of them and their number are valid.
func countBlocks(t testing.TB, blocks []block, most int) (sum int, ok bool) {
	t.Helper()
	if len(blocks) == 0 || len(blocks) > most {
		t.Errorf("%d blocks", len(blocks))
		return 0, false
	}
	actions := map[string]bool{}
	for _, b := range blocks {
		n, wrong := b.check(actions)
		if wrong != "" {
			t.Errorf("block %q: %s", b.Type, wrong)
			return 0, false
		}
		sum += n
	}
	return sum, true
}

// check returns the number of characters, or what is wrong. actions are the ids of the message's actions so far.
func (b block) check(actions map[string]bool) (n int, wrong string) {
	switch b.Type {
	case "header":
		if n = chars(b.Text.Text); b.Text.Type != "plain_text" || n == 0 || n > 150 {
			return n, fmt.Sprintf("%d characters of %q", n, b.Text.Type)
		}
	case "section":
		if n = chars(b.Text.Text); b.Text.Type != "mrkdwn" || n == 0 || n > 3000 || !b.Text.Verbatim {
			return n, fmt.Sprintf("%d characters of %q, verbatim %v", n, b.Text.Type, b.Text.Verbatim)
		}
	case "context":
		if len(b.Elements) == 0 || len(b.Elements) > 10 {
			return n, fmt.Sprintf("%d elements", len(b.Elements))
		}
		for _, x := range texts(b) {
			n += chars(x.Text)
			if x.Type != "mrkdwn" || x.Text == "" || chars(x.Text) > 3000 || !x.Verbatim {
				return n, fmt.Sprintf("%d characters of %q, verbatim %v", chars(x.Text), x.Type, x.Verbatim)
			}
		}
	case "rich_text":
		return b.rich()
	case "actions":
		if len(b.Elements) == 0 || len(b.Elements) > 25 || len(b.BlockID) > 255 {
			return n, fmt.Sprintf("%d elements, id %q", len(b.Elements), b.BlockID)
		}
		for _, e := range elements(b) {
			ok := e.Type == "button" && e.Text.Type == "plain_text" && e.Text.Text != "" && chars(e.Text.Text) <= 75 &&
				e.ActionID != "" && len(e.ActionID) <= 255 && !actions[e.ActionID] && len(e.Value) <= 2000 &&
				(e.Style == "" || e.Style == "primary" || e.Style == "danger")
			if !ok {
				return n, fmt.Sprintf("button %+v", e)
			}
			actions[e.ActionID] = true
		}
	default:
		return n, "it is not known"
	}
	return n, ""
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
