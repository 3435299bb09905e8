package audit

import (
	"context"
	"database/sql"
	"iter"
	"strings"
	"time"
	"unicode"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

type ActVerdict string

const (
	ActAsked   ActVerdict = "asked" // accepted; its outcome is a record of its own
	ActDone    ActVerdict = "done"
	ActRefused ActVerdict = "refused"
)

// Act is something that a person did to a task, or was refused. Names and reasons come from chats: characters that move
// the cursor or change the writing direction are dropped, and texts are limited like those of a Record.
type Act struct {
	ID       int64      `json:"id"`   // set by AppendAct, ascending
	Time     time.Time  `json:"time"` // by the caller's clock, UTC, in microseconds
	Channel  string     `json:"channel"`
	User     string     `json:"user"`           // the person's id on the channel
	Name     string     `json:"name,omitempty"` // display name; not verified
	Verb     string     `json:"verb"`           // the command, such as approve
	Task     string     `json:"task,omitempty"` // workflow id; "" when no task was meant
	Delivery string     `json:"delivery,omitempty"`
	Verdict  ActVerdict `json:"verdict"`
	Reason   string     `json:"reason,omitempty"` // of a refusal
}

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

// bounded drops control characters and truncates long texts.
func (a Act) bounded() Act {
	for _, text := range []*string{&a.Channel, &a.User, &a.Name, &a.Verb, &a.Task, &a.Delivery, &a.Reason} {
		*text = excerpt.Cut(printable(*text), maxOther)
	}
	return a
}

// printable removes control characters. Line breaks become spaces.
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

// AppendAct writes an act. When it returns nil, the act survives a crash of this process. a.ID is ignored. An act that
// is delivered twice is recorded twice; the caller knows which one took effect.
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

// ActFilter selects acts. Empty fields match all.
type ActFilter struct {
	Task    string // task id
	Partial bool   // if no task has that id, Task may be the beginning or end of that of one task
	Channel string
	User    string // id on the channel
	Verdict ActVerdict
	Since   time.Time // at or after
	Last    int       // only the newest; 0 means all
}

// Acts yields a snapshot of the acts, oldest first. The loop may append. An error ends it.
func (l *Log) Acts(ctx context.Context, f ActFilter) iter.Seq2[Act, error] {
	return func(yield func(Act, error) bool) {
		query, args, err := l.actQuery(ctx, f)
		if err != nil {
			yield(Act{}, err)
			return
		}
		each(ctx, l, query, args, scanAct)(yield)
	}
}

// ReadActs yields the acts in the file at path, which another process may be writing to. See OpenReader and Acts.
func ReadActs(ctx context.Context, path string, f ActFilter) iter.Seq2[Act, error] {
	return inFile(path, func(l *Log) iter.Seq2[Act, error] { return l.Acts(ctx, f) })
}

// actQuery returns the SQL of a filter. Values are always arguments.
func (l *Log) actQuery(ctx context.Context, f ActFilter) (string, []any, error) {
	var where []string
	var args []any
	if f.Task != "" {
		id, err := l.ofTask(ctx, "acts", f.Task, f.Partial)
		if err != nil {
			return "", nil, err
		}
		where, args = append(where, "task = ?"), append(args, id)
	}
	for _, c := range []struct{ column, value string }{
		{"channel", f.Channel}, {"user", f.User}, {"verdict", string(f.Verdict)},
	} {
		if c.value != "" {
			where, args = append(where, c.column+" = ?"), append(args, c.value)
		}
	}
	if !f.Since.IsZero() {
		where, args = append(where, "time >= ?"), append(args, f.Since.UnixMicro())
	}
	query := "SELECT id, time, channel, user, name, verb, task, delivery, verdict, reason FROM acts"
	if len(where) > 0 {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	if f.Last > 0 {
		query = "SELECT * FROM (" + query + " ORDER BY id DESC LIMIT ?)"
		args = append(args, f.Last)
	}
	return query + " ORDER BY id", args, nil
}

func scanAct(rows *sql.Rows) (Act, error) {
	var a Act
	var micros int64
	err := rows.Scan(&a.ID, &micros, &a.Channel, &a.User, &a.Name, &a.Verb, &a.Task, &a.Delivery, &a.Verdict, &a.Reason)
	a.Time = time.UnixMicro(micros).UTC()
	return a, err
}
