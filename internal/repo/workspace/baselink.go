package workspace

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

const (
	mostLinks   = 8    // symbolic links in a row
	longestLink = 4096 // bytes of what a link leads to
)

// Target tells where a path leads: links of the commit are followed, those among the folders above it too, and never out of it. What the
// commit does not have leads to itself.
func (b Base) Target(ctx context.Context, name string) (target string, err error) {
	clean, err := inRepository(name)
	if err != nil {
		return "", err
	}
	err = b.at.reading(ctx, func(o *opened) error {
		target, err = baseTarget(ctx, o.bare, o.state.Record.accepted(), clean)
		return err
	})
	return target, wrap("follow the links of the base commit", err)
}

// baseTarget goes through a path one part after the other, as the system does: what ".." is above depends on the links before it.
func baseTarget(ctx context.Context, r repo, base, name string) (string, error) {
	if base == "" {
		return name, nil
	}
	r = r.with("GIT_LITERAL_PATHSPECS=1")
	at, todo, last := "", strings.Split(name, "/"), "" // at holds no link
	outside := func() (string, error) {
		return "", fault.New(fault.Input, "%s is a symbolic link to %.200q, which leads to no file of the repository", name, last).
			WithHint("make it a link within the repository, or a file")
	}
	for hops := 0; len(todo) > 0; {
		part := todo[0]
		todo = todo[1:]
		switch {
		case part == "" || part == ".":
			continue
		case part == ".." && at == "":
			return outside()
		case part == "..":
			at = strings.TrimPrefix(path.Dir(at), ".")
			continue
		}
		next := path.Join(at, part)
		text, err := r.run(ctx, "ls-tree", "-l", "-z", base, "--", next)
		if err != nil {
			return "", err
		}
		f := strings.Fields(text) // mode type id size path
		switch {
		case len(f) < 5 && slices.Contains(todo, ".."):
			return outside()
		case len(f) < 5:
			return path.Join(next, path.Join(todo...)), nil
		case f[0] != "120000":
			at = next
			continue
		}
		if last, err = linkTarget(ctx, r, f[2], f[3]); err != nil {
			return "", err
		}
		if hops++; hops > mostLinks || path.IsAbs(last) {
			return outside()
		}
		todo = slices.Concat(strings.Split(last, "/"), todo)
	}
	if at == "" && last != "" {
		return outside()
	}
	return cmp.Or(at, name), nil
}

// linkTarget reads what a link leads to.
func linkTarget(ctx context.Context, r repo, id, size string) (string, error) {
	if n, err := strconv.Atoi(size); err != nil || n > longestLink {
		return "", fault.New(fault.Input, "a symbolic link to a name of %s bytes leads to no file of the repository", size)
	}
	var target bytes.Buffer
	err := r.pipe(ctx, nil, &target, "cat-file", "blob", id)
	return target.String(), err
}
