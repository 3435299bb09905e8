// Package channeltest holds the suite that every channel must pass. It is for tests only; nothing outside of them may import it,
// and it knows no platform: a leaf's own test plays the platform and tells the suite through a Fixture what people would see.
package channeltest

import (
	"net/http"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/task"
)

// Fixture is a channel with one empty room, made new for each case of the suite. Fields that may be nil or empty say what the
// platform cannot do; their cases are then not run.
type Fixture struct {
	Channel channel.Channel
	Room    task.Room       // we may write to it; no thread
	User    channel.User    // somebody in the room: ID and Name as Event.User gives them
	Token   string          // the secret that the channel holds; empty for none. It must stand in no error
	Gone    task.MessageRef // a message that is not in the room; empty where an edit cannot tell
	Limit   int             // how many characters one message holds, about; 0 for no limit

	Private    bool // every message in the room is meant for us: Event.Direct is always true
	NoEdit     bool // Edit writes the new text as one more message, and what stood before stays
	Searchable bool // Post with again finds what stands already
	NoReplies  bool // people cannot answer a certain message
	NoRobots   bool // no other program and no echo of ours can be heard
	Redelivers bool // what Hear gave an error for is delivered again by the platform; the fixture does that within Patience

	// Shown gives the messages of ours in a conversation, its threads included, oldest first, as the platform has them. Answers to
	// what somebody did are not among them.
	Shown func(t *testing.T, room task.Room) []Shown
	// Thread opens a thread in the room. Nil where there are none.
	Thread func(t *testing.T) task.Room
	// Mentions counts in all messages what calls people: names, groups, everybody. Nil where nothing can.
	Mentions func(t *testing.T) int
	// Fail lets the next call that writes fail, once. Nil where no server is called.
	Fail func(t *testing.T, f Failure)
	// Lose lets the next call that writes take effect, and then drops the connection before the answer. Nil as with Fail.
	Lose func(t *testing.T)

	// A leaf that hears has one of these. Listen runs until the case ends; Serve is given the Webhook's handler before anybody
	// does something.
	Listener channel.Listener
	Webhook  channel.Webhook
	Serve    func(t *testing.T, h http.Handler)

	// Press lets somebody press a button; Say lets somebody write and gives the message's id, empty where messages of people have
	// none. Both may return before Hear was called, and keep what was done until the listener has connected. Nil where the leaf
	// does not hear.
	Press func(t *testing.T, at task.MessageRef, token string, by channel.User)
	Say   func(t *testing.T, s Say) (message string)
	// Redeliver delivers the latest Press or Say once more, as when our acknowledgement was lost. Nil where that cannot happen.
	Redeliver func(t *testing.T)
	// Break breaks the listener's connection; it must come back within Patience. Nil where there is none.
	Break func(t *testing.T)
	// Answers gives what those who did something got to see, oldest first, as plain text.
	Answers func(t *testing.T) []string
	// OneLine says that a text which is filled in can't have more than one line.
	OneLine bool
	// Fill enters a text in the form that was opened last and sends it. Nil for a channel without forms.
	Fill func(t *testing.T, text string, by channel.User)
}

// Shown is a message as people see it.
type Shown struct {
	ID      string // as in task.Place.Message
	Thread  string // as in task.Room.Thread
	Text    string // without markup; the parts of one message are joined by line ends
	Code    []string
	Buttons []Button
	Sound   Sound
}

// Button is a button as people see it.
type Button struct{ Label, Token string }

// Sound says whether a message made itself heard.
type Sound int

// The sounds. The zero value is for a channel that cannot choose, or a platform that does not tell.
const (
	Unknown Sound = iota
	Loud
	Silent
)

// Failure is what the platform answers in place of carrying out a call.
type Failure string

// The failures.
const (
	ServerError Failure = "server error"  // such as 503
	RateLimit   Failure = "rate limit"    // with the wait Wait
	BadToken    Failure = "refused token" // revoked or wrong
	NoRoom      Failure = "unknown room"  // gone, or we are not in it
)

// Wait is what a platform asks for with RateLimit.
const Wait = 7 * time.Second

// Patience is how long the suite waits for what has to happen.
const Patience = 10 * time.Second

// Say is a message of somebody.
type Say struct {
	Room    task.Room
	By      Author
	User    channel.User // when By is Person
	Text    string       // without the mention of us
	ReplyTo string       // id of a message of ours that it answers, or "" for none
	Direct  bool         // meant for us; the fixture adds the mention, where the platform needs one
}

// Author is who writes.
type Author int

// The authors.
const (
	Person    Author = iota
	Robot            // another program
	Ourselves        // a message of ours comes back as an event
)
