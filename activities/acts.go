package activities

import (
	"context"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Model is what Longshift's own agent asks for answers. An error that decides how the session goes on is an *agent.Failure; any other is
// one of the moment.
type Model interface {
	Answer(ctx context.Context, e agent.Endpoint, q transcript.Query) (transcript.Answer, error)
}

// Acts are the steps of sessions of Longshift's own agent on a host: a call of the model, or calls of tools. The workflow AgentSession
// decides on their order. Each is carried out once: an attempt that comes again finds the kept result, or what was begun.
type Acts struct {
	of    *Sessions
	model Model // nil when the native agent is not set up
	*flights
	handovers *handovers
	leases    leases
	processes processes
	outputs   sync.Map // the longest answer in tokens that the API of a model gives, by the model's name, where it has said so

	mu   sync.Mutex
	conv map[string]*transcript.Conversation // the newest of each session, so that it is not read from the disk for each act
}

// Act names an act of a session, and the conversation that it goes on with.
type Act struct {
	Ref
	Session string `json:"session"`
	Ask     int    `json:"ask"`
	N       int    `json:"n"`    // number of the act in its session, from 1
	Head    string `json:"head"` // name of the conversation's last entry
}

// OpenInput begins a session, or goes on with one.
type OpenInput struct {
	SessionInput
	Head string   `json:"head,omitempty"` // of an earlier ask; "" begins
	Task Workflow `json:"task"`           // that people answer to
}

// Workflow names a run of a workflow.
type Workflow struct {
	ID    string `json:"id"`
	RunID string `json:"runId"`
}

// Started is what a session has begun with on this host, as it is kept beside its acts.
type Started struct {
	OpenInput
	At       time.Time `json:"at"`                 // when this ask began here
	Before   string    `json:"before,omitempty"`   // fingerprint of a workspace that the session must not change
	Snapshot string    `json:"snapshot,omitempty"` // of another host, that the work tree was made from
	Begun    string    `json:"begun,omitempty"`    // the conversation's last entry then
}

// Opened is a session that is ready for its next act.
type Opened struct {
	Head  string         `json:"head"`
	Calls []PlannedCall  `json:"calls,omitempty"` // that the last answer has left open
	Said  *Said          `json:"said,omitempty"`  // what the next call of the model tells it
	Done  *SessionResult `json:"done,omitempty"`  // the kept result, when this ask has ended before
}

// Said is what a model is told by people and by Longshift.
type Said = transcript.Said

// PlannedCall is a call that the model wants to make.
type PlannedCall struct {
	Line string `json:"line"`           // for people: "read_lines loop.go 288-350"
	Read bool   `json:"read,omitempty"` // it changes nothing, so it may be made beside others
}

// ActResult is what an act has come to.
type ActResult struct {
	Head  string        `json:"head"`
	Calls []PlannedCall `json:"calls,omitempty"` // of an answer of the model
	Lines []string      `json:"lines,omitempty"` // for people, one for each call that was made
	Usage task.Usage    `json:"usage,omitzero"`  // of the session on this host so far; of model calls
	Took  time.Duration `json:"took,omitempty"`  // running time, without the wait for a slot
	Empty bool          `json:"empty,omitempty"` // the answer calls no tool

	Summed bool              `json:"summed,omitempty"` // the conversation was summarised, and the model is to be asked again
	Ended  bool              `json:"ended,omitempty"`  // the session has made its last report
	Kind   agent.OutcomeKind `json:"kind,omitempty"`   // why the session can't go on now; Text says more
	Text   string            `json:"text,omitempty"`
	Reset  time.Time         `json:"reset,omitzero"` // for agent.Quota
}

func (a *Acts) store(act Act) transcript.Store {
	return a.recordOf(act).folder().Store()
}

// recordOf is the session's folder on this host, which OpenSession has made. What is recorded of earlier asks is not read.
func (a *Acts) recordOf(act Act) *record {
	return &record{dir: sessionDir(a.of.data, act.TaskID, act.Session)}
}

// started returns what the session of an act has begun with.
func (a *Acts) started(act Act) (Started, error) {
	var s Started
	if err := readJSON(a.recordOf(act).folder().Started(), &s); err != nil {
		return s, fault.New(fault.NotFound, "session %.8s is not on this host: %w", act.Session, err)
	}
	s.Ref = act.Ref
	return s, nil
}

// conversation returns the conversation of an act.
func (a *Acts) conversation(act Act) (*transcript.Conversation, error) {
	a.mu.Lock()
	c := a.conv[act.Session]
	a.mu.Unlock()
	if c != nil && c.Head == act.Head {
		return c, nil
	}
	c, err := a.store(act).Load(act.Head)
	if err != nil {
		return nil, fault.New(fault.NotFound, "%w", err)
	}
	a.remember(act.Session, c)
	return c, nil
}

// mostConversations limits how many conversations are kept in memory.
const mostConversations = 64

func (a *Acts) remember(session string, c *transcript.Conversation) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.conv == nil || len(a.conv) >= mostConversations {
		a.conv = map[string]*transcript.Conversation{}
	}
	a.conv[session] = c
}

func (a *Acts) forget(session string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.conv, session)
}

// add puts entries at the end of a conversation, and returns the longer one.
func (a *Acts) add(act Act, c *transcript.Conversation, entries ...transcript.Entry) (*transcript.Conversation, error) {
	longer := &transcript.Conversation{Head: c.Head, Entries: c.Entries[:len(c.Entries):len(c.Entries)]}
	for _, e := range entries {
		e.Before, e.At = longer.Head, a.of.now().UTC()
		head, err := a.store(act).Add(e)
		if err != nil {
			return nil, fault.New(fault.Infra, "%w", err)
		}
		longer.Head, longer.Entries = head, append(longer.Entries, e)
	}
	a.remember(act.Session, longer)
	return longer, nil
}
