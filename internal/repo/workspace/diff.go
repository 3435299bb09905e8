package workspace

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

const (
	mostFile  = 1 << 20   // bytes
	mostDiff  = 120 << 10 // bytes that fit into a prompt
	mostLinks = 8         // symbolic links in a row
)

// File reads a file of the base commit, never of the work tree. For a task that continues on its branch it reads the base branch, because
// nobody has accepted the branch's content yet. found is false when there is no such file. A link is followed within the commit and never
// out of it. A file over 1 MiB is refused.
func (t *Tree) File(ctx context.Context, name string) (data []byte, found bool, err error) {
	clean := path.Clean(name)
	if name == "" || path.IsAbs(name) || clean == ".." || strings.HasPrefix(clean, "../") {
		return nil, false, fault.New(fault.Input, "%q is not a path in the repository", name)
	}
	err = t.at.reading(ctx, func(o *opened) error {
		data, found, err = baseFile(ctx, o.bare, o.state.Record.accepted(), clean)
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("read %s of the base commit: %w", name, err)
	}
	return data, found, nil
}

// Files gives File for many names of which few are there: git is asked once what the commit's top folder has.
func (t *Tree) Files(ctx context.Context) (file func(name string) (data []byte, found bool, err error), err error) {
	top := map[string]bool{}
	err = t.at.reading(ctx, func(o *opened) error {
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
		if first, _, _ := strings.Cut(path.Clean(name), "/"); filepath.IsLocal(name) && !top[first] {
			return nil, false, nil
		}
		return t.File(ctx, name)
	}, wrap("list the base commit", err)
}

// accepted is the commit whose content somebody has accepted, or "".
func (r record) accepted() string { return cmp.Or(r.Trunk, r.Base) }

func baseFile(ctx context.Context, r repo, base, name string) ([]byte, bool, error) {
	if base == "" {
		return nil, false, nil
	}
	r = r.with("GIT_LITERAL_PATHSPECS=1")
	for at, hops := name, 0; ; hops++ {
		text, err := r.run(ctx, "ls-tree", "-l", "-z", base, "--", at)
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
		if f[0] != "120000" {
			return out.Bytes(), true, nil
		}
		target := out.String()
		at = path.Join(path.Dir(at), target)
		if hops == mostLinks || path.IsAbs(target) || at == ".." || strings.HasPrefix(at, "../") {
			return nil, false, fault.New(fault.Input, "%s is a symbolic link to %.200q, which leads to no file of the repository", name, target).
				WithHint("make it a link within the repository, or a file")
		}
	}
}

// HadFolder tells whether the commit that File reads has a folder. One behind a link is none.
func (t *Tree) HadFolder(ctx context.Context, name string) (had bool, err error) {
	err = t.at.reading(ctx, func(o *opened) error {
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

type Diff struct {
	Text                  string // a patch of at most 120 KiB; its last line says what was cut
	Cut                   bool   // Text is incomplete
	Files, Added, Deleted int
}

// Diff compares a commit ("" for the empty tree) with the last commit. Attributes of the work tree are ignored, so a change can't hide
// itself. Changes that came in with merges of the base branch since that commit are left out.
func (t *Tree) Diff(ctx context.Context, from string) (d Diff, err error) {
	out := &beginning{}
	if err := writeDiff(ctx, t.at, from, out, "--shortstat", "--patch"); err != nil {
		return Diff{}, err
	}
	stat, patch, _ := strings.Cut(out.String(), "\n")
	d.Files, d.Added, d.Deleted = shortstat(stat)
	d.Text, d.Cut = strings.TrimPrefix(patch, "\n"), out.cut > 0
	return d, nil
}

// WriteDiff writes the whole diff, without the limit of Diff.
func (t *Tree) WriteDiff(ctx context.Context, from string, to io.Writer) error {
	return writeDiff(ctx, t.at, from, to, "--patch")
}

func writeDiff(ctx context.Context, at *attempt, from string, to io.Writer, what ...string) error {
	return wrap("compare", at.reading(ctx, func(o *opened) error {
		head, err := o.branch.head(ctx)
		if err != nil || head == from {
			return err
		}
		before, err := o.history.since(ctx, from, head)
		if err != nil {
			return err
		}
		args := append([]string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--submodule=short",
			"--ignore-submodules=none"}, what...)
		return o.bare.pipe(ctx, nil, to, append(args, before, o.state.or(head), "--")...)
	}))
}

// beginning keeps the first bytes of what is written to it, in whole lines.
type beginning struct {
	kept []byte
	cut  int
}

func (h *beginning) Write(b []byte) (int, error) {
	take := min(len(b), mostDiff-len(h.kept))
	h.kept = append(h.kept, b[:take]...)
	h.cut += len(b) - take
	return len(b), nil
}

func (h *beginning) String() string {
	if h.cut == 0 {
		return strings.ToValidUTF8(string(h.kept), "\uFFFD")
	}
	whole := h.kept[:bytes.LastIndexByte(h.kept, '\n')+1]
	return strings.ToValidUTF8(string(whole), "\uFFFD") + fmt.Sprintf("[diff cut: %d bytes left out]\n", h.cut+len(h.kept)-len(whole))
}
