package audit

import (
	"context"
	"database/sql"
	"iter"
	"strings"
	"time"
)

// ActFilter selects acts. Empty fields match all.
type ActFilter struct {
	Task    string // task id
	Channel string
	User    string // id on the channel
	Verdict ActVerdict
	Since   time.Time // at or after
	Last    int       // only the newest; 0 means all
}

// Acts yields a snapshot of the acts, oldest first. The loop may append. An error ends it.
func (l *Log) Acts(ctx context.Context, f ActFilter) iter.Seq2[Act, error] {
	return func(yield func(Act, error) bool) {
		query, args := f.query()
		each(ctx, l, query, args, scanAct)(yield)
	}
}

// ReadActs yields the acts in the file at path, which another process may be writing to. See OpenReader and Acts.
func ReadActs(ctx context.Context, path string, f ActFilter) iter.Seq2[Act, error] {
	return func(yield func(Act, error) bool) {
		l, err := OpenReader(path)
		if err != nil {
			yield(Act{}, err)
			return
		}
		defer l.Close()
		l.Acts(ctx, f)(yield)
	}
}

// query returns the SQL of a filter. Values are always arguments.
func (f ActFilter) query() (string, []any) {
	var where []string
	var args []any
	for _, c := range []struct{ column, value string }{
		{"task", f.Task}, {"channel", f.Channel}, {"user", f.User}, {"verdict", string(f.Verdict)},
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
	return query + " ORDER BY id", args
}

func scanAct(rows *sql.Rows) (Act, error) {
	var a Act
	var micros int64
	err := rows.Scan(&a.ID, &micros, &a.Channel, &a.User, &a.Name, &a.Verb, &a.Task, &a.Delivery, &a.Verdict, &a.Reason)
	a.Time = time.UnixMicro(micros).UTC()
	return a, err
}
