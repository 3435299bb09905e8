// Package channel says what a channel is: a place where people are told about tasks and decide about them (Slack, Telegram,
// WhatsApp, a terminal). It holds the interfaces, what goes in and what comes back, and the reading of Markdown into a form that
// each channel can write. Leaves below it do the calls; it imports none of them, and it knows no workflow.
package channel

import (
	"context"
	"net/http"
	"time"

	"github.com/longshift/longshift/task"
)

// The channels.
const (
	Slack    = "slack"
	Telegram = "telegram"
	WhatsApp = "whatsapp"
	Terminal = "terminal"
)

// A Channel writes messages. It is safe for concurrent use. Errors are faults: Infra for what passes (a wait that the channel
// asks for comes as *fault.Later around it), Denied for a token that is refused or a room that we may not write to, NotFound for a room
// or a message that is not there, Input for a message that no call could carry.
type Channel interface {
	// Post writes a message and gives where it stands. One that is too long for the channel goes out as several; the last of
	// them bears the buttons and is the place. again says that an earlier call with the same key may have gone through: a channel
	// that can look for the key then looks before it writes.
	Post(ctx context.Context, to task.Room, m Message, again bool) (task.MessageRef, error)
	// Edit puts another text, and other buttons or none, in the place of a message. Called again it changes nothing.
	Edit(ctx context.Context, at task.MessageRef, m Message) error
}

// A Listener hears what people do, over a connection that it opens itself, until ctx ends. Only then it returns nil: a connection
// that breaks is made again. Several listeners of one channel may run at the same time.
type Listener interface {
	Listen(ctx context.Context, hear Handle) error
}

// A Webhook hears what people do from calls that the platform makes to us. The handler checks the signature and the age of each
// call before it reads anything of it.
type Webhook interface {
	Handler(hear Handle) http.Handler
}

// Handle takes what somebody did and gives what to answer. An error means that it could not be taken in now; the platform is then
// told to deliver it again, where it can. It may be called from many goroutines.
type Handle func(ctx context.Context, e Event) (Answer, error)

// Message is what is to be shown.
type Message struct {
	Key     string    // names the message within its room, at most 64 bytes
	Text    string    // Markdown: paragraphs, headings, lists, emphasis, code, fenced code, quotes, links
	Buttons []Button  // at most 3
	Until   time.Time // when something happens by itself; zero for never
	Then    string    // what happens then: "approved by itself"
	Loud    bool      // somebody has to act: the channel makes itself heard, where it can choose
}

// Button is one choice.
type Button struct {
	Label string // at most 20 characters
	Token string // given back when it is pressed: letters, digits, "." and "-", at most 60 bytes
	Style Style
}

// Style says how a button looks, where the channel can tell.
type Style string

// The styles. The zero value is a plain button.
const (
	Primary Style = "primary"
	Danger  Style = "danger"
)

// Kind is what somebody did.
type Kind string

// The kinds.
const (
	Press Kind = "press" // pressed a button
	Form  Kind = "form"  // sent the text that a form asked for
	Said  Kind = "said"  // wrote a message: a command, a reply, or a slash command
)

// User is somebody on a channel. Only ID says who it is; names can be chosen.
type User struct {
	ID   string
	Name string // as people know them, without "@"; the id when there is none
}

// Event is one thing that somebody did.
type Event struct {
	ID      string // of the delivery: the same when the platform delivers it again; letters, digits, ".", "-" and "_"
	Kind    Kind
	User    User
	Room    task.Room // Thread is set when it happened in a thread
	Direct  bool      // meant for us: a private chat, a mention, a slash command, a reply to a message of ours
	Token   string    // Press, Form: of the button
	Text    string    // Said: what was written, without the mention of us or the slash command's name; Form: what was entered
	ReplyTo string    // Said: id of the message that it answers, or that the thread hangs on
	Message string    // Said: id of the message itself; Press: of the message that bears the button
	At      time.Time // when it happened, by the platform's clock; zero when it does not say
}

// Answer is what the one who did something gets to see, and nobody else where the channel can do that.
type Answer struct {
	Text string // Markdown; empty for nothing
	Form *Question
}

// Question asks for a text. A channel without forms shows Hint, which says how to give the text there.
type Question struct {
	Title string // at most 24 characters
	Label string
	Hint  string // such as "Reply to the plan with what is to change."
	Token string // comes back with the text
}
