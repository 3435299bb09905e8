package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	mostPacks  = 50              // of a mirror, as for git's own gc; every search for an object goes through all of them
	mostLoose  = 6700            // loose objects, likewise; small fetches leave nothing else
	packWithin = 2 * time.Minute // tasks of the repository wait meanwhile
	packAgain  = 24 * time.Hour  // packing that has failed is not tried again by each task
)

// removeHalf removes what killed gits and workers have left in a mirror. The caller holds its lock, so that nobody writes there.
func (r repo) removeHalf() {
	for _, pattern := range []string{
		"objects/pack/tmp_*", "objects/pack/.tmp-*", "objects/??/tmp_obj_*", // of fetches and of packing
		"objects/pack/*.keep", // keeps a pack from being packed with others until its fetch has ended
		"packed-refs.new",     // packing fails when there is one
		"lfs/tmp/*",
	} {
		left, _ := filepath.Glob(filepath.Join(r.dir, pattern))
		for _, path := range left {
			os.Remove(path)
		}
	}
}

// pack packs a mirror that has become slow. The caller holds its lock. Tasks read its objects at the same time, so none is ever pruned:
// all that is in the old packs is in a new one before they go, and a git that misses an old pack looks for new ones. Only tags are packed
// among the refs, because the others are few and come and go. A mirror that can't be packed is only slow, so that is no error.
func (m *mirrors) pack(ctx context.Context, r repo) {
	tried := filepath.Join(r.dir, "longshift-packed")
	if info, err := os.Stat(tried); err == nil && time.Since(info.ModTime()) < packAgain || !r.scattered() {
		return
	}
	ctx, cancel := context.WithTimeoutCause(ctx, packWithin, fmt.Errorf("it took more than %s", packWithin))
	defer cancel()
	err := writeFile(tried, nil) // first, so that a worker that dies of it does so once
	g := r.git()
	g.Guarded = true
	g.Settings = append(g.Settings, [2]string{"core.fsync", "all"}) // the index of the new pack too, before the old packs go
	for _, args := range [][]string{{"repack", "-d", "-n", "--quiet", "--geometric=2"}, {"pack-refs"}} {
		if err == nil {
			_, err = g.Output(ctx, nil, args...)
		}
	}
	if err != nil {
		m.log.WarnContext(ctx, "a mirror can't be packed", "mirror", r.dir, "error", err)
	}
}

// scattered tells whether a repository has too many packs, or too many loose objects by the count in one of their 256 folders.
func (r repo) scattered() bool {
	packs, _ := filepath.Glob(filepath.Join(r.dir, "objects", "pack", "*.pack"))
	loose, _ := filepath.Glob(filepath.Join(r.dir, "objects", "17", "*"))
	return len(packs) > mostPacks || len(loose) > mostLoose/256
}
