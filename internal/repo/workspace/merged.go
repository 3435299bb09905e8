package workspace

import (
	"context"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/repo/git"
)

// What a merge of the base branch brings in is already on the remote and not the task's work. The merged tips are recorded. Only commits
// that we have fetched from the base branch ourselves are recorded, so an agent can't pass its own commits off as somebody else's.

// history separates the task's own commits from those that came in with merges.
type history struct {
	core
	maker *commitMaker
}

// merged returns the recorded tips that exist here. On another host, a tip whose merge was never committed may be missing.
func (h *history) merged(ctx context.Context) (list []string, err error) {
	for _, id := range h.state.Record.Merged {
		_, err := h.bare.run(ctx, "cat-file", "-e", id)
		switch code := git.ExitCode(err); {
		case err == nil:
			list = append(list, id)
		case code != 1 && code != 128: // the check itself has failed
			return nil, err
		}
	}
	return list, nil
}

// ofPeople returns commits that came from the base branch and not from a task, the newest merged ones first. The commit that a later round
// starts from is none of them, because the task's branch holds what an agent has written.
func (h *history) ofPeople(ctx context.Context) (list []string, err error) {
	if list, err = h.merged(ctx); err != nil {
		return nil, err
	}
	slices.Reverse(list)
	rec, start := h.state.Record, h.state.Record.Base
	if rec.Trunk != "" {
		if start, err = common(ctx, h.bare, rec.Base, rec.Trunk); err != nil {
			return nil, err
		}
	}
	for _, commit := range []string{start, rec.Trunk} {
		if commit != "" {
			list = append(list, commit)
		}
	}
	return list, nil
}

// own returns revision arguments that select the task's own commits.
func (h *history) own(ctx context.Context, head string) ([]string, error) {
	return h.ownAfter(ctx, h.state.Record.Base, head)
}

func (h *history) ownAfter(ctx context.Context, from, head string) ([]string, error) {
	revs := span(from, head)
	if from == "" && from != h.state.Record.Base {
		return revs, nil
	}
	list, err := h.merged(ctx)
	for _, id := range list {
		revs = append(revs, "^"+id)
	}
	return revs, err
}

// before returns what a commit with these parents is compared with: its first parent or, for a merge of the base branch, git's automatic
// merge of both.
func (h *history) before(ctx context.Context, parents []string) (string, error) {
	switch {
	case len(parents) == 0:
		return "", nil
	case !h.state.isMerge(parents):
		return parents[0], nil
	}
	m, err := h.mergeTrees(ctx, parents[0], parents[1])
	return m.Tree, err
}

// sortCommits returns the task's own commits and, separately, its merges of the base branch with their parents.
func (h *history) sortCommits(ctx context.Context, head string) (plain []string, merges [][]string, err error) {
	if len(h.state.Record.Merged) == 0 {
		return nil, nil, nil
	}
	revs, err := h.own(ctx, head)
	if err != nil {
		return nil, nil, err
	}
	text, err := h.bare.run(ctx, append([]string{"rev-list", "--parents"}, revs...)...)
	for _, line := range lines(text) {
		if ids := strings.Fields(line); h.state.isMerge(ids[1:]) {
			merges = append(merges, ids)
		} else {
			plain = append(plain, ids[0])
		}
	}
	return plain, merges, err
}

// since returns what the head is compared with to show the task's own changes after a commit: that commit merged with what came in from
// the base branch later. Where the two conflict, it has conflict markers, so that the comparison shows how they were resolved.
func (h *history) since(ctx context.Context, from, head string) (string, error) {
	if from == "" {
		return h.state.emptyTree(), nil
	}
	list, err := h.cameIn(ctx, from, head)
	if err != nil {
		return "", err
	}
	for i, base := range list {
		common, err := common(ctx, h.bare, from, base)
		if err != nil {
			return "", err
		}
		switch {
		case common == "":
		case common == from:
			from = base
		default:
			m, err := h.mergeTrees(ctx, from, base)
			if err != nil || i == len(list)-1 {
				return m.Tree, err
			}
			if from, err = h.maker.innerCommit(ctx, m.Tree, "Start of a comparison\n", from, base); err != nil {
				return "", err
			}
		}
	}
	return from, nil
}

// cameIn returns the merged tips that head contains and from does not, without those that another one contains.
func (h *history) cameIn(ctx context.Context, from, head string) (list []string, err error) {
	all, err := h.merged(ctx)
	if err != nil {
		return nil, err
	}
	for _, base := range all {
		in, err := h.bare.isAncestor(ctx, base, head)
		if err != nil {
			return nil, err
		}
		old, err := h.bare.isAncestor(ctx, base, from)
		if err != nil {
			return nil, err
		}
		if in && !old {
			list = append(list, base)
		}
	}
	if len(list) < 2 {
		return list, nil
	}
	text, err := h.bare.run(ctx, append([]string{"merge-base", "--independent"}, list...)...)
	return lines(text), err
}
