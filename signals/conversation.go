package signals

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/longshift/longshift/task"
)

// Conversation is the workflow type that shows one task in its rooms: it decides on messages, their order and their buttons. Its input is
// a ConversationInput.
const Conversation = "Conversation"

// ConversationInput starts a Conversation.
type ConversationInput struct {
	Task  string      `json:"task"`  // workflow id of the task
	Run   string      `json:"run"`   // run id of the task
	Rooms []task.Room `json:"rooms"` // rooms that show the task

	State *ConversationState `json:"state,omitempty"` // state of the previous run
}

// ConversationState is handed from one run of a Conversation to the next.
type ConversationState struct {
	Rooms []RoomState `json:"rooms"`
	Last  TaskAnswer  `json:"last"`
	N     int         `json:"n"` // messages so far
}

// RoomState is what one room shows.
type RoomState struct {
	Card     *task.MessageRef `json:"card,omitempty"`    // the message that is edited in place
	CardKey  string           `json:"cardKey,omitempty"` // key that it was first posted with; it may stand although Card is nil
	Messages []RoomMessage    `json:"messages,omitempty"`
}

// RoomMessage is a separate message about something that needs a person's action.
type RoomMessage struct {
	Ref     task.MessageRef `json:"ref"`
	Notice  Notice          `json:"notice"`
	Buttons []Button        `json:"buttons,omitempty"`
	Settled string          `json:"settled,omitempty"` // why no action is needed any more
}

// Button is a choice that a message offers.
type Button struct {
	Verb  string `json:"verb"`
	Token string `json:"token"`
}

// Notify is the signal by which a task, or the follower of its pull request, tells its Conversation that something has happened. The text
// that is shown comes from the sender's status at that moment. Its payload is a Notice.
const Notify = "notify"

// AllowForTask is the verb of the button that sends Allow with ForTask.
const AllowForTask = "allow-task"

// Notice describes an event of a task.
type Notice struct {
	From     string    `json:"from"` // workflow id of the sender
	Run      string    `json:"run"`
	N        int       `json:"n"`                  // sender's number of the notice, starting at 1
	Kind     string    `json:"kind"`               // as in the sender's log
	Text     string    `json:"text,omitempty"`     // one line
	Subject  Subject   `json:"subject,omitempty"`  // what a message of its own is about; empty for the card alone
	Revision int       `json:"revision,omitempty"` // SubjectPlan: revision of the plan
	Question string    `json:"question,omitempty"` // SubjectCommand: id of the question
	Settled  bool      `json:"settled,omitempty"`  // the subject needs no action any more; Text says why
	Final    bool      `json:"final,omitempty"`    // the last notice
	At       time.Time `json:"at"`
}

// Subject is what a separate message is about.
type Subject string

// The subjects.
const (
	SubjectPlan    Subject = "plan"    // a plan waits for a decision
	SubjectCommand Subject = "command" // a command waits for a decision
	SubjectStop    Subject = "stop"    // the task is suspended
	SubjectNews    Subject = "news"    // people or checks have said something at the pull request; nobody has to act
	SubjectEnd     Subject = "end"     // the task has ended, or its pull request waits for a review
)

// QueryToken asks a Conversation what a button stands for. It takes a TokenQuery and returns a TokenAnswer.
const QueryToken = "token"

// TokenQuery names a button and the room in which it was pressed.
type TokenQuery struct {
	Token string    `json:"token"`
	Room  task.Room `json:"room"`
}

// TokenState says whether a button is valid.
type TokenState string

// The states of a button. A stale one was valid before; an unknown one never was, at least in that room.
const (
	TokenLive    TokenState = "live"
	TokenStale   TokenState = "stale"
	TokenUnknown TokenState = "unknown"
)

// TokenAnswer is what a button stands for. The task itself decides whether it still accepts the action; it counts a token once.
type TokenAnswer struct {
	State    TokenState `json:"state"`
	Why      string     `json:"why,omitempty"`  // for a stale one: "revision 2 of the plan is current"
	Verb     string     `json:"verb,omitempty"` // Approve, Edit, Reject, Allow, AllowForTask, Deny, Resume or Abandon
	Workflow string     `json:"workflow,omitempty"`
	Run      string     `json:"run,omitempty"`
	First    string     `json:"first,omitempty"` // run id of the execution's first run; a later execution with the same id is not meant
	Revision int        `json:"revision,omitempty"`
	Question string     `json:"question,omitempty"`
}

// QueryAbout asks a Conversation what one of its messages is about. It takes an AboutQuery and returns a TokenAnswer without a verb.
const QueryAbout = "about"

// AboutQuery names a message.
type AboutQuery struct {
	Room    task.Room `json:"room"`
	Message string    `json:"message"`
}

// QueryTask asks a Conversation for its task. It returns a TaskAnswer.
const QueryTask = "task"

// TaskAnswer names the workflow that currently takes people's messages: the task, or the follower of its pull request.
type TaskAnswer struct {
	Workflow string `json:"workflow"`
	Run      string `json:"run"`
	First    string `json:"first,omitempty"` // as in TokenAnswer
}

// AttrThread lists the messages of a Conversation that people may answer, each as a ThreadKey.
const AttrThread = "LongshiftThread"

// ThreadKey identifies a message, or the thread below it, in AttrThread.
func ThreadKey(r task.Room, message string) string { return r.Channel + ":" + r.ID + ":" + message }

// ConversationID is the workflow id of a task's Conversation. run is the id of the task's first run.
func ConversationID(run string) string { return "longshift-talk-" + talkKey(run) }

// talkKey is short, because it is part of a button's token, and some channels limit that to 64 bytes.
func talkKey(run string) string {
	sum := sha256.Sum256([]byte(run))
	return hex.EncodeToString(sum[:])[:16]
}

// Token combines a Conversation's key and a nonce into a button's token.
func Token(run, nonce string) string { return talkKey(run) + "." + nonce }

// TokenConversation returns the workflow id of the Conversation that a token names. ok is false if the token is malformed.
func TokenConversation(token string) (id string, ok bool) {
	key, nonce, found := strings.Cut(token, ".")
	if _, err := hex.DecodeString(key); err != nil || len(key) != 16 || !found || nonce == "" {
		return "", false
	}
	return "longshift-talk-" + key, true
}
