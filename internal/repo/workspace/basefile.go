package workspace

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

const mostFile = 1 << 20 // bytes

// Base is the content that somebody has accepted: the base commit, never the work tree. For a task that continues on its branch it is the
// base branch, because nobody has accepted the branch's content yet.
type Base struct{ at *attempt }

// File reads a file. found is false when there is no such file. A link is followed within the commit and never out of it. A file over 1 MiB
// is refused.
func (b Base) File(ctx context.Context, name string) (data []byte, found bool, err error) {
	clean, err := inRepository(name)
	if err != nil {
		return nil, false, err
	}
	err = b.at.reading(ctx, func(o *opened) error {
		data, found, err = baseFile(ctx, o.bare, o.state.Record.accepted(), clean)
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("read %s of the base commit: %w", name, err)
	}
	return data, found, nil
}

// inRepository cleans a path, and refuses one that leads out of the repository.
func inRepository(name string) (string, error) {
	clean := path.Clean(name)
	if name == "" || path.IsAbs(name) || clean == ".." || strings.HasPrefix(clean, "../") {
		return "", fault.New(fault.Input, "%q is not a path in the repository", name)
	}
	return clean, nil
}

// Files gives File for many names of which few are there: git is asked once what the commit's top folder has.
func (b Base) Files(ctx context.Context) (file func(name string) (data []byte, found bool, err error), err error) {
	top := map[string]bool{}
	err = b.at.reading(ctx, func(o *opened) error {
		base := o.state.Record.accepted()
		if base == "" {
			return nil
		}
		text, err := o.bare.run(ctx, "ls-tree", "-z", "--name-only", base)
		for name := range strings.SplitSeq(text, "\x00") {
			top[name] = true
		}
		return err
	})
	return func(name string) ([]byte, bool, error) {
		clean, err := inRepository(name)
		if first, _, _ := strings.Cut(clean, "/"); err != nil || !top[first] {
			return nil, false, err
		}
		return b.File(ctx, name)
	}, wrap("list the base commit", err)
}

// accepted is the commit whose content somebody has accepted, or "".
func (r record) accepted() string { return cmp.Or(r.Trunk, r.Base) }

func baseFile(ctx context.Context, r repo, base, name string) ([]byte, bool, error) {
	if base == "" {
		return nil, false, nil
	}
	at, err := baseTarget(ctx, r, base, name)
	if err != nil {
		return nil, false, err
	}
	text, err := r.with("GIT_LITERAL_PATHSPECS=1").run(ctx, "ls-tree", "-l", "-z", base, "--", at)
	if err != nil {
		return nil, false, err
	}
	f := strings.Fields(text) // mode type id size path
	if len(f) < 5 || f[1] != "blob" {
		return nil, false, nil
	}
	if size, err := strconv.Atoi(f[3]); err != nil || size > mostFile {
		return nil, false, fault.New(fault.Input, "%s has %s bytes; at most %d are read", name, f[3], mostFile)
	}
	var out bytes.Buffer
	if err := r.pipe(ctx, nil, &out, "cat-file", "blob", f[2]); err != nil {
		return nil, false, err
	}
	return out.Bytes(), true, nil
}

// HadFolder tells whether the commit has a folder. One behind a link is none.
func (b Base) HadFolder(ctx context.Context, name string) (had bool, err error) {
	err = b.at.reading(ctx, func(o *opened) error {
		base := o.state.Record.accepted()
		if base == "" {
			return nil
		}
		text, err := o.bare.with("GIT_LITERAL_PATHSPECS=1").run(ctx, "ls-tree", "-z", base, "--", path.Clean(name))
		f := strings.Fields(text) // mode type id path
		had = len(f) > 1 && f[1] == "tree"
		return err
	})
	return had, wrap("look for a folder of the base commit", err)
}
