package workspace

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// show writes, as patches, the LFS content that a push would publish in addition to the commits.
func (l *lfsObjects) show(ctx context.Context, head string, to io.Writer) error {
	if !l.any() {
		return nil
	}
	list, err := l.cleanedIn(ctx, head)
	if err != nil {
		return err
	}
	for _, c := range list {
		if err := l.showObject(c, to); err != nil {
			return fmt.Errorf("show an object of Git LFS: %w", err)
		}
	}
	return nil
}

// contentOf writes the cleaned content if the blob is a pointer, and nothing otherwise.
func (l *lfsObjects) contentOf(ctx context.Context, id string, to io.Writer) error {
	list, err := l.bare.sized(ctx, func(yield func(string, entry) bool) { yield("", entry{"100644", id}) })
	if err != nil {
		return err
	}
	found, err := l.cleanedOf(ctx, list)
	if err != nil || len(found) == 0 {
		return err
	}
	f, err := l.own.Open(found[0].Pointer)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(to, f)
	return err
}

func (l *lfsObjects) showObject(c cleaned, to io.Writer) error {
	f, err := l.own.Open(c.Pointer)
	if err != nil {
		return err
	}
	defer f.Close()
	name := strconv.Quote("b/" + c.path)
	out := bufio.NewWriter(to)
	fmt.Fprintf(out, "diff --git %s %s\n--- /dev/null\n+++ %s\n@@ -0,0 +1 @@\n", strconv.Quote("a/"+c.path), name, name)
	in := bufio.NewReader(f)
	for begins := true; ; {
		piece, err := in.ReadSlice('\n')
		if begins && len(piece) > 0 {
			out.WriteByte('+')
		}
		if _, failed := out.Write(piece); failed != nil {
			return failed
		}
		switch begins = err == nil; {
		case errors.Is(err, io.EOF):
			out.WriteByte('\n')
			return out.Flush()
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}
