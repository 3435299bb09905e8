package slack

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/task"
)

// received is an event with what is needed to answer it. A nil *received means that the delivery is not for Longshift.
type received struct {
	event    channel.Event
	mention  string // the type of this event, if it mentions the bot in a channel: Slack sends two of them
	trigger  string // opens a form, valid for three seconds
	response string // URL for the answer to a slash command, since the bot may not be in the channel
}

// said parses a message. Slack delivers one that mentions the bot both as app_mention and as message (see twins), possibly
// repeatedly; all have the same ID, derived from channel and message. Shared messages of others are attachments and not
// part of the text.
func said(in incoming, self identity) *received {
	mention := in.Type == "app_mention" || mentions(in.Text, self.user)
	private := in.ChannelType == "im" || strings.HasPrefix(in.Channel, "D")
	reply := in.ThreadTS != "" && in.ThreadTS != in.TS
	switch {
	case in.Subtype != "" && in.Subtype != "file_share" && in.Subtype != "thread_broadcast": // edits, deletions, joins, other programs
		return nil
	case in.Edited != nil: // an edited message is not a new command
		return nil
	case in.BotID != "" || in.User == "" || in.User == self.user || in.User == "USLACKBOT":
		return nil
	case in.Channel == "" || in.TS == "":
		return nil
	case !mention && !private && !reply: // a conversation among people
		return nil
	}
	e := channel.Event{ID: id("m", in.Channel, in.TS), Kind: channel.Said, User: user(in.User, in.Profile.DisplayName, in.Profile.Name),
		Room: room(in.Channel, ""), Direct: mention || private, Text: decode(withoutMention(in.Text, self.user)),
		Message: in.TS, At: at(in.TS), Files: len(in.Files) > 0}
	if reply {
		e.Room.Thread, e.ReplyTo = in.ThreadTS, in.ThreadTS
	}
	r := &received{event: e}
	if mention && !private {
		r.mention = in.Type
	}
	return r
}

// opened parses that somebody has opened the app's home. Its room is their private chat with the app.
func opened(in incoming) *received {
	if in.Tab != "home" || in.User == "" || in.Channel == "" || in.EventTS == "" {
		return nil
	}
	return &received{event: channel.Event{ID: id("h", in.User, in.EventTS), Kind: channel.Opened, User: user(in.User),
		Room: room(in.Channel, ""), Direct: true}}
}

const (
	pressType = "block_actions"
	formType  = "view_submission"
)

// pressed parses a press of one of Longshift's buttons. Its ID is derived from the user, the button, the message and
// Slack's timestamp, which are all in the signed body, so a redelivered or replayed request has the same ID.
func pressed(in interaction) *received {
	if in.Type != pressType || len(in.Actions) == 0 || in.User.ID == "" || in.Channel.ID == "" {
		return nil
	}
	a := in.Actions[0]
	if a.Type != "button" || a.BlockID != actionsID || !token(a.Value) || a.ActionTS == "" {
		return nil
	}
	message := cmp.Or(in.Container.MessageTS, in.Message.TS)
	where := room(in.Channel.ID, "")
	if thread := cmp.Or(in.Container.ThreadTS, in.Message.ThreadTS); thread != message {
		where.Thread = thread
	}
	e := channel.Event{ID: id("p", in.Channel.ID, message, in.User.ID, a.ActionTS, a.Value), Kind: channel.Press,
		User: user(in.User.ID, in.User.Name, in.User.Username), Room: where, Direct: true, Token: a.Value, Message: message,
		At: at(a.ActionTS)}
	return &received{event: e, trigger: in.TriggerID}
}

// origin is the press that opened a form.
type origin struct {
	Token  string `json:"token"`
	Room   string `json:"room"`
	Thread string `json:"thread,omitempty"`
}

// filled parses a submitted form. Slack sends no timestamp with it, and people may submit again after an error: the ID
// is derived from the form, which is opened once per press, the user and the text, so that the same text counts once.
func filled(in interaction) *received {
	if in.Type != formType || in.View.CallbackID != formID || in.View.ID == "" || in.User.ID == "" {
		return nil
	}
	from, err := read[origin]([]byte(in.View.PrivateMetadata))
	if err != nil || !token(from.Token) || from.Room == "" {
		return nil
	}
	entered := in.View.State.Values[formInput][formInput].Value
	sum := sha256.Sum256([]byte(entered))
	e := channel.Event{ID: id("f", in.View.ID, in.User.ID, hex.EncodeToString(sum[:8])), Kind: channel.Form,
		User: user(in.User.ID, in.User.Name, in.User.Username), Room: room(from.Room, from.Thread), Direct: true, Token: from.Token,
		Text: strings.TrimSpace(entered)}
	return &received{event: e}
}

// commanded parses a slash command. Its trigger is unique per use, and the same when that use is delivered again.
func commanded(c command) *received {
	if c.Command == "" || c.UserID == "" || c.ChannelID == "" || c.TriggerID == "" {
		return nil
	}
	e := channel.Event{ID: id("s", c.ChannelID, c.UserID, c.TriggerID), Kind: channel.Said, User: user(c.UserID, c.UserName),
		Room: room(c.ChannelID, ""), Direct: true, Text: decode(c.Text)}
	return &received{event: e, trigger: c.TriggerID, response: c.ResponseURL}
}

// remember encodes the origin for a form's private metadata.
func remember(e channel.Event, token string) string {
	b, _ := json.Marshal(origin{Token: token, Room: e.Room.ID, Thread: e.Room.Thread}) // strings can't fail
	return string(b)
}

func room(id, thread string) task.Room {
	return task.Room{Channel: channel.Slack, ID: id, Thread: thread}
}

func user(id string, names ...string) channel.User {
	return channel.User{ID: id, Name: strings.TrimPrefix(cmp.Or(append(names, id)...), "@")}
}

// id joins the parts of an event's ID.
func id(parts ...string) string {
	return strings.Map(func(r rune) rune {
		if token(string(r)) {
			return r
		}
		return '_'
	}, strings.Join(parts, "_"))
}

// at parses Slack's timestamp, "1355517523.000005".
func at(ts string) time.Time {
	seconds, micros, _ := strings.Cut(ts, ".")
	s, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || s <= 0 {
		return time.Time{}
	}
	us, _ := strconv.ParseInt((micros + "000000")[:6], 10, 64)
	return time.Unix(s, us*1000).UTC()
}
