package telegram

import "encoding/json"

// forward has the fields that mark a forwarded message, for each kind of source and in older forms; one of them
// suffices. Their content does not matter, and may have an unknown format.
type forward struct {
	Origin    json.RawMessage `json:"forward_origin"`
	Date      json.RawMessage `json:"forward_date"`
	User      json.RawMessage `json:"forward_from"`
	Sender    json.RawMessage `json:"forward_sender_name"`
	Channel   json.RawMessage `json:"forward_from_chat"`
	Post      json.RawMessage `json:"forward_from_message_id"`
	Signature json.RawMessage `json:"forward_signature"`
	Automatic json.RawMessage `json:"is_automatic_forward"`
}

// forwarded reports whether a message was forwarded. The person who forwards it may not mean its words.
func (f forward) forwarded() bool {
	for _, sign := range []json.RawMessage{f.Origin, f.Date, f.User, f.Sender, f.Channel, f.Post, f.Signature, f.Automatic} {
		if s := string(sign); s != "" && s != "null" && s != "false" {
			return true
		}
	}
	return false
}
