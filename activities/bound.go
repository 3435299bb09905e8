package activities

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/signals"
)

// Bounds of the files that an approval covers. Larger ones are shown as not covered.
const (
	mostBound     = 100      // files named by one command
	mostBoundSize = 64 << 20 // bytes of one of them
	shortSum      = 12       // characters of a sum as people see it
)

// bound is the files that a call depends on, beside its text.
type bound struct {
	files []signals.File
	sum   string // of all of them
}

// bind returns the files that a command names, with sums of their content now. It returns false when there are too many, or when the
// context ends.
func (en *enforcer) bind(ctx context.Context, c agent.Call) (bound, bool) {
	var b bound
	if c.Tool != "Bash" {
		return b, true
	}
	names, ok := en.policy.Files(policy.Request{Role: en.in.Role, Dir: c.Dir, Tool: c.Tool, Input: c.Input})
	if !ok {
		return b, false
	}
	root, err := os.OpenRoot(en.root)
	if err != nil {
		return b, false
	}
	defer root.Close()
	paths, ok := expand(ctx, root, en.root, names)
	if !ok {
		return b, false
	}
	all := sha256.New()
	for _, path := range paths {
		if ctx.Err() != nil {
			return b, false
		}
		f, sum := content(root, en.root, path)
		if f == nil {
			continue
		}
		if len(b.files) == mostBound {
			return b, false
		}
		f.Path = en.redact.String(visible(f.Path))
		b.files = append(b.files, *f)
		fmt.Fprintf(all, "%d:%s,%s,", len(path), path, sum)
	}
	if len(b.files) > 0 {
		b.sum = hex.EncodeToString(all.Sum(nil))
	}
	return b, true
}

func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) ||
		errors.Is(err, syscall.EINVAL)
}

// content reads the file at a path: it returns nil when there is none, and no sum when it can't be read. Paths outside of the tree belong
// to the box and are not read; links that lead there are not followed.
func content(root *os.Root, dir, path string) (f *signals.File, sum string) {
	rel, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return &signals.File{Path: path}, ""
	}
	file, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0) // opening a pipe must not block
	if isAbsent(err) {
		return nil, ""
	}
	f = &signals.File{Path: rel}
	if err != nil {
		return f, ""
	}
	defer file.Close()
	switch info, err := file.Stat(); {
	case err != nil:
		return f, ""
	case info.IsDir():
		return nil, ""
	case !info.Mode().IsRegular():
		return f, ""
	}
	h := sha256.New()
	if n, err := io.Copy(h, io.LimitReader(file, mostBoundSize+1)); err != nil || n > mostBoundSize {
		return f, ""
	}
	sum = hex.EncodeToString(h.Sum(nil))
	f.Sum = sum[:shortSum]
	return f, sum
}
