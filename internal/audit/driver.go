package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"

	_ "modernc.org/sqlite" // registers the driver

	"github.com/longshift/longshift/internal/fault"
)

const driverName = "sqlite"

const (
	forWriting = "rw"
	forReading = "ro"
)

// source is the data source name of the file. In WAL mode with synchronous=NORMAL a commit is one write to the kernel:
// it survives a crash of this process. A power failure may lose the last moments, but leaves the file intact.
func source(path, mode string) string {
	q := url.Values{"mode": {mode}, "_txlock": {"immediate"}, "_pragma": {"busy_timeout(5000)"}}
	if mode == forWriting {
		q["_pragma"] = append(q["_pragma"], "journal_mode(WAL)", "synchronous(NORMAL)", "journal_size_limit(16777216)")
	} else {
		q["_pragma"] = append(q["_pragma"], "query_only(1)")
		q.Set("_txlock", "deferred")
	}
	return "file://" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// errDamaged means that the file is not a database, or a corrupt one.
var errDamaged = errors.New("damaged")

// SQLite result codes with messages of their own. The low byte of an extended code is the primary code.
const (
	codeBusy     = 5
	codeReadOnly = 8
	codeCorrupt  = 11
	codeFull     = 13
	codeCantOpen = 14
	codeNotADB   = 26
)

// explain turns an error of the driver into a one-line fault.
func (l *Log) explain(what string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s audit file: %w", what, err)
	}
	var coded interface{ Code() int }
	code := 0
	if errors.As(err, &coded) {
		code = coded.Code() & 0xff
	}
	switch code {
	case codeCorrupt, codeNotADB:
		return fault.New(fault.Infra, "the audit file %s is %w (%s): %w", l.path, errDamaged, what, err).
			WithHint("restart the worker; it sets the file aside and starts a new one")
	case codeFull:
		return fault.New(fault.Infra, "%s audit file %s: the disk is full: %w", what, l.path, err).WithHint("free some space")
	case codeBusy:
		return fault.New(fault.Infra, "%s audit file %s: another process has held it for 5 s: %w", what, l.path, err).
			WithHint("end the process that holds it")
	case codeReadOnly, codeCantOpen:
		return fault.New(fault.Infra, "%s audit file %s: %w", what, l.path, err).
			WithHint("check the rights of the data folder; run as the user of the worker")
	}
	return fault.New(fault.Infra, "%s audit file %s: %w", what, l.path, err).WithHint("check the disk")
}

// check verifies the whole file once, so that damage is found before anyone relies on it.
func (l *Log) check(ctx context.Context) error {
	var answer string
	if err := l.write.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&answer); err != nil {
		return l.explain("check", err)
	}
	if answer != "ok" {
		return fault.New(fault.Infra, "the audit file %s is %w: %s", l.path, errDamaged, answer).WithHint("restore it from a backup")
	}
	return nil
}

// setAside renames a damaged file and its companions, and returns the new name.
func setAside(path string) (string, error) {
	for n := 1; ; n++ {
		aside := fmt.Sprintf("%s.damaged-%d", path, n)
		if _, err := os.Lstat(aside); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		for _, part := range []string{"-wal", "-shm", ""} { // the file last: if interrupted before, the next Open tries again
			if err := os.Rename(path+part, aside+part); err != nil && !(part != "" && errors.Is(err, fs.ErrNotExist)) {
				return "", err
			}
		}
		return aside, nil
	}
}
