package signals

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/longshift/longshift/task"
)

// Conversation is the workflow type of what people see of one task in their channels: its messages, their order, their buttons.
// Its input is a ConversationInput.
const Conversation = "Conversation"

// ConversationInput starts a Conversation.
type ConversationInput struct {
	Task  string      `json:"task"`  // workflow id of the task
	Run   string      `json:"run"`   // of the task
	Rooms []task.Room `json:"rooms"` // where it is shown

	State *ConversationState `json:"state,omitempty"` // of the run before this one
}

// ConversationState is what one run of a Conversation hands to the next.
type ConversationState struct {
	Rooms []RoomState `json:"rooms"`
	Last  TaskAnswer  `json:"last"`
	N     int         `json:"n"` // messages so far
}

// RoomState is what stands in one room.
type RoomState struct {
	Card     *task.MessageRef `json:"card,omitempty"` // the one message that is edited in place
	Messages []RoomMessage    `json:"messages,omitempty"`
}

// RoomMessage is a message of its own, about something that somebody has to act on.
type RoomMessage struct {
	Ref     task.MessageRef `json:"ref"`
	Notice  Notice          `json:"notice"`
	Buttons []Button        `json:"buttons,omitempty"`
	Settled string          `json:"settled,omitempty"` // why nobody has to act any more
}

// Button is a choice that a message offers.
type Button struct {
	Verb  string `json:"verb"`
	Token string `json:"token"`
}

// Notify is the signal by which a task, or the workflow that looks after its pull request, tells its Conversation that something
// happened. What is shown is read from the sender's status at the moment it is shown. Its payload is a Notice.
const Notify = "notify"

// AllowForTask is the verb of the button that sends Allow with ForTask.
const AllowForTask = "allow-task"

// Notice says what happened.
type Notice struct {
	From     string    `json:"from"` // workflow id of the sender
	Run      string    `json:"run"`
	N        int       `json:"n"`                  // of the sender, counting from 1
	Kind     string    `json:"kind"`               // as in the sender's log
	Text     string    `json:"text,omitempty"`     // one line
	Subject  Subject   `json:"subject,omitempty"`  // what somebody has to act on; empty when nobody has to
	Revision int       `json:"revision,omitempty"` // SubjectPlan: of the plan
	Question string    `json:"question,omitempty"` // SubjectCommand: its id
	Settled  bool      `json:"settled,omitempty"`  // nobody has to act on the subject any more; Text says why
	Final    bool      `json:"final,omitempty"`    // nothing follows
	At       time.Time `json:"at"`
}

// Subject is what a message of its own is written about, because somebody has to act.
type Subject string

// The subjects.
const (
	SubjectPlan    Subject = "plan"    // a plan waits for a decision
	SubjectCommand Subject = "command" // a command waits for a decision
	SubjectStop    Subject = "stop"    // the task is suspended
	SubjectEnd     Subject = "end"     // the task has ended, or its pull request waits for a review
)

// QueryToken asks a Conversation what a button stands for: a TokenQuery goes in, a TokenAnswer comes back.
const QueryToken = "token"

// TokenQuery names the button and where it was pressed.
type TokenQuery struct {
	Token string    `json:"token"`
	Room  task.Room `json:"room"`
}

// TokenState says what a button is worth.
type TokenState string

// The states of a button. Stale ones were good once; unknown ones never were, or not in that room.
const (
	TokenLive    TokenState = "live"
	TokenStale   TokenState = "stale"
	TokenUnknown TokenState = "unknown"
)

// TokenAnswer is what a button stands for. Whether the task still takes it is up to the task: it counts a token once.
type TokenAnswer struct {
	State    TokenState `json:"state"`
	Why      string     `json:"why,omitempty"`  // of a stale one: "revision 2 of the plan is current"
	Verb     string     `json:"verb,omitempty"` // Approve, Edit, Reject, Allow, AllowForTask, Deny, Resume or Abandon
	Workflow string     `json:"workflow,omitempty"`
	Run      string     `json:"run,omitempty"`
	First    string     `json:"first,omitempty"` // the first run of that execution; another one under the same id is not meant
	Revision int        `json:"revision,omitempty"`
	Question string     `json:"question,omitempty"`
}

// QueryAbout asks a Conversation what one of its messages is about: an AboutQuery goes in, a TokenAnswer without a verb comes back.
const QueryAbout = "about"

// AboutQuery names a message.
type AboutQuery struct {
	Room    task.Room `json:"room"`
	Message string    `json:"message"`
}

// QueryTask asks a Conversation which task it is about: a TaskAnswer comes back.
const QueryTask = "task"

// TaskAnswer names the workflow that takes what people say now: the task, or the one that looks after its pull request.
type TaskAnswer struct {
	Workflow string `json:"workflow"`
	Run      string `json:"run"`
	First    string `json:"first,omitempty"` // as in TokenAnswer
}

// AttrThread lists, of a Conversation, the messages that people may answer: one ThreadKey each.
const AttrThread = "LongshiftThread"

// ThreadKey names a message, or the thread that hangs on it, for AttrThread.
func ThreadKey(r task.Room, message string) string { return r.Channel + ":" + r.ID + ":" + message }

// ConversationID is the workflow id of a task's Conversation. run is the task's first run.
func ConversationID(run string) string { return "longshift-talk-" + talkKey(run) }

// talkKey is short, because a button's token holds it and some channels take 64 bytes.
func talkKey(run string) string {
	sum := sha256.Sum256([]byte(run))
	return hex.EncodeToString(sum[:])[:16]
}

// Token makes a button's token of a Conversation's key and a nonce.
func Token(run, nonce string) string { return talkKey(run) + "." + nonce }

// TokenConversation gives the workflow id of the Conversation that a token says it is of; ok is false when it has no such form.
func TokenConversation(token string) (id string, ok bool) {
	key, nonce, found := strings.Cut(token, ".")
	if _, err := hex.DecodeString(key); err != nil || len(key) != 16 || !found || nonce == "" {
		return "", false
	}
	return "longshift-talk-" + key, true
}
