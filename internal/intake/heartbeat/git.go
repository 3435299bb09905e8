package heartbeat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/workfile"
)

// version gives a file as a branch has it. ok is false when the branch or the file is not there, or it is no plain text of a size that we
// read: nothing is taken over then.
func (s *Source) version(ctx context.Context, d *desk, branch string) (content []byte, ok bool, err error) {
	commit, err := s.run(ctx, d, 200, "rev-parse", "--verify", "--quiet", "--end-of-options", "refs/heads/"+branch+"^{commit}")
	if err != nil || commit == nil {
		return nil, false, err
	}
	id := strings.TrimSpace(string(commit))
	entry, err := s.run(ctx, d, 8<<10, "--literal-pathspecs", "ls-tree", "-l", "-z", "--full-tree", id, "--", d.Name(d.name))
	if err != nil || entry == nil {
		return nil, false, err
	}
	fields := strings.Fields(strings.SplitN(string(entry), "\t", 2)[0]) // mode, type, id, size
	if len(fields) != 4 || fields[1] != "blob" || !strings.HasPrefix(fields[0], "100") {
		return nil, false, nil
	}
	if size, err := strconv.Atoi(fields[3]); err != nil || size > workfile.Most/2 {
		return nil, false, nil
	}
	content, err = s.run(ctx, d, workfile.Most, "cat-file", "blob", fields[2])
	if err != nil || content == nil || !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0 {
		return nil, false, err
	}
	return content, true, nil
}

// run gives what git prints, at most most bytes; nil when git says that there is none. It runs no hook, filter or transport, and reads
// nobody's configuration but the repository's.
func (s *Source) run(ctx context.Context, d *desk, most int64, args ...string) ([]byte, error) {
	base := []string{
		"--git-dir=" + filepath.Join(d.Repository, ".git"), "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never", "-c", "gc.auto=0",
	}
	cmd := exec.CommandContext(ctx, s.git, append(base, args...)...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0",
		"GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none",
	}
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &bounded{&out, most}, &bounded{&complaint, 4 << 10}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var exit *exec.ExitError
	switch {
	case err == nil && out.Len() == 0:
		return nil, nil
	case err == nil:
		return out.Bytes(), nil
	case errors.As(err, &exit) && exit.ExitCode() == 1 && complaint.Len() == 0: // rev-parse --quiet: no such branch
		return nil, nil
	case errors.As(err, &exit):
		return nil, fault.New(fault.Infra, "git can't read %s: %s", d.Name(d.name), strings.TrimSpace(complaint.String()))
	}
	return nil, fault.New(fault.Infra, "run %s: %w", s.git, err)
}

// bounded writes so much and refuses more.
type bounded struct {
	w    io.Writer
	left int64
}

func (b *bounded) Write(p []byte) (int, error) {
	if int64(len(p)) > b.left {
		return 0, fmt.Errorf("more than was asked for")
	}
	b.left -= int64(len(p))
	return b.w.Write(p)
}
