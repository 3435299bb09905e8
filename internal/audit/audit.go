// Package audit is the record of what agents were allowed to do on this host: every decision on a tool call and every run
// of a command, and of what people did to tasks, in one SQLite file. A record is on its way to the disk before Append returns, so that a caller which lets a
// call through only then has it recorded, even if it is killed at once. The package may not decide anything, and it does
// not redact: callers hand it texts that may be kept and shown.
package audit

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/longshift/longshift/internal/fault"
)

// FileName is the name of the record in a host's data folder.
const FileName = "audit.db"

// Log is an open record. It may be used by several goroutines.
type Log struct {
	path   string
	log    *slog.Logger
	write  *sql.DB // one connection, so that writers of this process queue here and not at the file; nil for a reader
	read   *sql.DB // of its own, so that a caller may append while it lists
	insert *sql.Stmt
	finish *sql.Stmt
	act    *sql.Stmt
}

// Open opens the record at path for writing and makes it, with its folder, when it is not there. A damaged file is moved
// aside to path.damaged-1 (or the next free number), content kept, and a new one is begun; log says so. Errors are faults
// that name the file; without a record a caller must refuse every call.
func Open(ctx context.Context, path string, log *slog.Logger) (*Log, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
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
	log.ErrorContext(ctx, "the audit file was damaged; its content is kept and a new one begins", "file", path, "kept", aside, "error", err)
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

// begin checks the file, brings it up to date and prepares what Append, Finish and AppendAct run.
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

// create makes an empty file that only this user may read, before the driver would make one with other rights.
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

// OpenReader opens the record at path for List and Acts only, also while another process writes to it. A record that is not there
// is a NotFound fault that wraps fs.ErrNotExist.
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

// Close closes the file. Records are safe without it.
func (l *Log) Close() error {
	var errs []error
	for _, s := range []*sql.Stmt{l.insert, l.finish, l.act} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	for _, db := range []*sql.DB{l.read, l.write} { // the writer last: the last connection tidies the file up
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	if err := errors.Join(errs...); err != nil {
		return l.explain("close", err)
	}
	return nil
}
