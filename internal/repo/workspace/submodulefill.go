package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"path"

	"github.com/longshift/longshift/internal/excerpt"
)

// filling finds and fetches the submodules of one tree. Submodule mirrors belong to the repository that names them, so another repository
// can't read a submodule just by naming it.
type filling struct {
	id      string // task id
	mirrors *mirrors
	log     *slog.Logger

	soon context.Context   // ends when fetching takes too long
	top  remote            // the task's own repository
	dead map[string]string // unreachable servers, with the reason
	list []submodule
}

func (t *submoduleTree) fetch(ctx context.Context, named []link) ([]submodule, error) {
	rem, err := t.remotes.find(ctx, t.state.Repository)
	if err != nil {
		return nil, err
	}
	soon, cancel := context.WithTimeout(ctx, fillWithin)
	defer cancel()
	f := &filling{id: t.id, mirrors: t.mirrors, log: t.log, soon: soon, top: rem, dead: map[string]string{}}
	err = f.collect(ctx, submodule{URL: rem.url}, named, 1)
	return f.list, err
}

// collect lists the submodules of one repository, each followed by its nested ones, and fetches them.
func (f *filling) collect(ctx context.Context, parent submodule, named []link, depth int) error {
	for _, l := range named {
		s := submodule{Path: path.Join(parent.Path, l.path), In: parent.Path, Name: l.name, URL: l.url, Commit: l.commit}
		switch {
		case len(f.list) > mostSubmodules:
			return nil
		case len(f.list) == mostSubmodules || depth > deepestSubmodule:
			s.Why = fmt.Sprintf("there are more than %d submodules, or more than %d within each other", mostSubmodules, deepestSubmodule)
			f.list = append(f.list, s)
			continue
		}
		if err := f.fetch(ctx, parent, &s); err != nil {
			return err
		}
		mirror := f.mirrors.at(s.Mirror)
		if s.Why == "" {
			var err error
			if s.LFS, err = usesLFS(ctx, mirror, s.Commit); err != nil {
				return err
			}
		}
		f.list = append(f.list, s)
		if s.Why != "" {
			f.log.WarnContext(ctx, "a submodule can't be filled", "task", f.id, "submodule", s.Path, "reason", s.Why)
			continue
		}
		var inner []link
		modules, err := gitmodules(ctx, mirror, s.Commit)
		if err == nil {
			_, inner, err = links(ctx, mirror, modules, s.Commit)
		}
		if err == nil {
			err = f.collect(ctx, s, inner, depth+1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fetch fetches a submodule's commit into its mirror. If no remote has it, the submodule's Why says so.
func (f *filling) fetch(ctx context.Context, parent submodule, s *submodule) error {
	ways := f.checkedOut(s.Path)
	rem, err := f.top.submodule(parent.URL, s.URL)
	if err == nil {
		s.URL = rem.url
		ways = append(ways, rem)
		if rem.protocol == "https" {
			ways = append(ways, rem.elsewhere())
		}
	}
	sum := sha256.Sum256([]byte(f.top.url + "\n" + s.URL))
	s.Mirror = "submodule-" + hex.EncodeToString(sum[:12]) + ".git"
	if err != nil {
		s.URL, s.Why = "", err.Error()
	}
	for _, way := range ways {
		why, err := f.bring(ctx, way, s)
		if err != nil {
			return err
		}
		if s.Why = why; why == "" {
			return nil
		}
	}
	s.Why, s.Mirror = excerpt.Line(s.Why, 300), ""
	return nil
}
