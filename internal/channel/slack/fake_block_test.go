package slack

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/channel/channeltest"
)

type fakeText struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Verbatim bool   `json:"verbatim"`
}

// UnmarshalJSON leaves what is not an object empty.
func (x *fakeText) UnmarshalJSON(data []byte) error {
	type bare fakeText
	if len(data) > 0 && data[0] != '{' {
		return nil
	}
	return json.Unmarshal(data, (*bare)(x))
}

type fakeElement struct {
	Type      string   `json:"type"`
	Text      fakeText `json:"text"`
	ActionID  string   `json:"action_id"`
	Value     string   `json:"value"`
	Style     string   `json:"style"`
	Multiline bool     `json:"multiline"`
	MaxLength int      `json:"max_length"`
}

type fakeBlock struct {
	Type     string            `json:"type"`
	BlockID  string            `json:"block_id"`
	Text     fakeText          `json:"text"`
	Label    fakeText          `json:"label"`
	Elements []json.RawMessage `json:"elements"`
	Element  fakeElement       `json:"element"`
}

// checkBlocks holds blocks against the limits of the Block Kit reference. It gives Slack's error code for the first that is broken.
func checkBlocks(t *testing.T, blocks []fakeBlock) string {
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

func texts(b fakeBlock) (list []fakeText) {
	for _, raw := range b.Elements {
		var x fakeText
		_ = json.Unmarshal(raw, &x)
		list = append(list, x)
	}
	return list
}

func elements(b fakeBlock) (list []fakeElement) {
	for _, raw := range b.Elements {
		var e fakeElement
		_ = json.Unmarshal(raw, &e)
		list = append(list, e)
	}
	return list
}

// look is what people see of blocks.
type look struct {
	text    string
	code    []string
	buttons []channeltest.Button
	calls   int // live mentions
}

func showBlocks(blocks []fakeBlock) (l look) {
	var parts []string
	for _, b := range blocks {
		switch b.Type {
		case "section":
			parts = append(parts, l.read(b.Text.Text))
		case "context":
			for _, x := range texts(b) {
				parts = append(parts, l.read(x.Text))
			}
		case "actions":
			for _, e := range elements(b) {
				l.buttons = append(l.buttons, channeltest.Button{Label: e.Text.Text, Token: e.Value})
			}
		}
	}
	l.text = strings.Join(parts, "\n")
	return l
}

// read shows Slack's text form: fences are code, angle brackets are references, entities are signs, and emphasis is a sign without a
// zero-width space on both sides of it, outside of words.
func (l *look) read(s string) string {
	var out strings.Builder
	for i, part := range strings.Split(s, "```") {
		if i%2 == 1 {
			code := visibleOnly(unescape(strings.TrimSuffix(strings.TrimPrefix(part, "\n"), "\n")))
			l.code = append(l.code, code)
			out.WriteString(code)
			continue
		}
		out.WriteString(visibleOnly(unescape(references.ReplaceAllStringFunc(emphasis(part), l.reference))))
	}
	return out.String()
}

var references = regexp.MustCompile(`<[^<>]*>`)

func (l *look) reference(s string) string {
	target, words, _ := strings.Cut(s[1:len(s)-1], "|")
	switch {
	case strings.HasPrefix(target, "!date^"):
		return words
	case strings.HasPrefix(target, "https://"), strings.HasPrefix(target, "http://"):
		return words
	}
	l.calls++
	return target
}

func visibleOnly(s string) string { return strings.ReplaceAll(s, gap, "") }

// emphasis takes the signs of emphasis out, and keeps those inside of code, references and words.
func emphasis(s string) string {
	r := []rune(s)
	at := func(i int) rune {
		if i < 0 || i >= len(r) {
			return ' '
		}
		return r[i]
	}
	var out strings.Builder
	code, reference := false, false
	for i, c := range r {
		free := string(at(i-1)) == gap && string(at(i+1)) == gap
		switch {
		case c == '<':
			reference = true
		case c == '>':
			reference = false
		}
		switch {
		case reference:
		case c == '`' && !free:
			code = !code
			continue
		case code || free:
		case strings.ContainsRune("*_~", c) && !(letter(at(i-1)) && letter(at(i+1))):
			continue
		}
		out.WriteRune(c)
	}
	return out.String()
}
