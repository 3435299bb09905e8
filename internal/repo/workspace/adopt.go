package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mostAdopted is the highest number of agent commits that are kept as separate commits.
const mostAdopted = 200

// adoption takes over commits that the agent has made in the work tree.
type adoption struct {
	core
	author  Person
	agent   *agentGit
	objects *lfsObjects
	maker   *commitMaker
}

// adopt imports the commits that the agent has made on top of head and returns the last of them. It returns head when there are none or
// when they can't be adopted. To be adopted, commits must follow head, be in the worker's name, touch nothing that is excluded or closed,
// carry no trailer of ours and pass fit. Our own git, with our own configuration, reads, packs and verifies their objects, so the agent's
// git configuration has no effect. The branch does not move yet, and these commits are never pushed as they are: retell rewrites them
// first. Commits that can't be adopted lose nothing, because the work tree holds their content.
func (a *adoption) adopt(ctx context.Context, head string, s CommitSpec) (string, error) {
	theirs := a.agent.head()
	if theirs == "" || theirs == head {
		return head, nil
	}
	why := a.adoptable(ctx, head, theirs, s.Exclude)
	if why == nil {
		why = a.fit(ctx, head, theirs, s.closes())
	}
	if why == nil {
		why = a.bringIn(ctx, head, theirs)
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if why != nil {
		a.log.InfoContext(ctx, "commits of the agent are not taken as they are", "task", a.id, "commit", theirs, "reason", why)
		return head, nil
	}
	return theirs, nil
}

// theirObjects is our git directory with the agent's objects as alternates.
func (a *adoption) theirObjects() repo {
	dir := filepath.Join(a.place.work(), ".git", "objects")
	if strings.ContainsAny(dir, `:"\`) {
		dir = configValue(dir)
	}
	return a.bare.with("GIT_ALTERNATE_OBJECT_DIRECTORIES=" + dir)
}

func span(head, theirs string) []string {
	if head == "" {
		return []string{theirs}
	}
	return []string{theirs, "^" + head}
}

func (a *adoption) adoptable(ctx context.Context, head, theirs string, exclude []string) error {
	root, err := os.OpenRoot(a.place.work())
	if err != nil {
		return err
	}
	defer root.Close()
	if !a.agent.sound(root) {
		return errors.New("the agent's git folder was changed")
	}
	r := a.theirObjects()
	args := []string{"log", "--format=%ae%x00%ce%x00%(trailers:key=" + trailer + ")%x00", "-z", fmt.Sprintf("-n%d", mostAdopted+1)}
	text, err := r.run(ctx, slices.Concat(args, span(head, theirs))...)
	if err != nil {
		return err
	}
	f := strings.Split(strings.TrimSuffix(text, "\x00"), "\x00")
	if len(f)/4 >= mostAdopted {
		return fmt.Errorf("there are more than %d", mostAdopted)
	}
	for i := 0; i+2 < len(f); i += 4 {
		if f[i] != a.author.Email || f[i+1] != a.author.Email {
			return fmt.Errorf("one is in the name of %q", f[i])
		}
		if f[i+2] != "" {
			return errors.New("one bears a mark of ours")
		}
	}
	if len(exclude) == 0 {
		return nil
	}
	touched, err := r.run(ctx, slices.Concat([]string{"log", "-n1", "--format=%H"}, span(head, theirs), []string{"--"}, exclude)...)
	if err == nil && touched != "" {
		err = errors.New("they touch what is excluded")
	}
	return err
}

// bringIn copies the commits into our git directory.
func (a *adoption) bringIn(ctx context.Context, head, theirs string) error {
	pack, err := os.CreateTemp(a.place.git(), "adopt-*.pack")
	if err != nil {
		return err
	}
	defer os.Remove(pack.Name())
	defer pack.Close()
	revs := strings.Join(span(head, theirs), "\n") + "\n"
	if err := a.theirObjects().pipe(ctx, []byte(revs), pack, "pack-objects", "--revs", "--stdout", "--quiet"); err != nil {
		return err
	}
	if _, err := pack.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r := a.bare
	if err := r.once(ctx, pack, io.Discard, "index-pack", "--strict", "--stdin"); err != nil {
		return err
	}
	if _, err := r.run(ctx, append([]string{"rev-list", "--objects", "--quiet"}, span(head, theirs)...)...); err != nil {
		return err
	}
	if head == "" {
		return nil
	}
	if follows, err := r.isAncestor(ctx, head, theirs); err != nil || !follows {
		return errors.Join(errors.New("they do not follow our last commit"), err)
	}
	return nil
}

// retell rewrites the agent's commits as ours. Each keeps its tree, parents and dates. Its message is cleaned like our own, author and
// committer are the configured ones, and it is signed when ours are. Everything else in the commit object, such as an encoding or another
// signature, is dropped. The last commit gets the trailer mark, if any. A commit that already looks like this keeps its id.
func (a *adoption) retell(ctx context.Context, head, theirs, mark string) (string, error) {
	text, err := a.bare.run(ctx, slices.Concat([]string{"log", "-z", "--topo-order", "--reverse", "--date=raw",
		"--format=%H%x00%T%x00%P%x00%ad%x00%cd%x00%B"}, span(head, theirs))...)
	if err != nil {
		return "", err
	}
	retold := map[string]string{}
	f := strings.Split(text, "\x00")
	for ; len(f) >= 6; f = f[6:] {
		parents := strings.Fields(f[2])
		for i, p := range parents {
			if now, ok := retold[p]; ok {
				parents[i] = now
			}
		}
		own := ""
		if f[0] == theirs {
			own = mark
		}
		if retold[f[0]], err = a.maker.commitTree(ctx, f[1], withTrailer(f[5], own), datedAs(f[3], f[4]), parents...); err != nil {
			return "", err
		}
	}
	return retold[theirs], nil
}
