package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// The maximum lengths of stored texts, in bytes.
const (
	MaxCommand = 16 << 10
	maxOther   = 4 << 10
)

// Kind distinguishes decisions from runs.
type Kind string

const (
	KindDecision Kind = "decision" // whether a call may be made
	KindRun      Kind = "run"      // a command that was started
)

// Decision is the outcome for a call.
type Decision string

const (
	Allow Decision = "allow"
	Ask   Decision = "ask"
	Deny  Decision = "deny"
)

func Decisions() []Decision { return []Decision{Allow, Ask, Deny} }

// Record is one decision or one run. Texts must be redacted by the caller.
type Record struct {
	ID         int64         `json:"id"`   // set by Append, ascending
	Time       time.Time     `json:"time"` // by the caller's clock, UTC, in microseconds
	Kind       Kind          `json:"kind"`
	Task       string        `json:"task"`    // workflow id
	Session    string        `json:"session"` // id of the agent session
	Role       string        `json:"role"`
	Host       string        `json:"host"` // id of the host
	Tool       string        `json:"tool"`
	Dir        string        `json:"dir,omitempty"` // where the command runs
	Command    string        `json:"command"`       // truncated to MaxCommand bytes
	Truncated  bool          `json:"truncated,omitempty"`
	SHA256     string        `json:"sha256"`             // hash of the whole command, in hex
	Decision   Decision      `json:"decision,omitempty"` // "" for some runs
	Rule       string        `json:"rule,omitempty"`     // id of the policy rule that decided
	Reason     string        `json:"reason,omitempty"`
	ApprovedBy string        `json:"approvedBy,omitempty"` // the person who answered the question
	ExitCode   *int          `json:"exitCode"`             // nil until Finish, and for refused calls
	Duration   time.Duration `json:"duration,omitempty"`   // nanoseconds
}

func (r Record) check() error {
	switch {
	case r.Time.IsZero():
		return fault.New(fault.Internal, "audit record without a time")
	case r.Kind != KindDecision && r.Kind != KindRun:
		return fault.New(fault.Internal, "audit record of the kind %q", r.Kind)
	case r.Kind == KindRun && r.Decision == "":
	case r.Decision != Allow && r.Decision != Ask && r.Decision != Deny:
		return fault.New(fault.Internal, "audit record with the decision %q", r.Decision)
	}
	return nil
}

// bounded sets the hash and truncates long texts.
func (r Record) bounded() Record {
	sum := sha256.Sum256([]byte(r.Command))
	r.SHA256 = hex.EncodeToString(sum[:])
	r.Truncated = len(r.Command) > MaxCommand
	r.Command = excerpt.Cut(r.Command, MaxCommand)
	for _, text := range []*string{&r.Task, &r.Session, &r.Role, &r.Host, &r.Tool, &r.Dir, &r.Rule, &r.Reason, &r.ApprovedBy} {
		*text = excerpt.Cut(*text, maxOther)
	}
	return r
}
