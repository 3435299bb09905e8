package term

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestJSONSteersNoTerminal: what agents and strangers have written is escaped where it could steer a terminal, and stays the same text.
func TestJSONSteersNoTerminal(t *testing.T) {
	const hostile = "a\u009b2J\u007f\u202e\U000e0001b é 漢\n"
	for _, format := range []string{FormatJSON, FormatJSONL} {
		var out bytes.Buffer
		p := &Printer{Streams{Out: &out}, format}
		if err := p.Print(map[string]any{"text": hostile, "list": []string{"<&>"}}, nil); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Text string   `json:"text"`
			List []string `json:"list"`
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Text != hostile || got.List[0] != "<&>" {
			t.Errorf("%v: %+v", err, got)
		}
		if strings.ContainsAny(out.String(), "\u009b\u007f\u202e\U000e0001") || !strings.Contains(out.String(), "é 漢") || !strings.Contains(out.String(), `\u009b2J\u007f\u202e\udb40\udc01b`) {
			t.Errorf("written %q", out.String())
		}
	}
}
