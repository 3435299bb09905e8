package telegram

import "encoding/json"

// forward is what makes a message somebody else's words: for each kind of source and in older forms too, one is enough. What is in
// it does not matter, and may be newer than we are.
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

// forwarded tells whether somebody else wrote the words of a message. Whoever sends it on need not mean them.
func (f forward) forwarded() bool {
	for _, sign := range []json.RawMessage{f.Origin, f.Date, f.User, f.Sender, f.Channel, f.Post, f.Signature, f.Automatic} {
		if s := string(sign); s != "" && s != "null" && s != "false" {
			return true
		}
	}
	return false
}
