package whatsapp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/channel/channeltest"
)

const (
	numberID = "106540352242922"
	accessed = "EAAJB-secret-access-token-0123456789"
	secret   = "0123456789abcdef0123456789abcdef"
	verify   = "a verify token & more"
	ada      = "16505551234"
)

// taken is a message as the platform took it.
type taken struct {
	ID, To, Recipient, Quotes, Key, Type, Body string
	Buttons                                    []channeltest.Button
}

// platform plays the messages edge of the Graph API. It takes only what the documentation allows.
type platform struct {
	t      *testing.T
	server *httptest.Server

	mu     sync.Mutex
	taken  []taken
	fail   http.HandlerFunc // in place of the next answer
	lose   bool
	strict bool // a call that is refused is a mistake of ours
}

func newPlatform(t *testing.T) *platform {
	p := &platform{t: t, strict: true}
	p.server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.server.Close)
	return p
}

func (p *platform) all() []taken {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]taken(nil), p.taken...)
}

func (p *platform) failNext(h http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fail = h
}

func (p *platform) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if fail := p.fail; fail != nil {
		p.fail = nil
		fail(w, r)
		return
	}
	m, code, wrong := read(r, body)
	if wrong != "" {
		if p.strict {
			p.t.Errorf("the platform refuses: %s\n%s", wrong, body)
		}
		problem(400, code, wrong)(w, r)
		return
	}
	m.ID = fmt.Sprintf("wamid.HBgLMTY1MDM4Nzk0MzkVAgARGBI%04d==", len(p.taken))
	p.taken = append(p.taken, m)
	if p.lose {
		p.lose = false
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = conn.Close()
		}
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"messaging_product":"whatsapp","contacts":[{"input":%q,"wa_id":%q}],"messages":[{"id":%q,"message_status":"accepted"}]}`, m.To, m.To, m.ID)
}

// problem is an error in the shape of the Graph API.
func problem(status, code int, words string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"message":%s,"type":"OAuthException","code":%d,"error_data":{"messaging_product":"whatsapp","details":"Details."},"fbtrace_id":"Az8o"}}`,
			quote(fmt.Sprintf("(#%d) %s", code, words)), code)
	}
}

// call has the documented fields of a call, and no others.
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
			Buttons []struct {
				Type  string `json:"type"`
				Reply struct {
					ID    string `json:"id"`
					Title string `json:"title"`
				} `json:"reply"`
			} `json:"buttons"`
		} `json:"action"`
	} `json:"interactive"`
}

// read holds a call against the documentation and gives the error code of what is wrong.
func read(r *http.Request, body []byte) (m taken, code int, wrong string) {
	var c call
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	err := dec.Decode(&c)
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/v23.0/"+numberID+"/messages" || r.URL.RawQuery != "":
		return m, 100, "Unsupported request " + r.Method + " " + r.URL.String()
	case r.Header.Get("Authorization") != "Bearer "+accessed:
		return m, 190, "Invalid OAuth access token"
	case r.Header.Get("Content-Type") != "application/json" || err != nil:
		return m, 100, fmt.Sprint("Invalid parameter ", err)
	case c.Product != "whatsapp" || c.Kind != "individual":
		return m, 131008, "Required parameter is missing"
	case (c.To == "") == (c.Recipient == ""):
		return m, 131009, "exactly one of to and recipient"
	case strings.Trim(c.To, "0123456789") != "":
		return m, 131009, "to " + c.To
	case utf8.RuneCountInString(c.Key) > 512:
		return m, 131009, "biz_opaque_callback_data is too long"
	case c.Context != nil && !strings.HasPrefix(c.Context.ID, "wamid."):
		return m, 131009, "context"
	}
	m = taken{To: c.To, Recipient: c.Recipient, Key: c.Key, Type: c.Type}
	if c.Context != nil {
		m.Quotes = c.Context.ID
	}
	switch {
	case c.Type == "text" && c.Text != nil && c.Interactive == nil:
		m.Body = c.Text.Body
		if c.Text.Preview == nil || *c.Text.Preview {
			return m, 131009, "a preview was asked for"
		}
		return m, 131009, tooMuch("text body", m.Body, 4096)
	case c.Type == "interactive" && c.Interactive != nil && c.Text == nil && c.Interactive.Type == "button":
		m.Body = c.Interactive.Body.Text
		buttons := c.Interactive.Action.Buttons
		if len(buttons) < 1 || len(buttons) > 3 {
			return m, 131009, fmt.Sprint(len(buttons), " buttons")
		}
		seen := map[string]bool{}
		for _, b := range buttons {
			if b.Type != "reply" || seen["i"+b.Reply.ID] || seen["t"+b.Reply.Title] || strings.TrimSpace(b.Reply.ID) != b.Reply.ID {
				return m, 131009, "button"
			}
			seen["i"+b.Reply.ID], seen["t"+b.Reply.Title] = true, true
			if wrong := tooMuch("button id", b.Reply.ID, 256) + tooMuch("button title", b.Reply.Title, 20); wrong != "" {
				return m, 131009, wrong
			}
			m.Buttons = append(m.Buttons, channeltest.Button{Label: b.Reply.Title, Token: b.Reply.ID})
		}
		return m, 131009, tooMuch("interactive body", m.Body, 1024)
	}
	return m, 131051, "Unsupported message type"
}

// tooMuch counts as strictly as the platform could.
func tooMuch(what, s string, most int) string {
	if n := len(utf16.Encode([]rune(s))); strings.TrimSpace(s) == "" || n > most {
		return fmt.Sprintf("%s has %d characters, of 1 to %d", what, n, most)
	}
	return ""
}
