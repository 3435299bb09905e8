package audit

import (
	"context"
	"strings"
	"time"
	"unicode"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// ActVerdict says what became of an act.
type ActVerdict string

// The verdicts.
const (
	ActAsked   ActVerdict = "asked" // on its way: what came of it is a record of its own
	ActDone    ActVerdict = "done"
	ActRefused ActVerdict = "refused"
)

// Act is what a person did to a task, or was not let do. Names and reasons come from chats: what would move the cursor or turn
// the writing direction is dropped, and texts are bounded as those of a Record.
type Act struct {
	ID       int64      `json:"id"`   // given by AppendAct, rising
	Time     time.Time  `json:"time"` // by the caller's clock, UTC, kept to the microsecond
	Channel  string     `json:"channel"`
	User     string     `json:"user"`           // id of the person on the channel
	Name     string     `json:"name,omitempty"` // as people know them; proves nothing
	Verb     string     `json:"verb"`           // what they asked for, such as approve
	Task     string     `json:"task,omitempty"` // workflow id; none when no task was meant
	Delivery string     `json:"delivery,omitempty"`
	Verdict  ActVerdict `json:"verdict"`
	Reason   string     `json:"reason,omitempty"` // why it was refused
}

// check refuses an act that nobody could make sense of.
func (a Act) check() error {
	switch {
	case a.Time.IsZero():
		return fault.New(fault.Internal, "audit act without a time")
	case a.Channel == "" || a.User == "":
		return fault.New(fault.Internal, "audit act without a channel or a user")
	case a.Verdict != ActAsked && a.Verdict != ActDone && a.Verdict != ActRefused:
		return fault.New(fault.Internal, "audit act with the verdict %q", a.Verdict)
	}
	return nil
}

// bounded drops control characters and cuts what is too long.
func (a Act) bounded() Act {
	for _, text := range []*string{&a.Channel, &a.User, &a.Name, &a.Verb, &a.Task, &a.Delivery, &a.Reason} {
		*text = excerpt.Cut(printable(*text), maxOther)
	}
	return a
}

// printable makes one line of a text. A line end becomes a space, so that words stay apart.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
}

const actSQL = `INSERT INTO acts (time, channel, user, name, verb, task, delivery, verdict, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

// AppendAct writes an act. When it returns without an error the act outlives this process. ID of a is not looked at. A delivery
// that is handed over twice is kept twice: the caller knows which one counted.
func (l *Log) AppendAct(ctx context.Context, a Act) error {
	if l.act == nil {
		return l.onlyRead()
	}
	if err := a.check(); err != nil {
		return err
	}
	a = a.bounded()
	_, err := l.act.ExecContext(ctx, a.Time.UnixMicro(), a.Channel, a.User, a.Name, a.Verb, a.Task, a.Delivery, a.Verdict, a.Reason)
	if err != nil {
		return l.explain("write", err)
	}
	return nil
}
