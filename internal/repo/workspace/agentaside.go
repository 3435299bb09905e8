package workspace

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// mostRefs limits how many places are named. Ten times as many branches of the agent's git are looked at.
const mostRefs = 200

// aside is a place in the agent's git with work that is neither in our history nor under the agent's HEAD: its stash, or a branch.
type aside struct{ ID, Place string }

// laidAside lists what no commit has named before. An agent that has left work there takes it for done, and a commit doesn't have it.
func (a *adoption) laidAside(ctx context.Context) ([]aside, error) {
	root, err := os.OpenRoot(a.place.work())
	if err != nil {
		return nil, err
	}
	defer root.Close()
	refs := agentRefs(root)
	delete(refs, a.state.branchRef())
	if len(refs) == 0 { // as nearly always
		return nil, nil
	}
	at, sound := a.agent.head(), a.agent.sound(root)
	var list []aside
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		id := refs[ref]
		if id == at || slices.Contains(a.state.Aside, id) {
			continue
		}
		if known, err := a.bare.has(ctx, id); err != nil {
			return nil, err
		} else if known {
			continue
		}
		if sound && at != "" { // otherwise their objects may not be read
			if merged, err := a.theirObjects().isAncestor(ctx, id, at); err == nil && merged {
				continue
			}
		}
		place := "a stash"
		if name, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
			place = "branch " + name
		}
		if list = append(list, aside{id, place}); len(list) == mostRefs {
			break
		}
	}
	return list, nil
}

// agentRefs reads the stash and the branches of the agent's git. What can't be understood is left out.
func agentRefs(root *os.Root) map[string]string {
	refs := map[string]string{}
	add := func(ref, id string) {
		if (ref == "refs/stash" || strings.HasPrefix(ref, "refs/heads/")) && isID(id) && len(refs) < 10*mostRefs {
			refs[ref] = id
		}
	}
	packed, _ := readSmall(root, ".git/packed-refs")
	for _, line := range lines(packed) {
		if id, ref, ok := strings.Cut(line, " "); ok {
			add(ref, id)
		}
	}
	loose := func(ref string) {
		if text, err := readSmall(root, path.Join(".git", ref)); err == nil {
			add(ref, strings.TrimSpace(text))
		}
	}
	loose("refs/stash")
	seen := 0
	_ = fs.WalkDir(root.FS(), ".git/refs/heads", func(name string, d fs.DirEntry, err error) error {
		if seen++; err != nil || seen > 10*mostRefs {
			return fs.SkipAll
		}
		if d.Type().IsRegular() {
			loose(strings.TrimPrefix(name, ".git/"))
		}
		return nil
	})
	return refs
}

// nameAside has later commits not name again what this one has named, because it had work of its own.
func (a *adoption) nameAside(list []aside) error {
	if len(list) == 0 {
		return nil
	}
	for _, one := range list {
		a.state.Aside = append(a.state.Aside, one.ID)
	}
	return a.state.save()
}
