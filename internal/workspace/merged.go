package workspace

import (
	"context"
	"slices"
	"strings"
)

// What a merge of the base branch brings in is not the task's work: it is on the remote already. The tips that came in
// are remembered, and only commits that we have fetched from the base branch ourselves are among them, so nothing of an
// agent's can be declared to be somebody else's.

// addMerged remembers a tip. It may be remembered before its merge stands: that makes no difference.
func (o *opened) addMerged(base string) {
	if list := o.state.Record.Merged; !slices.Contains(list, base) {
		o.state.Record.Merged = slices.Concat(list, []string{base})
	}
}

// merged gives the tips that are here: on another host one that was never committed may be missing.
func (o *opened) merged(ctx context.Context) (list []string, err error) {
	for _, id := range o.state.Record.Merged {
		_, err := o.bare().run(ctx, "cat-file", "-e", id)
		switch code := exitCode(err); {
		case err == nil:
			list = append(list, id)
		case code != 1 && code != 128: // it did not get to an answer
			return nil, err
		}
	}
	return list, nil
}

// own are the revisions of the task's own commits.
func (o *opened) own(ctx context.Context, head string) ([]string, error) {
	return o.ownAfter(ctx, o.state.Record.Base, head)
}

func (o *opened) ownAfter(ctx context.Context, from, head string) ([]string, error) {
	revs := span(from, head)
	if from == "" && from != o.state.Record.Base {
		return revs, nil
	}
	list, err := o.merged(ctx)
	for _, id := range list {
		revs = append(revs, "^"+id)
	}
	return revs, err
}

// isMerge tells whether a commit with these parents merges the base branch.
func (o *opened) isMerge(parents []string) bool {
	return len(parents) == 2 && slices.Contains(o.state.Record.Merged, parents[1])
}

// before gives what a commit with these parents is compared with: its first parent, or for a merge of the base branch
// what git alone makes of both.
func (o *opened) before(ctx context.Context, parents []string) (string, error) {
	switch {
	case len(parents) == 0:
		return "", nil
	case !o.isMerge(parents):
		return parents[0], nil
	}
	m, err := o.mergeTrees(ctx, parents[0], parents[1])
	return m.Tree, err
}

// sortCommits gives the task's own commits, and apart from them its merges of the base branch with their parents.
func (o *opened) sortCommits(ctx context.Context, head string) (plain []string, merges [][]string, err error) {
	if len(o.state.Record.Merged) == 0 {
		return nil, nil, nil
	}
	revs, err := o.own(ctx, head)
	if err != nil {
		return nil, nil, err
	}
	text, err := o.bare().run(ctx, append([]string{"rev-list", "--parents"}, revs...)...)
	for _, line := range lines(text) {
		if ids := strings.Fields(line); o.isMerge(ids[1:]) {
			merges = append(merges, ids)
		} else {
			plain = append(plain, ids[0])
		}
	}
	return plain, merges, err
}

// since gives what the head is compared with to see the task's own changes after a commit: that commit, together with
// what came in from the base branch after it. Where the two are in conflict it has git's markers, so that the comparison
// shows how they were resolved.
func (o *opened) since(ctx context.Context, from, head string) (string, error) {
	if from == "" {
		return o.emptyTree(), nil
	}
	list, err := o.cameIn(ctx, from, head)
	if err != nil {
		return "", err
	}
	for i, base := range list {
		common, err := o.common(ctx, from, base)
		if err != nil {
			return "", err
		}
		switch {
		case common == "":
		case common == from:
			from = base
		default:
			m, err := o.mergeTrees(ctx, from, base)
			if err != nil || i == len(list)-1 {
				return m.Tree, err
			}
			if from, err = o.innerCommit(ctx, m.Tree, "Start of a comparison\n", from, base); err != nil {
				return "", err
			}
		}
	}
	return from, nil
}

// cameIn gives the tips that head holds and from does not, without those that are part of another.
func (o *opened) cameIn(ctx context.Context, from, head string) (list []string, err error) {
	all, err := o.merged(ctx)
	if err != nil {
		return nil, err
	}
	for _, base := range all {
		in, err := o.bare().isAncestor(ctx, base, head)
		if err != nil {
			return nil, err
		}
		old, err := o.bare().isAncestor(ctx, base, from)
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
	text, err := o.bare().run(ctx, append([]string{"merge-base", "--independent"}, list...)...)
	return lines(text), err
}

// mergedAfter gives the tip whose merge waits, or the last one that came in after the commit; "" when there is none.
func (o *opened) mergedAfter(ctx context.Context, commit string) (string, error) {
	if o.state.Merging != nil {
		return o.state.Merging.Base, nil
	}
	head, err := o.head(ctx)
	if err != nil || commit == "" || head == commit {
		return "", err
	}
	list, err := o.cameIn(ctx, commit, head)
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[len(list)-1], nil
}

// unmerge moves the branch to a commit before a merge, with the work tree left alone and the merge waiting again.
func (o *opened) unmerge(ctx context.Context, to, base string) error {
	m, err := o.mergeNamed(ctx, to, base)
	if err != nil {
		return err
	}
	if o.state.Merging != nil {
		m.Before = o.state.Merging.Before
	}
	return o.begin(ctx, step{Head: to, Merging: m})
}
