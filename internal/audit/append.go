package audit

import (
	"context"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

const insertSQL = `INSERT INTO records (time, kind, task, session, role, host, tool, dir, command, truncated, sha256, decision, rule,
	reason, approved_by, exit_code, duration) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// What was refused never ran, and what ran ends once.
const finishSQL = `UPDATE records SET exit_code = ?, duration = ? WHERE id = ? AND decision IN ('allow', '') AND exit_code IS NULL`

// Append writes a record and gives its id. When it returns without an error the record outlives this process. On any error
// the caller must refuse the call; the record may then be there or not. ID, Truncated and SHA256 of r are not looked at.
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

// Finish notes how a run ended, or a call that the decision with this id let through. What has ended already, what was not
// allowed and an unknown id are NotFound faults.
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

// Prune deletes the records and the acts from before a time and gives their number. Their room in the file is used again.
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
