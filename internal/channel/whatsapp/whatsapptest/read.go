package whatsapptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// call has all documented fields of a call.
type call struct {
	Product   string `json:"messaging_product"`
	Kind      string `json:"recipient_type"`
	To        string `json:"to"`
	Recipient string `json:"recipient"`
	Key       string `json:"biz_opaque_callback_data"`
	Type      string `json:"type"`
	Context   *struct {
		ID string `json:"message_id"`
	} `json:"context"`
	Text *struct {
		Preview *bool  `json:"preview_url"`
		Body    string `json:"body"`
	} `json:"text"`
	Interactive *struct {
		Type string `json:"type"`
		Body struct {
			Text string `json:"text"`
		} `json:"body"`
		Action struct {
			Buttons []button `json:"buttons"`
		} `json:"action"`
	} `json:"interactive"`
}

type button struct {
	Type  string `json:"type"`
	Reply struct {
		ID    string `json:"id"`
		Title string `json:"title"`
	} `json:"reply"`
}

var (
	number = regexp.MustCompile(`^[0-9]{1,32}$`)
	hidden = regexp.MustCompile(`^[A-Z]{2}(\.ENT)?\.[0-9A-Za-z]{1,128}$`)
)

// read checks a call against the documentation, and returns the error code of the first violation.
func read(r *http.Request, body []byte) (m Message, code int, wrong string) {
	var c call
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	err := dec.Decode(&c)
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/v23.0/"+PhoneID+"/messages" || r.URL.RawQuery != "":
		return m, 100, "Unsupported request " + r.Method + " " + r.URL.String()
	case r.Header.Get("Authorization") != "Bearer "+Token:
		return m, 190, "Invalid OAuth access token"
	case r.Header.Get("Content-Type") != "application/json" || err != nil:
		return m, 100, fmt.Sprint("Invalid parameter ", err)
	case c.Product != "whatsapp" || c.Kind != "individual":
		return m, 131008, "Required parameter is missing"
	case (c.To == "") == (c.Recipient == ""):
		return m, 131009, "exactly one of to and recipient"
	case c.To != "" && !number.MatchString(c.To):
		return m, 131009, "to " + c.To
	case c.Recipient != "" && !hidden.MatchString(c.Recipient):
		return m, 131009, "recipient " + c.Recipient
	case utf8.RuneCountInString(c.Key) > 512:
		return m, 131009, "biz_opaque_callback_data is too long"
	case c.Context != nil && !strings.HasPrefix(c.Context.ID, "wamid."):
		return m, 131009, "context"
	}
	m = Message{To: c.To + c.Recipient, Key: c.Key, Type: c.Type}
	if c.Context != nil {
		m.QuotedID = c.Context.ID
	}
	switch {
	case c.Type == "text" && c.Text != nil && c.Interactive == nil:
		m.Sent = c.Text.Body
		if c.Text.Preview == nil || *c.Text.Preview {
			return m, 131009, "a preview was asked for"
		}
		return m, 131009, TooMuch("text body", m.Sent, 4096)
	case c.Type == "interactive" && c.Interactive != nil && c.Text == nil && c.Interactive.Type == "button":
		m.Sent = c.Interactive.Body.Text
		if m.Buttons, wrong = replies(c.Interactive.Action.Buttons); wrong != "" {
			return m, 131009, wrong
		}
		return m, 131009, TooMuch("interactive body", m.Sent, 1024)
	}
	return m, 131051, "Unsupported message type"
}

func replies(buttons []button) (list []Button, wrong string) {
	if len(buttons) < 1 || len(buttons) > 3 {
		return nil, fmt.Sprint(len(buttons), " buttons")
	}
	seen := map[string]bool{}
	for _, b := range buttons {
		if b.Type != "reply" || seen["i"+b.Reply.ID] || seen["t"+b.Reply.Title] || strings.TrimSpace(b.Reply.ID) != b.Reply.ID {
			return nil, "button"
		}
		seen["i"+b.Reply.ID], seen["t"+b.Reply.Title] = true, true
		if wrong := TooMuch("button id", b.Reply.ID, 256) + TooMuch("button title", b.Reply.Title, 20); wrong != "" {
			return nil, wrong
		}
		list = append(list, Button{Text: b.Reply.Title, Data: b.Reply.ID})
	}
	return list, ""
}

// TooMuch returns what is wrong with the length of a text, or "". It counts as strictly as the platform might.
func TooMuch(what, s string, most int) string {
	if n := len(utf16.Encode([]rune(s))); strings.TrimSpace(s) == "" || n > most {
		return fmt.Sprintf("%s has %d characters, of 1 to %d", what, n, most)
	}
	return ""
}
