package heartbeat

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake/workfile"
	"github.com/longshift/longshift/internal/repo/git"
)

// version reads a file from a branch. ok is false when the branch or the file does not exist, or when the file is not plain text within
// the size limit; the file in the work tree then stays.
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

// run returns git's output, at most most bytes; nil when git reports that nothing was found. It uses no configuration but the
// repository's, and its commands run no filters.
func (s *Source) run(ctx context.Context, d *desk, most int64, args ...string) ([]byte, error) {
	g := git.Git{Env: []string{"GIT_DIR=" + filepath.Join(d.Repository, ".git"), "GIT_OPTIONAL_LOCKS=0"}, Limit: most}
	var out bytes.Buffer
	err := g.Run(ctx, nil, &out, args...)
	var failed *git.Error
	switch {
	case ctx.Err() != nil:
		return nil, err
	case err == nil && out.Len() == 0:
		return nil, nil
	case err == nil:
		return out.Bytes(), nil
	case git.ExitCode(err) == 1 && errors.As(err, &failed) && failed.Stderr == "": // rev-parse --quiet: no such branch
		return nil, nil
	case errors.As(err, &failed):
		return nil, fault.New(fault.Infra, "git can't read %s: %s", d.Name(d.name), failed.Words())
	}
	return nil, fault.New(fault.Infra, "run git: %w", err)
}
