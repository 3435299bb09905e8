// Package channel defines channels, on which people read about tasks and decide about them: Slack, Telegram, WhatsApp
// and terminals. It has the interfaces, messages and events, and a Markdown reader whose blocks each channel can render.
// The implementations make the calls; this package may not import them, and it knows no workflow.
package channel

import (
	"context"
	"net/http"
	"time"

	"github.com/longshift/longshift/task"
)

const (
	Slack    = "slack"
	Telegram = "telegram"
	WhatsApp = "whatsapp"
	Terminal = "terminal"
)

// A Channel writes messages. It is safe for concurrent use. Errors are faults: Infra for temporary errors (wrapped in
// *fault.Later if the channel asks for a pause), Denied for a refused token or a room without write access, NotFound for
// a missing room or message, Input for a message that can't be sent.
type Channel interface {
	// Post writes a message and returns its place. A message that is too long for the channel is split into several; the
	// last one has the buttons and is the place, which names the others too. again means that an earlier call with the same key may have succeeded:
	// a channel that can search then looks for the key before it writes.
	Post(ctx context.Context, to task.Room, m Message, again bool) (task.MessageRef, error)
	// Edit replaces the text and the buttons of a message. It is idempotent.
	Edit(ctx context.Context, at task.MessageRef, m Message) error
}

// Ref is the place of a message that was written as these messages.
func Ref(to task.Room, ids []string) task.MessageRef {
	last := len(ids) - 1
	at := task.MessageRef{Room: to, Message: ids[last]}
	if last > 0 {
		at.Parts = ids[:last]
	}
	return at
}

// A Listener receives events over a connection that it opens itself. It reconnects as needed, and returns nil when ctx
// ends. Several listeners of one channel may run at the same time.
type Listener interface {
	Listen(ctx context.Context, hear Handle) error
}

// A Webhook receives events from the platform's HTTP requests. The handler checks the signature and the age of each
// request before it parses anything.
type Webhook interface {
	Handler(hear Handle) http.Handler
}

// Handle handles an event and returns the answer to show. An error means that the event could not be handled now; the
// platform is then asked to deliver it again, if it can. It must be safe for concurrent use.
type Handle func(ctx context.Context, e Event) (Answer, error)

type Message struct {
	Key     string    // unique within its room, at most 64 bytes
	Text    string    // Markdown: paragraphs, headings, lists, emphasis, code, fenced code, quotes, links
	Foot    string    // Markdown, one line below the text: figures and links; channels may set it in small print
	Buttons []Button  // at most 3
	Until   time.Time // when something happens automatically; zero for never
	Then    string    // what happens then: "approved automatically"
	Loud    bool      // somebody has to act: notify people, if the channel can choose
}

// Whole is the text with its foot below, for channels without small print.
func (m Message) Whole() string {
	if m.Foot == "" {
		return m.Text
	}
	return m.Text + "\n\n" + m.Foot
}

type Button struct {
	Label string // at most 20 characters
	Token string // comes back in the Event of a press: letters, digits, "." and "-", at most 60 bytes
	Style Style
}

// Style is the look of a button, on channels that support it.
type Style string

// The styles. The zero value is a plain button.
const (
	Primary Style = "primary"
	Danger  Style = "danger"
)

type Kind string

const (
	Press  Kind = "press"  // pressed a button
	Form   Kind = "form"   // submitted a form
	Said   Kind = "said"   // wrote a message: a command, a reply, or a slash command
	Opened Kind = "opened" // opened Longshift's own place on the channel, which shows the answer; an empty one leaves it as it is
)

// User is a person on a channel. Only ID identifies them; names can be chosen freely.
type User struct {
	ID   string
	Name string // display name, without "@"; the id if there is none
}

// Event is something that a person did.
type Event struct {
	ID      string // the same for every delivery of the event; letters, digits, ".", "-" and "_"
	Kind    Kind
	User    User
	Room    task.Room // with Thread set if it happened in a thread
	Direct  bool      // addressed to Longshift: a private chat, a mention, a slash command, or a reply to one of its messages
	Token   string    // Press, Form: of the button
	Text    string    // Said: the text without the mention or the slash command's name; Form: the input
	ReplyTo string    // Said: id of the message that it answers, or of the root of its thread
	Message string    // Said: id of the message itself; Press: of the message with the button
	Files   bool      // Said: files came with the text, which are not taken
	At      time.Time // by the platform's clock, or the earliest possible time by ours where it tells none; zero if unknown
}

// Answer is shown to the person who caused the event, and only to them where the channel can do that.
type Answer struct {
	Text string // Markdown; empty for nothing
	Form *Question
	Page *Page // Opened only
}

// Question asks for a text. Channels without forms show Hint, which explains how to enter it.
type Question struct {
	Title string // at most 24 characters
	Label string
	Hint  string // such as "Reply to the plan with what is to change."
	Token string // comes back with the input
}
