package whatsapptest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// display is the business phone number.
const display = "15550783881"

func Sign(body, secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// Batch is a delivery, as documented, of JSON messages by one person.
func Batch(from, name string, messages ...string) string {
	return fmt.Sprintf(`{"object":"whatsapp_business_account","entry":[`+
		`{"id":"102290129340398","changes":[{"value":{"messaging_product":"whatsapp",`+
		`"metadata":{"display_phone_number":"%s","phone_number_id":"%s"},"contacts":[{"profile":{"name":%s},%s}],`+
		`"messages":[%s]},"field":"messages"}]}]}`, display, PhoneID, quote(name), person("wa_id", "user_id", from), strings.Join(messages, ","))
}

// Said is a message for Batch. replyTo is the message that it answers, or "".
func Said(from, id, text, replyTo string, at time.Time) string {
	return fmt.Sprintf(`{%s%s,"id":%s,"timestamp":"%d","type":"text","text":{"body":%s}}`,
		quoting(replyTo), person("from", "from_user_id", from), quote(id), at.Unix(), quote(text))
}

func Pressed(from, id, button, title, message string, at time.Time) string {
	return fmt.Sprintf(`{%s%s,"id":%s,"timestamp":"%d","type":"interactive",`+
		`"interactive":{"type":"button_reply","button_reply":{"id":%s,"title":%s}}}`,
		quoting(message), person("from", "from_user_id", from), quote(id), at.Unix(), quote(button), quote(title))
}

// person identifies a person by phone number or, if that is hidden, by an id in another field.
func person(open, secret, id string) string {
	if hidden.MatchString(id) {
		open = secret
	}
	return quote(open) + ":" + quote(id)
}

func quoting(id string) string {
	if id == "" {
		return ""
	}
	return fmt.Sprintf(`"context":{"from":"%s","id":%s},`, display, quote(id))
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
