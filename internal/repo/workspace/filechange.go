package workspace

import (
	"bufio"
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// mostLooked is how many bytes of a changed file are read.
const mostLooked = 1 << 20

// FileChange is a file that the task, or the current round, has changed.
type FileChange struct {
	Path, OldPath    string // equal unless the file was renamed
	OldMode, NewMode string // git file modes; empty where the file does not exist
	OldID, NewID     string
	Old, New         []byte // first MiB of the content; the target of a link; empty for a submodule
	Cut              bool   // the content is longer
}

// Files calls each for every file that a push of the branch would change, with its content.
func (d Diffs) Files(ctx context.Context, each func(FileChange) error) error {
	return wrap("list the changes", d.at.reading(ctx, func(o *opened) error {
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
	}))
}

// parseRaw reads what `git diff --raw -z` prints.
func parseRaw(text string) (list []FileChange, err error) {
	rawRecords(text, func(about, paths []string) bool {
		if len(about) != 5 {
			err = fault.New(fault.Internal, "git names a change by %q", strings.Join(about, " "))
			return false
		}
		list = append(list, FileChange{Path: paths[len(paths)-1], OldPath: paths[0],
			OldMode: mode(about[0]), NewMode: mode(about[1]), OldID: about[2], NewID: about[3]})
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

// fillChanges reads the contents with one git process and calls each as soon as a file is complete.
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

// sides returns the change's old and new side if they have content.
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

// readObject reads one answer of `git cat-file --batch` and truncates long content.
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
		return nil, false, fault.New(fault.Internal, "git can't read the changes: %q", strings.TrimSpace(header))
	}
	content = make([]byte, min(size, mostLooked))
	if _, err := io.ReadFull(in, content); err != nil {
		return nil, false, err
	}
	_, err = in.Discard(size - len(content) + 1) // the rest of the content and the newline after it
	return content, size > mostLooked, err
}
