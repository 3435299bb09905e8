// Package agent defines agents: programs that run one session in a workspace and report events while they do. It holds the interface, its
// events and outcomes. The drivers are packages below it; it imports none of them.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/longshift/longshift/task"
)

// An Agent runs sessions. Run reports events while the session runs and returns when all of its processes have ended. A session that has
// ended, for whatever reason, is an Outcome. An error is a fault outside of the session, such as a missing binary or a process that could
// not be started. When ctx ends, Run stops the session and returns an Outcome of kind Interrupted.
type Agent interface {
	Run(ctx context.Context, s Session, emit func(Event)) (Outcome, error)
}

// ErrGone is wrapped by the error of Run when the process is gone, or is not for this session, that the session was to go on with. Nothing
// has been done then; the session can be run in a state folder of its own.
var ErrGone = errors.New("the process that the session was to go on with is gone")

type Session struct {
	ID       string // UUID; also the agent's own session id if the agent lets it be chosen
	Role     task.Role
	Dir      string        // the workspace, absolute; the agent's working directory
	StateDir string        // absolute path, private to this session on this host; kept when the process ends; contains the agent's HOME
	System   string        // appended to the agent's own system prompt
	Prompt   string        // the user's turn
	Again    string        // in its place, where a resumed conversation is known to hold an earlier Prompt; "" for Prompt in any case
	Images   []Image       // that belong to the first prompt
	Model    string        // "opus", "sonnet", or a full name
	Thinking int           // budget in tokens, 0 for the agent's default
	ReadOnly bool          // the agent must be unable to write in Dir
	Fetch    bool          // the agent may read web pages; Permit decides which
	Alone    bool          // the agent may not start others
	Keep     bool          // another session will likely go on with the agent's process; a driver may then leave it running after a last report
	Resume   bool          // continue an earlier attempt of this session if there is one, else start it
	Wall     time.Duration // limit of wall time, 0 for none
	Endpoint
	Reports    *Reports          // tools to report by; nil when the agent reports in its text alone
	Env        map[string]string // added to the environment that the driver builds; nothing else is inherited
	CommandEnv map[string]string // for commands of the agent, before Env; never for the agent itself: a repository chooses it
	Scenario   string            // for the script agent
	Permit     Permit            `json:"-"` // decides on every tool call; nil refuses all
	Start      Start             `json:"-"` // starts the agent's process; nil for process.Start, unconfined
}

// Image is a picture in a prompt.
type Image struct {
	Type string // its media type
	Data []byte
}

type Endpoint struct {
	BaseURL  string                               // the only address the agent may use, "" for the agent's own
	Upstream string                               // name of the endpoint behind BaseURL for people, such as api.anthropic.com
	Token    string                               // credential for BaseURL, in place of a key
	Spent    func() (until time.Time, spent bool) `json:"-"` // the endpoint answers no call for now, its quota being used up; nil if it does not tell
	Failing  func() (since time.Time)             `json:"-"` // since when it has failed every call; zero while it answers, nil if it does not tell
	OpenAI   bool                                 // BaseURL speaks OpenAI's APIs, and else that of Anthropic
	Search   bool                                 // the agent may use its model vendor's web search
	Login    bool                                 // send Token as a subscription login, with the headers for one, and not as a key
}

// Reports is a server of the Model Context Protocol that the agent reports to. A driver that takes it runs no session without it.
type Reports struct {
	Server     string // its name
	URL, Token string
	Tools      []string                    // names of its tools
	Wait       func(context.Context) error `json:"-"` // waits until the agent has listed the tools
	Ended      func() bool                 `json:"-"` // the agent has reported the end of the session, which is complete then

	// Order sets a function that each report waits for. When it returns an error, the report is not taken.
	Order func(InTurn) `json:"-"`
}

// InTurn waits until the report that the tool makes with the arguments may be taken.
type InTurn func(ctx context.Context, tool string, arguments json.RawMessage) error

type EventKind string

const (
	Started    EventKind = "started"     // ID is the agent's session id; Text its version
	Text       EventKind = "text"        // Text is the model's output
	Thinking   EventKind = "thinking"    // the model thinks
	ToolCall   EventKind = "tool_call"   // Tool, ID, Text (input, JSON, capped)
	ToolResult EventKind = "tool_result" // ID, Text (capped), Failed
	Denied     EventKind = "denied"      // Tool, Text: a refused tool call, and the reason
	UsageNow   EventKind = "usage"       // Usage is the session's total so far, as the agent sees it
	Limit      EventKind = "limit"       // Reset is when the quota is available again; Text names the quota
	Retry      EventKind = "retry"       // the agent waits before another attempt; Text says why
)

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

type OutcomeKind string

const (
	Completed   OutcomeKind = "completed"   // the agent has finished
	Budget      OutcomeKind = "budget"      // the session's money is used up
	Turns       OutcomeKind = "turns"       // the turn or wall limit is used up
	Quota       OutcomeKind = "quota"       // the account's quota is used up; Reset when known
	Interrupted OutcomeKind = "interrupted" // ctx ended
	Errored     OutcomeKind = "error"       // the agent failed; Text says how
	AuthFailed  OutcomeKind = "auth"        // the key or login is refused; a person must act

	NeedsApproval OutcomeKind = "needs_approval" // a command waits for a person; Text says which
	NeedsAnswer   OutcomeKind = "needs_answer"   // the session has a question for people; Text is the question
	Looped        OutcomeKind = "loop"           // the agent has repeated the same calls; Text names them
	Steps         OutcomeKind = "steps"          // the limit of calls of tools is used up
)

// Outcome is how a session ended, with its results.
type Outcome struct {
	Kind      OutcomeKind `json:"kind"`
	Text      string      `json:"text,omitempty"`   // the final text, or the error
	Answer    []byte      `json:"answer,omitempty"` // the plan or review (JSON) of an agent that does not report by tools
	Usage     task.Usage  `json:"usage,omitzero"`   // of all attempts of this session, as counted by the agent
	Turns     int         `json:"turns,omitempty"`
	SessionID string      `json:"sessionId,omitempty"`
	Resumed   bool        `json:"resumed,omitempty"` // an earlier attempt was found and continued
	Kept      bool        `json:"-"`                 // the agent's process waits for another session
	Reset     time.Time   `json:"reset,omitzero"`    // for Quota: when it is available again; zero if unknown
}
