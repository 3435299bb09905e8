// Package audit is the command log and the audit log of a host: every decision on a tool call, every run of a command,
// and what people did to tasks, in one SQLite file. A record is handed to the kernel before Append returns, so a caller
// that waits for Append before it allows a call has the call on record even if it is killed right after. The package may
// not decide anything, and it does not redact: callers pass texts that may be kept and shown.
package audit

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/longshift/longshift/internal/fault"
)

// FileName is the name of the log in a host's data folder.
const FileName = "audit.db"

// Log is an open log. It is safe for concurrent use.
type Log struct {
	path   string
	log    *slog.Logger
	write  *sql.DB // one connection, so that writers of this process queue here and not at the file; nil for a reader
	read   *sql.DB // separate, so that a caller may append while it lists
	insert *sql.Stmt
	finish *sql.Stmt
	act    *sql.Stmt
}

// Open opens the log at path for writing, and creates it and its folder if needed. A damaged file is renamed to
// path.damaged-1 (or the next free number) and replaced by an empty one, with a warning in log. Errors are faults that
// name the file; without a log a caller must refuse every call.
func Open(ctx context.Context, path string, log *slog.Logger) (*Log, error) {
	log = cmp.Or(log, slog.New(slog.DiscardHandler))
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fault.New(fault.Input, "audit file %s: %w", path, err)
	}
	l, err := open(ctx, path, log)
	if !errors.Is(err, errDamaged) {
		return l, err
	}
	aside, moveErr := setAside(path)
	if moveErr != nil {
		return nil, fault.New(fault.Infra, "set the damaged audit file %s aside: %w", path, moveErr).WithHint("move it away by hand")
	}
	log.ErrorContext(ctx, "the audit file was damaged; its content is kept and a new one is started",
		"file", path, "kept", aside, "error", err)
	return open(ctx, path, log)
}

func open(ctx context.Context, path string, log *slog.Logger) (*Log, error) {
	if err := create(path); err != nil {
		return nil, err
	}
	l := &Log{path: path, log: log}
	var err error
	if l.write, err = sql.Open(driverName, source(path, forWriting)); err != nil {
		return nil, l.explain("open", err)
	}
	l.write.SetMaxOpenConns(1)
	if l.read, err = sql.Open(driverName, source(path, forReading)); err != nil {
		return nil, errors.Join(l.explain("open", err), l.Close())
	}
	if err := l.begin(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// begin checks and migrates the file, and prepares the statements of Append, Finish and AppendAct.
func (l *Log) begin(ctx context.Context) error {
	if err := l.check(ctx); err != nil {
		return err
	}
	if err := l.migrate(ctx, migrations); err != nil {
		return err
	}
	var err error
	if l.insert, err = l.write.PrepareContext(ctx, insertSQL); err != nil {
		return l.explain("prepare", err)
	}
	if l.finish, err = l.write.PrepareContext(ctx, finishSQL); err != nil {
		return l.explain("prepare", err)
	}
	if l.act, err = l.write.PrepareContext(ctx, actSQL); err != nil {
		return l.explain("prepare", err)
	}
	return nil
}

// create creates an empty file with mode 0600, before the driver would create one with other permissions.
func create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fault.New(fault.Infra, "make the folder of the audit file %s: %w", path, err).WithHint("check the data folder")
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fault.New(fault.Infra, "open the audit file %s: %w", path, err).WithHint("check disk space and the rights of the data folder")
	}
	return f.Close()
}

// OpenReader opens the log at path for List and Acts only; another process may be writing to it. A missing log is a
// NotFound fault that wraps fs.ErrNotExist.
func OpenReader(path string) (*Log, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fault.New(fault.Input, "audit file %s: %w", path, err)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "no audit file %s: %w", path, fs.ErrNotExist)
	} else if err != nil {
		return nil, fault.New(fault.Denied, "audit file %s: %w", path, err).WithHint("run as the user of the worker")
	}
	l := &Log{path: path, log: slog.New(slog.DiscardHandler)}
	if l.read, err = sql.Open(driverName, source(path, forReading)); err != nil {
		return nil, l.explain("open", err)
	}
	if err := l.current(context.Background()); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Close closes the file. Records are safe even without it.
func (l *Log) Close() error {
	var errs []error
	for _, s := range []*sql.Stmt{l.insert, l.finish, l.act} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	for _, db := range []*sql.DB{l.read, l.write} { // the writer last: the last connection checkpoints the file
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	if err := errors.Join(errs...); err != nil {
		return l.explain("close", err)
	}
	return nil
}
