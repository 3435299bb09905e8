package audit

import (
	"context"
	"database/sql"
	"iter"
	"strings"
	"time"
)

// Filter picks records. Empty fields pick all.
type Filter struct {
	Task     string // id of the task
	Partial  bool   // when no task has that id, Task may be a beginning or an end of one
	Session  string
	Role     string
	Decision string
	Rule     string
	Contains string    // a part of the command, upper and lower case told apart
	Since    time.Time // from here on
	Until    time.Time // up to but without this moment
	Limit    int       // the newest ones only; 0 is all
}

// List gives the records, oldest first, as they were when it began. The loop may append. An error ends it.
func (l *Log) List(ctx context.Context, f Filter) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		query, args, err := l.query(ctx, f)
		if err != nil {
			yield(Record{}, err)
			return
		}
		each(ctx, l, query, args, scan)(yield)
	}
}

// each gives what a query finds, row by row.
func each[T any](ctx context.Context, l *Log, query string, args []any, scan func(*sql.Rows) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		rows, err := l.read.QueryContext(ctx, query, args...)
		if err != nil {
			yield(none, l.explain("read", err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			item, err := scan(rows)
			if err != nil {
				yield(none, l.explain("read", err))
				return
			}
			if !yield(item, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(none, l.explain("read", err))
		}
	}
}

// Read lists the record at path, which another process may be writing to. See OpenReader and List.
func Read(ctx context.Context, path string, f Filter) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		l, err := OpenReader(path)
		if err != nil {
			yield(Record{}, err)
			return
		}
		defer l.Close()
		l.List(ctx, f)(yield)
	}
}

const columns = `id, time, kind, task, session, role, host, tool, dir, command, truncated, sha256, decision, rule, reason, approved_by, exit_code, duration`

// query makes the query of a filter. Values are always arguments.
func (l *Log) query(ctx context.Context, f Filter) (string, []any, error) {
	var where []string
	var args []any
	add := func(condition string, values ...any) {
		where, args = append(where, condition), append(args, values...)
	}
	if f.Task != "" {
		whole, err := l.whole(ctx, f)
		if err != nil {
			return "", nil, err
		}
		if whole {
			add("task = ?", f.Task)
		} else {
			add("(substr(task, 1, length(?)) = ? OR substr(task, -length(?)) = ?)", f.Task, f.Task, f.Task, f.Task)
		}
	}
	for column, value := range map[string]string{"session": f.Session, "role": f.Role, "decision": f.Decision, "rule": f.Rule} {
		if value != "" {
			add(column+" = ?", value)
		}
	}
	if f.Contains != "" {
		add("instr(command, ?) > 0", f.Contains)
	}
	if !f.Since.IsZero() {
		add("time >= ?", f.Since.UnixMicro())
	}
	if !f.Until.IsZero() {
		add("time < ?", f.Until.UnixMicro())
	}
	query := "SELECT " + columns + " FROM records"
	if len(where) > 0 {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	if f.Limit > 0 {
		query = "SELECT * FROM (" + query + " ORDER BY id DESC LIMIT ?)"
		args = append(args, f.Limit)
	}
	return query + " ORDER BY id", args, nil
}

// whole tells whether the filter names a whole id.
func (l *Log) whole(ctx context.Context, f Filter) (bool, error) {
	if !f.Partial {
		return true, nil
	}
	var there bool
	if err := l.read.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM records WHERE task = ?)", f.Task).Scan(&there); err != nil {
		return false, l.explain("read", err)
	}
	return there, nil
}

func scan(rows *sql.Rows) (Record, error) {
	var r Record
	var micros, duration int64
	var exit sql.NullInt64
	err := rows.Scan(&r.ID, &micros, &r.Kind, &r.Task, &r.Session, &r.Role, &r.Host, &r.Tool, &r.Dir, &r.Command, &r.Truncated, &r.SHA256,
		&r.Decision, &r.Rule, &r.Reason, &r.ApprovedBy, &exit, &duration)
	r.Time, r.Duration = time.UnixMicro(micros).UTC(), time.Duration(duration)
	if exit.Valid {
		code := int(exit.Int64)
		r.ExitCode = &code
	}
	return r, err
}
