package audit

import (
	"context"
	"database/sql"
	"errors"

	"github.com/longshift/longshift/internal/fault"
)

// migrations upgrade the file by one version each. Released ones are never changed; new ones are appended.
var migrations = []string{
	// Times are microseconds since 1970, durations nanoseconds. AUTOINCREMENT: ids of pruned records are not reused.
	`CREATE TABLE records (
		id          INTEGER PRIMARY KEY AUTOINCREMENT,
		time        INTEGER NOT NULL,
		kind        TEXT NOT NULL,
		task        TEXT NOT NULL,
		session     TEXT NOT NULL,
		role        TEXT NOT NULL,
		host        TEXT NOT NULL,
		tool        TEXT NOT NULL,
		dir         TEXT NOT NULL,
		command     TEXT NOT NULL,
		truncated   INTEGER NOT NULL,
		sha256      TEXT NOT NULL,
		decision    TEXT NOT NULL,
		rule        TEXT NOT NULL,
		reason      TEXT NOT NULL,
		approved_by TEXT NOT NULL,
		exit_code   INTEGER,
		duration    INTEGER NOT NULL
	) STRICT;
	CREATE INDEX records_task ON records (task, id);
	CREATE INDEX records_time ON records (time);`,

	`CREATE TABLE acts (
		id       INTEGER PRIMARY KEY AUTOINCREMENT,
		time     INTEGER NOT NULL,
		channel  TEXT NOT NULL,
		user     TEXT NOT NULL,
		name     TEXT NOT NULL,
		verb     TEXT NOT NULL,
		task     TEXT NOT NULL,
		delivery TEXT NOT NULL,
		verdict  TEXT NOT NULL,
		reason   TEXT NOT NULL
	) STRICT;
	CREATE INDEX acts_task ON acts (task, id);
	CREATE INDEX acts_time ON acts (time);`,
}

// migrate brings the file to the newest version. Each step is a transaction.
func (l *Log) migrate(ctx context.Context, steps []string) error {
	tx, err := l.write.BeginTx(ctx, nil) // takes the write lock, so that two processes can't both migrate
	if err != nil {
		return l.explain("update", err)
	}
	defer func() { _ = tx.Rollback() }() // a no-op after Commit
	version, err := l.version(ctx, tx)
	if err != nil {
		return err
	}
	if version > len(steps) {
		return l.tooNew(version)
	}
	if version == 0 {
		_, err := tx.ExecContext(ctx, "CREATE TABLE schema_version (version INTEGER NOT NULL) STRICT; INSERT INTO schema_version VALUES (0)")
		if err != nil {
			return l.explain("update", err)
		}
	}
	for i, step := range steps[version:] {
		if _, err := tx.ExecContext(ctx, step); err != nil {
			return l.explain("update", err)
		}
		if _, err := tx.ExecContext(ctx, "UPDATE schema_version SET version = ?", version+i+1); err != nil {
			return l.explain("update", err)
		}
	}
	if err := tx.Commit(); err != nil {
		return l.explain("update", err)
	}
	return nil
}

// queryer is a database or a transaction.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// version returns the schema version; 0 means an empty file. It refuses a file with foreign tables.
func (l *Log) version(ctx context.Context, q queryer) (int, error) {
	var tables, ours int
	row := q.QueryRowContext(ctx, "SELECT count(*), coalesce(sum(name = 'schema_version'), 0) FROM sqlite_schema WHERE type = 'table'")
	if err := row.Scan(&tables, &ours); err != nil {
		return 0, l.explain("read", err)
	}
	switch {
	case tables == 0:
		return 0, nil
	case ours == 0:
		return 0, fault.New(fault.Input, "%s is a database of something else", l.path).WithHint("move it out of the data folder")
	}
	var version int
	err := q.QueryRowContext(ctx, "SELECT version FROM schema_version").Scan(&version)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fault.New(fault.Input, "the audit file %s has no version", l.path).WithHint("move it away; a new one is started")
	}
	if err != nil {
		return 0, l.explain("read", err)
	}
	return version, nil
}

// current refuses to read a file of another version.
func (l *Log) current(ctx context.Context) error {
	version, err := l.version(ctx, l.read)
	switch {
	case err != nil:
		return err
	case version > len(migrations):
		return l.tooNew(version)
	case version < len(migrations):
		return fault.New(fault.Conflict, "the audit file %s has version %d, older than this program's %d", l.path, version, len(migrations)).
			WithHint("start the worker once; it updates the file")
	}
	return nil
}

func (l *Log) tooNew(version int) error {
	return fault.New(fault.Conflict, "the audit file %s has version %d, newer than this program's %d", l.path, version, len(migrations)).
		WithHint("use the newer longshift")
}
