package workspace

import (
	"bytes"
	"context"
	"path"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

const (
	mostLinks   = 8    // symbolic links in a row
	longestLink = 4096 // bytes of what a link leads to
)

// Target tells where a path leads in the commit that File reads: links of that commit are followed, those among the folders above it too,
// and never out of it. What the commit does not have leads to itself.
func (t *Tree) Target(ctx context.Context, name string) (target string, err error) {
	clean, err := inRepository(name)
	if err != nil {
		return "", err
	}
	err = t.at.reading(ctx, func(o *opened) error {
		target, err = baseTarget(ctx, o.bare, o.state.Record.accepted(), clean)
		return err
	})
	return target, wrap("follow the links of the base commit", err)
}

func baseTarget(ctx context.Context, r repo, base, name string) (string, error) {
	if base == "" {
		return name, nil
	}
	r = r.with("GIT_LITERAL_PATHSPECS=1")
	at, rest := "", name // what holds no link, and what is still to be looked at below it
	for hops := 0; rest != ""; {
		first, below, _ := strings.Cut(rest, "/")
		next := path.Join(at, first)
		text, err := r.run(ctx, "ls-tree", "-l", "-z", base, "--", next)
		if err != nil {
			return "", err
		}
		f := strings.Fields(text) // mode type id size path
		switch {
		case len(f) < 5:
			return path.Join(next, below), nil
		case f[0] != "120000":
			at, rest = next, below
			continue
		}
		target, err := linkTarget(ctx, r, f[2], f[3])
		if err != nil {
			return "", err
		}
		at, rest = "", path.Join(at, target, below)
		if hops++; hops > mostLinks || path.IsAbs(target) || rest == "." || rest == ".." || strings.HasPrefix(rest, "../") {
			return "", fault.New(fault.Input, "%s is a symbolic link to %.200q, which leads to no file of the repository", name, target).
				WithHint("make it a link within the repository, or a file")
		}
	}
	return at, nil
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
