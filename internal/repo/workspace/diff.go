package workspace

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
)

const mostDiff = 120 << 10 // bytes that fit into a prompt

// Diffs shows what the task has changed, since a commit or in all that a push would publish. What came in with merges of the base branch is
// left out, and no attributes of the work tree can hide a change.
type Diffs struct{ at *attempt }

// Diff is what was changed since a commit.
type Diff struct {
	Text                  string // a patch of at most 120 KiB; its last line says what was cut
	Cut                   bool   // Text is incomplete
	Files, Added, Deleted int
}

// Since compares a commit ("" for the empty tree) with the last commit.
func (d Diffs) Since(ctx context.Context, from string) (diff Diff, err error) {
	out := &beginning{}
	if err := d.compare(ctx, from, out, "--shortstat", "--patch"); err != nil {
		return Diff{}, err
	}
	stat, patch, _ := strings.Cut(out.String(), "\n")
	diff.Files, diff.Added, diff.Deleted = shortstat(stat)
	diff.Text, diff.Cut = strings.TrimPrefix(patch, "\n"), out.cut > 0
	return diff, nil
}

// Write writes the patch of Since, without a limit.
func (d Diffs) Write(ctx context.Context, from string, to io.Writer) error {
	return d.compare(ctx, from, to, "--patch")
}

func (d Diffs) compare(ctx context.Context, from string, to io.Writer, what ...string) error {
	return wrap("compare", d.at.reading(ctx, func(o *opened) error {
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
