package whatsapp

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// payload is the body of a request that sends a message.
type payload struct {
	Product     string       `json:"messaging_product"`
	Kind        string       `json:"recipient_type"`
	To          string       `json:"to,omitempty"`        // a phone number
	Recipient   string       `json:"recipient,omitempty"` // or the id of a person who hides it
	Context     *quoted      `json:"context,omitempty"`
	Key         string       `json:"biz_opaque_callback_data,omitempty"`
	Type        string       `json:"type"`
	Text        *text        `json:"text,omitempty"`
	Interactive *interactive `json:"interactive,omitempty"`
}

type quoted struct {
	ID string `json:"message_id"`
}

type text struct {
	Body    string `json:"body"`
	Preview bool   `json:"preview_url"`
}

type interactive struct {
	Type   string `json:"type"`
	Body   body   `json:"body"`
	Action action `json:"action"`
}

type body struct {
	Text string `json:"text"`
}

type action struct {
	Buttons []button `json:"buttons"`
}

type button struct {
	Type  string `json:"type"`
	Reply reply  `json:"reply"`
}

type reply struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// hidden matches the id of a person who hides the phone number: a country, a dot, letters and digits.
var hidden = regexp.MustCompile(`^[A-Z]{2}(\.ENT)?\.[0-9A-Za-z]{1,128}$`)

// address returns the payload fields common to all messages to a room.
func address(to task.Room) (payload, error) {
	p := payload{Product: "whatsapp", Kind: "individual"}
	switch {
	case to.Channel != "" && to.Channel != channel.WhatsApp:
		return p, fault.New(fault.Input, "a room of %s is no room of whatsapp", to.Channel)
	case digits.MatchString(to.ID):
		p.To = to.ID
	case hidden.MatchString(to.ID):
		p.Recipient = to.ID
	default:
		return p, fault.New(fault.Input, "whatsapp room %q is no phone number", to.ID).
			WithHint("write it with the country code, digits only, such as 4915112345678")
	}
	if to.Thread != "" {
		p.Context = &quoted{ID: to.Thread}
	}
	return p, nil
}

// token matches a button's id. The API would accept any text of this length.
var token = regexp.MustCompile(`^[0-9A-Za-z._-]{1,256}$`)

// replies validates and converts the buttons. The API would refuse duplicate labels or ids.
func replies(buttons []channel.Button) ([]button, error) {
	if len(buttons) > maxButtons {
		return nil, fault.New(fault.Input, "a whatsapp message with %d buttons; %d can be shown", len(buttons), maxButtons)
	}
	var out []button
	seen := map[string]bool{}
	for _, b := range buttons {
		label := channel.Shorten(strings.TrimSpace(b.Label), maxLabel)
		switch {
		case label == "" || b.Token == "":
			return nil, fault.New(fault.Input, "a whatsapp button needs a label and a token; this one has %q", b.Label)
		case !token.MatchString(b.Token):
			return nil, fault.New(fault.Input, "the token of the whatsapp button %q is no run of letters, digits, points and dashes up to 256",
				b.Label)
		case seen["l"+label] || seen["t"+b.Token]:
			return nil, fault.New(fault.Input, "two whatsapp buttons with the same label or token: %q", b.Label)
		}
		seen["l"+label], seen["t"+b.Token] = true, true
		out = append(out, button{Type: "reply", Reply: reply{ID: b.Token, Title: label}})
	}
	return out, nil
}
