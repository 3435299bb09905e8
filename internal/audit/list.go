package audit

import (
	"context"
	"database/sql"
	"iter"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// Filter selects records. Empty fields match all.
type Filter struct {
	Task     string // task id
	Partial  bool   // if no task has that id, Task may be the beginning or end of that of one task
	Session  string
	Role     string
	Decision string
	Rule     string
	Contains string    // part of the command, case-sensitive
	Since    time.Time // at or after
	Until    time.Time // before
	Limit    int       // only the newest; 0 means all
}

// List yields a snapshot of the records, oldest first. The loop may append. An error ends it.
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

// each yields the rows of a query.
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

// Read yields the records in the file at path, which another process may be writing to. See OpenReader and List.
func Read(ctx context.Context, path string, f Filter) iter.Seq2[Record, error] {
	return inFile(path, func(l *Log) iter.Seq2[Record, error] { return l.List(ctx, f) })
}

// inFile opens the file at path for as long as its entries are read.
func inFile[T any](path string, entries func(*Log) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		l, err := OpenReader(path)
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		defer l.Close()
		entries(l)(yield)
	}
}

const columns = `id, time, kind, task, session, role, host, tool, dir, command, truncated, sha256, ` +
	`decision, rule, reason, approved_by, exit_code, duration`

// query returns the SQL of a filter. Values are always arguments.
func (l *Log) query(ctx context.Context, f Filter) (string, []any, error) {
	var where []string
	var args []any
	add := func(condition string, values ...any) {
		where, args = append(where, condition), append(args, values...)
	}
	if f.Task != "" {
		id, err := l.ofTask(ctx, "records", f.Task, f.Partial)
		if err != nil {
			return "", nil, err
		}
		add("task = ?", id)
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

// ofTask returns the id of the task that is meant. With partial, given may be the beginning or end of the id of one task in the table, if
// it is no whole one.
func (l *Log) ofTask(ctx context.Context, table, given string, partial bool) (string, error) {
	whole := !partial
	if partial {
		if err := l.read.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM "+table+" WHERE task = ?)", given).Scan(&whole); err != nil {
			return "", l.explain("read", err)
		}
	}
	if whole {
		return given, nil
	}
	query := "SELECT DISTINCT task FROM " + table +
		" WHERE substr(task, 1, length(?)) = ? OR substr(task, -length(?)) = ? ORDER BY task LIMIT 10"
	var ids []string
	for id, err := range each(ctx, l, query, []any{given, given, given, given}, scanID) {
		if err != nil {
			return "", err
		}
		ids = append(ids, id)
	}
	switch len(ids) {
	case 0:
		return given, nil
	case 1:
		return ids[0], nil
	}
	return "", fault.New(fault.Input, "task %q is ambiguous:\n  %s", given, strings.Join(ids, "\n  ")).WithHint("give more of its id")
}

func scanID(rows *sql.Rows) (id string, err error) {
	err = rows.Scan(&id)
	return id, err
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
