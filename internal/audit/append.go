package audit

import (
	"context"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

const insertSQL = `INSERT INTO records (time, kind, task, session, role, host, tool, dir, command, truncated, sha256, decision, rule,
	reason, approved_by, exit_code, duration) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// Refused calls never ran, and a run ends only once.
const finishSQL = `UPDATE records SET exit_code = ?, duration = ? WHERE id = ? AND decision IN ('allow', '') AND exit_code IS NULL`

// Append writes a record and returns its id. When it returns no error, the record survives a crash of this process. On
// an error the caller must refuse the call; the record may or may not exist. r.ID, r.Truncated and r.SHA256 are ignored.
func (l *Log) Append(ctx context.Context, r Record) (id int64, err error) {
	if l.insert == nil {
		return 0, l.onlyRead()
	}
	if err := r.check(); err != nil {
		return 0, err
	}
	r = r.bounded()
	result, err := l.insert.ExecContext(ctx, r.Time.UnixMicro(), r.Kind, r.Task, r.Session, r.Role, r.Host, r.Tool, r.Dir, r.Command,
		r.Truncated, r.SHA256, r.Decision, r.Rule, r.Reason, r.ApprovedBy, r.ExitCode, int64(r.Duration))
	if err != nil {
		return 0, l.explain("write", err)
	}
	if id, err = result.LastInsertId(); err != nil {
		return 0, l.explain("write", err)
	}
	return id, nil
}

// Finish records the end of a run, or of a call that the decision with this id allowed. It returns a NotFound fault when
// the id is unknown, was not allowed, or has ended before.
func (l *Log) Finish(ctx context.Context, id int64, exit int, d time.Duration) error {
	if l.finish == nil {
		return l.onlyRead()
	}
	result, err := l.finish.ExecContext(ctx, exit, int64(d), id)
	if err != nil {
		return l.explain("write", err)
	}
	n, err := result.RowsAffected()
	if err != nil {
		return l.explain("write", err)
	}
	if n == 0 {
		return fault.New(fault.NotFound, "audit file %s: record %d is nothing that still runs", l.path, id)
	}
	return nil
}

// pruneBatch is how many records are deleted at a time, so that Append never waits long.
const pruneBatch = 2000

// Prune deletes the records and acts older than a time and returns their number. The file does not shrink; its free
// space is reused.
func (l *Log) Prune(ctx context.Context, before time.Time) (n int64, err error) {
	if l.write == nil {
		return 0, l.onlyRead()
	}
	for _, table := range []string{"records", "acts"} {
		deleted, err := l.prune(ctx, table, before)
		n += deleted
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

func (l *Log) prune(ctx context.Context, table string, before time.Time) (n int64, err error) {
	query := "DELETE FROM " + table + " WHERE id IN (SELECT id FROM " + table + " WHERE time < ? LIMIT ?)"
	for {
		result, err := l.write.ExecContext(ctx, query, before.UnixMicro(), pruneBatch)
		if err != nil {
			return n, l.explain("prune", err)
		}
		deleted, err := result.RowsAffected()
		if err != nil {
			return n, l.explain("prune", err)
		}
		n += deleted
		if deleted < pruneBatch {
			return n, nil
		}
	}
}

func (l *Log) onlyRead() error {
	return fault.New(fault.Internal, "the audit file %s is open for reading only", l.path)
}
