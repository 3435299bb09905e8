// Package channeltest is the conformance suite for channels. It is for tests only and may not be imported elsewhere, and
// it knows no platform: the tests of a channel simulate the platform, and tell the suite through a Fixture what people
// would see.
package channeltest

import (
	"net/http"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/task"
)

// Fixture is a channel with one empty room, created for each case of the suite. Fields that may be nil or empty describe
// what the platform can't do; their cases are skipped.
type Fixture struct {
	Channel channel.Channel
	Room    task.Room       // writable, without a thread
	User    channel.User    // a member of the room, with the ID and Name of Event.User
	Token   string          // the channel's secret, which must not appear in errors; empty for none
	Gone    task.MessageRef // a message that does not exist in the room; empty where an edit can't detect that
	Limit   int             // approximate number of characters per message; 0 for no limit

	Private    bool // every message in the room is addressed to Longshift: Event.Direct is always true
	NoEdit     bool // Edit posts a new message, and the old one stays
	Searchable bool // Post with again finds existing messages
	NoReplies  bool // people can't reply to a particular message
	NoRobots   bool // no messages of programs or of Longshift itself are delivered
	Redelivers bool // the platform redelivers an event for which Hear has failed; the fixture does that within Patience

	// Shown returns Longshift's messages in a conversation, including its threads, oldest first, as the platform has
	// them. It omits answers.
	Shown func(t *testing.T, room task.Room) []Shown
	// Thread opens a thread in the room. It is nil if there are none.
	Thread func(t *testing.T) task.Room
	// Files returns Longshift's files in a conversation, including its threads, oldest first. It is nil if the channel is
	// no channel.Attacher.
	Files func(t *testing.T, room task.Room) []File
	// Mentions counts everything in all messages that notifies people: names, groups, everybody. It is nil where nothing
	// can.
	Mentions func(t *testing.T) int
	// Fail makes the next writing call fail, once. It is nil if no server is called.
	Fail func(t *testing.T, f Failure)
	// Lose lets the next writing call take effect, and then drops the connection before the answer. It is nil like Fail.
	Lose func(t *testing.T)

	// A channel that receives events has one of these. Listen runs until the case ends; Serve is called with the
	// Webhook's handler before the first event.
	Listener channel.Listener
	Webhook  channel.Webhook
	Serve    func(t *testing.T, h http.Handler)

	// Press presses a button; Say writes a message and returns its id, or "" if people's messages have none. Both may be
	// called before Hear, and keep the event until the listener has connected. They are nil if the channel receives no
	// events.
	Press func(t *testing.T, at task.MessageRef, token string, by channel.User)
	Say   func(t *testing.T, s Say) (message string)
	// Redeliver delivers the latest Press or Say once more, as after a lost acknowledgement. It is nil if that can't
	// happen.
	Redeliver func(t *testing.T)
	// Break breaks the listener's connection, which must be restored within Patience. It is nil if there is none.
	Break func(t *testing.T)
	// Answers returns the answers that people have seen, oldest first, as plain text.
	Answers func(t *testing.T) []string
	// OneLine means that the input of a form has a single line.
	OneLine bool
	// Fill enters a text in the latest form and submits it. It is nil for a channel without forms.
	Fill func(t *testing.T, text string, by channel.User)
}

// Shown is a message as people see it.
type Shown struct {
	ID      string // as in task.Place.Message
	Thread  string // as in task.Room.Thread
	Text    string // without markup; the parts of a split message are joined by line ends
	Code    []string
	Buttons []Button
	Sound   Sound
}

// File is a file as people see it.
type File struct {
	Thread string // as in task.Room.Thread
	Name   string
	Note   string // what is shown with it, without markup
	Text   string
}

// Button is a button as people see it.
type Button struct{ Label, Token string }

// Sound is whether a message notified people.
type Sound int

// The sounds. The zero value is for a channel that can't choose, or a platform that does not report it.
const (
	Unknown Sound = iota
	Loud
	Silent
)

// Failure is an error that the platform returns instead of carrying out a call.
type Failure string

const (
	ServerError Failure = "server error"  // such as 503
	RateLimit   Failure = "rate limit"    // asks for the pause Wait
	BadToken    Failure = "refused token" // revoked or wrong
	NoRoom      Failure = "unknown room"  // deleted, or the bot is not a member
)

// Wait is the pause that a platform asks for with RateLimit.
const Wait = 7 * time.Second

// Patience is how long the suite waits for something that must happen.
const Patience = 10 * time.Second

// Say is a message to write.
type Say struct {
	Room    task.Room
	By      Author
	User    channel.User // when By is Person
	Text    string       // without a mention of the bot
	ReplyTo string       // id of the message that it answers, or ""
	Direct  bool         // addressed to Longshift; the fixture adds a mention if the platform needs one
}

type Author int

const (
	Person    Author = iota
	Robot            // another program
	Ourselves        // Longshift's own message, delivered as an event
)
