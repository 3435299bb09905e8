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

// result is what a task has made of the file.
type result struct {
	text  []byte // as its branch has it
	began []byte // as it was where the branch began; nil when there was no file
	ok    bool   // there is a text
}

// result reads the file from a task's branch. It is not ok when the branch or the file does not exist, or when the file is not plain text within
// the size limit; the file in the work tree then stays.
func (s *Source) result(ctx context.Context, d *desk, branch string) (r result, err error) {
	tip, err := s.commit(ctx, d, "refs/heads/"+branch)
	if err != nil || tip == "" {
		return r, err
	}
	if r.text, r.ok, err = s.version(ctx, d, tip); err != nil || !r.ok {
		return r, err
	}
	head, err := s.commit(ctx, d, "HEAD")
	if err != nil || head == "" {
		return r, err
	}
	base, err := s.run(ctx, d, 200, "merge-base", tip, head)
	if err != nil || base == nil {
		return r, err
	}
	r.began, _, err = s.version(ctx, d, strings.TrimSpace(string(base)))
	return r, err
}

// commit returns the id of a ref's commit, "" when there is none.
func (s *Source) commit(ctx context.Context, d *desk, ref string) (string, error) {
	id, err := s.run(ctx, d, 200, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	return strings.TrimSpace(string(id)), err
}

// version reads the file at a commit.
func (s *Source) version(ctx context.Context, d *desk, id string) (content []byte, ok bool, err error) {
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
