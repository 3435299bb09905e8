package audit

import (
	"context"
	"database/sql"
	"iter"
	"strings"
	"time"
)

// ActFilter picks acts. Empty fields pick all.
type ActFilter struct {
	Task    string // id of the task
	Channel string
	User    string // id on the channel
	Verdict ActVerdict
	Since   time.Time // from here on
	Last    int       // the newest ones only; 0 is all
}

// Acts gives the acts, oldest first, as they were when it began. The loop may append. An error ends it.
func (l *Log) Acts(ctx context.Context, f ActFilter) iter.Seq2[Act, error] {
	return func(yield func(Act, error) bool) {
		query, args := f.query()
		each(ctx, l, query, args, scanAct)(yield)
	}
}

// ReadActs lists the acts at path, which another process may be writing to. See OpenReader and Acts.
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

// query makes the query of a filter. Values are always arguments.
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
