package workspace

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// mostLooked is how much of a changed file is read.
const mostLooked = 1 << 20

// FileChange is one file that the task has changed since it started, or since the round did.
type FileChange struct {
	Path, OldPath    string // the same unless it was renamed
	OldMode, NewMode string // as git writes them; empty where there is no such file
	OldID, NewID     string
	Old, New         []byte // the first MiB of the content; the target of a link; nothing of a submodule
	Cut              bool   // there is more
}

// Changes gives one file after the other that a push of the branch would change, with what it holds. What came in with merges of the
// base branch is left out, and attributes of the work tree have no say in it.
func (t *Tree) Changes(ctx context.Context, each func(FileChange) error) error {
	err := t.at.reading(ctx, func(o *opened) error {
		from := o.state.Record.Base
		head, err := o.branch.head(ctx)
		if err != nil || head == "" || head == from {
			return err
		}
		before, err := o.history.since(ctx, from, head)
		if err != nil {
			return err
		}
		args := []string{"diff", "--raw", "-z", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--find-renames", "--ignore-submodules=none"}
		text, err := o.bare.run(ctx, append(args, before, head, "--")...)
		if err != nil {
			return err
		}
		list, err := parseRaw(text)
		if err != nil {
			return err
		}
		return fillChanges(ctx, o.bare, list, each)
	})
	if err != nil {
		return fmt.Errorf("list what was changed: %w", err)
	}
	return nil
}

// parseRaw reads what `git diff --raw -z` prints.
func parseRaw(text string) (list []FileChange, err error) {
	rawRecords(text, func(about, paths []string) bool {
		if len(about) != 5 {
			err = fault.New(fault.Internal, "git names a change by %q", strings.Join(about, " "))
			return false
		}
		list = append(list, FileChange{Path: paths[len(paths)-1], OldPath: paths[0], OldMode: mode(about[0]), NewMode: mode(about[1]), OldID: about[2], NewID: about[3]})
		return true
	})
	return list, err
}

func mode(m string) string {
	if m == "000000" {
		return ""
	}
	return m
}

// fillChanges reads the content of the files with one git, and hands each on when it has it.
func fillChanges(ctx context.Context, r repo, list []FileChange, each func(FileChange) error) error {
	var ids strings.Builder
	for _, c := range list {
		for _, side := range c.sides() {
			ids.WriteString(side.id + "\n")
		}
	}
	out, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.CloseWithError(r.pipe(ctx, []byte(ids.String()), w, "cat-file", "--batch"))
	}()
	defer func() { out.Close(); <-done }()
	in := bufio.NewReaderSize(out, 64<<10)
	for _, c := range list {
		for _, side := range c.sides() {
			content, cut, err := readObject(in)
			if err != nil {
				return err
			}
			*side.content, c.Cut = content, c.Cut || cut
		}
		if err := each(c); err != nil {
			return err
		}
	}
	return nil
}

type side struct {
	id      string
	content *[]byte
}

// sides are those of the change's two that have content here.
func (c *FileChange) sides() (list []side) {
	for _, s := range []struct {
		mode string
		side
	}{{c.OldMode, side{c.OldID, &c.Old}}, {c.NewMode, side{c.NewID, &c.New}}} {
		if s.mode != "" && s.mode != "160000" {
			list = append(list, s.side)
		}
	}
	return list
}

// readObject reads one answer of `git cat-file --batch`, and keeps the beginning of a long one.
func readObject(in *bufio.Reader) (content []byte, cut bool, err error) {
	header, err := in.ReadString('\n')
	if err != nil {
		return nil, false, err
	}
	f := strings.Fields(header)
	size := -1
	if len(f) == 3 {
		size, err = strconv.Atoi(f[2])
	}
	if size < 0 || err != nil {
		return nil, false, fault.New(fault.Internal, "git can't read what was changed: %q", strings.TrimSpace(header))
	}
	content = make([]byte, min(size, mostLooked))
	if _, err := io.ReadFull(in, content); err != nil {
		return nil, false, err
	}
	_, err = in.Discard(size - len(content) + 1) // and the line end after it
	return content, size > mostLooked, err
}
