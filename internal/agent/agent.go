// Package agent says what an agent is: something that runs one session in a workspace and reports while it happens.
// It holds the interface, its events and outcomes. Drivers are leaves below it; it imports none of them.
package agent

import (
	"context"
	"time"

	"github.com/longshift/longshift/task"
)

// An Agent runs one session in a workspace and reports what happens while it happens.
// Run returns when every process of the session is gone. A session that ended, however it ended, is an Outcome;
// an error is a fault of the surroundings (the binary is missing, the process could not be started).
// When ctx ends, Run stops the session and returns an Outcome of kind Interrupted.
type Agent interface {
	Run(ctx context.Context, s Session, emit func(Event)) (Outcome, error)
}

// Session is what an agent is asked to do.
type Session struct {
	ID       string // UUID; the agent takes it as its own session id where it can choose one
	Role     task.Role
	Dir      string        // the workspace, absolute; the agent's working directory
	StateDir string        // private to this session, absolute, on this host; survives the process; HOME of the agent lies in it
	System   string        // appended to the agent's own system prompt
	Prompt   string        // the user's turn
	Model    string        // "opus", "sonnet", or a full name
	Thinking int           // budget in tokens, 0 for the agent's default
	ReadOnly bool          // the agent must be unable to write in Dir
	Resume   bool          // an earlier attempt of this session may exist: go on with it when it does, else start it
	Schema   []byte        // JSON Schema of the final answer, nil for free text
	Wall     time.Duration // wall time at most, 0 for no limit
	Endpoint
	Env        map[string]string // added to the environment that the driver builds; nothing else is inherited
	CommandEnv map[string]string // of the commands that the agent runs, before Env, and never of its own process: a repository chooses it
	Scenario   string            // for the script agent
	Permit     Permit            `json:"-"` // decides every tool call; nil refuses all of them
	Start      Start             `json:"-"` // starts the agent's process; nil for process.Start, unconfined
}

// Endpoint is where an agent finds its model.
type Endpoint struct {
	BaseURL  string // the only address the agent may use, "" for the agent's own
	Upstream string // what people are told that BaseURL leads to, such as api.anthropic.com
	Token    string // what the agent shows to BaseURL in place of a key
	Search   bool   // the agent may search the web with the tool that its model's vendor runs
	Login    bool   // Token is shown as a subscription login, with the headers that go with one, and not as a key
}

// EventKind is the kind of an Event.
type EventKind string

// The kinds.
const (
	Started    EventKind = "started"     // ID is the agent's session id; Text its version
	Text       EventKind = "text"        // Text is what the model said
	Thinking   EventKind = "thinking"    // the model thinks
	ToolCall   EventKind = "tool_call"   // Tool, ID, Text (input, JSON, capped)
	ToolResult EventKind = "tool_result" // ID, Text (capped), Failed
	Denied     EventKind = "denied"      // Tool, Text: a tool call that was not let through, and why
	UsageNow   EventKind = "usage"       // Usage is the session's total so far, as the agent sees it
	Limit      EventKind = "limit"       // Reset is when quota comes back; Text says which
	Retry      EventKind = "retry"       // the agent waits and tries again; Text says why
)

// Event is something that happened in a session.
type Event struct {
	Time   time.Time  `json:"time"`
	Kind   EventKind  `json:"kind"`
	ID     string     `json:"id,omitempty"`
	Tool   string     `json:"tool,omitempty"`
	Text   string     `json:"text,omitempty"`
	Failed bool       `json:"failed,omitempty"`
	Usage  task.Usage `json:"usage,omitzero"`
	Reset  time.Time  `json:"reset,omitzero"`
}

// OutcomeKind is how a session ended.
type OutcomeKind string

// The kinds of outcome.
const (
	Completed   OutcomeKind = "completed"   // the agent said what it had to say
	Budget      OutcomeKind = "budget"      // the money for it is used up
	Turns       OutcomeKind = "turns"       // the turn or wall limit is used up
	Quota       OutcomeKind = "quota"       // the account's quota is used up; Reset when known
	Interrupted OutcomeKind = "interrupted" // ctx ended
	Errored     OutcomeKind = "error"       // the agent failed; Text says how
	AuthFailed  OutcomeKind = "auth"        // the key or login is refused; a person must act

	NeedsApproval OutcomeKind = "needs_approval" // a command waits for a person; Text says which
	Looped        OutcomeKind = "loop"           // the agent did the same over and over; Text says what
)

// Outcome is how a session ended, and with what.
type Outcome struct {
	Kind      OutcomeKind `json:"kind"`
	Text      string      `json:"text,omitempty"`   // the final text, or the error
	Answer    []byte      `json:"answer,omitempty"` // the structured answer (JSON) when a schema was given and met
	Usage     task.Usage  `json:"usage,omitzero"`   // of this session over all its attempts, as the agent sees it
	Turns     int         `json:"turns,omitempty"`
	SessionID string      `json:"sessionId,omitempty"`
	Resumed   bool        `json:"resumed,omitempty"` // an earlier attempt was found and gone on with
	Reset     time.Time   `json:"reset,omitzero"`    // for Quota: when it comes back; zero when unknown
}
