package workspace

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// mirror is the folder of the only mirror.
func (b *bench) mirror() string {
	b.t.Helper()
	list, err := filepath.Glob(filepath.Join(b.m.mirrors.dir, "*.git"))
	if err != nil || len(list) != 1 {
		b.t.Fatalf("mirrors %q, %v", list, err)
	}
	return list[0]
}

// What killed gits and workers have left in a mirror goes before the next task uses it.
func TestLeftInMirror(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	b.prepare("t-1", 1)
	dir := b.mirror()
	left := []string{"objects/pack/tmp_pack_x", "objects/pack/.tmp-12-pack-x.pack", "objects/pack/pack-x.keep", "objects/17/tmp_obj_x",
		"packed-refs.new", "lfs/tmp/0123-4"}
	const object = "lfs/objects/01/23/0123"
	for _, name := range append(left, object) {
		gittest.Write(t, dir, map[string]string{name: "half"})
	}
	b.prepare("t-2", 1)
	for _, name := range left {
		if exists(filepath.Join(dir, name)) {
			t.Errorf("%s is still there", name)
		}
	}
	if !exists(filepath.Join(dir, object)) {
		t.Error("an object of Git LFS is gone")
	}
}

// A mirror of many packs is packed without losing anything, not even what no ref holds, and a git that has read it goes on.
func TestPackedMirror(t *testing.T) {
	t.Parallel()
	remote := gittest.NewBare(t, start)
	gittest.Git(t, remote, "tag", "v1", "main")
	b := newBench(t, remote)
	_, tree := b.prepare("t-1", 1)
	dir := b.mirror()
	fill := func(from, to int) {
		gittest.Sh(t, dir, fmt.Sprintf(`for i in $(seq %d %d); do printf 'blob\ndata 8\nblob %%3d\ncheckpoint\n' $i; done |
			git -c fastimport.unpackLimit=0 fast-import --quiet`, from, to))
	}
	next := func(id string) (packs int) {
		t.Helper()
		gittest.Commit(t, remote, "main", "next", map[string]string{"next": id})
		b.prepare(id, 1)
		list, err := filepath.Glob(filepath.Join(dir, "objects", "pack", "*.pack"))
		must(t, err)
		return len(list)
	}
	fill(1, mostPacks)
	if got := next("t-2"); got != mostPacks {
		t.Fatalf("%d packs are left: it was packed too soon", got)
	}
	fill(mostPacks+1, mostPacks+1)
	ids := lines(gittest.Git(t, dir, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"))
	reader := exec.CommandContext(t.Context(), "git", "-C", tree.Dir(), "cat-file", "--batch-check")
	in, err := reader.StdinPipe()
	must(t, err)
	out, err := reader.StdoutPipe()
	must(t, err)
	must(t, reader.Start())
	said := bufio.NewScanner(out)
	read := func(id string) {
		t.Helper()
		fmt.Fprintln(in, id)
		if !said.Scan() || strings.Contains(said.Text(), "missing") {
			t.Errorf("a task that has begun before gets %q", said.Text())
		}
	}
	read(ids[0])
	if got := next("t-3"); got > 3 || !exists(filepath.Join(dir, "packed-refs")) {
		t.Errorf("%d packs are left", got)
	}
	for _, id := range ids {
		read(id)
	}
	must(t, in.Close())
	must(t, reader.Wait())
	gittest.Git(t, tree.Dir(), "fsck", "--strict", "--no-dangling")
	gittest.Git(t, dir, "cat-file", "-e", "v1^{commit}")
}

// A mirror that can't be packed is used as it is, and tried again only the next day.
func TestUnpackableMirror(t *testing.T) {
	t.Parallel()
	remote := gittest.NewBare(t, start)
	b := newBench(t, remote)
	b.prepare("t-1", 1)
	for i := range mostPacks + 1 {
		name := fmt.Sprintf("objects/pack/pack-%040d", i)
		gittest.Write(t, b.mirror(), map[string]string{name + ".pack": "damaged", name + ".idx": "damaged"})
	}
	for i, want := range []int{1, 1, 2} {
		if i == 2 {
			old := time.Now().Add(-packAgain)
			must(t, os.Chtimes(filepath.Join(b.mirror(), "longshift-packed"), old, old))
		}
		gittest.Commit(t, remote, "main", "next", map[string]string{"next": fmt.Sprint(i)})
		b.prepare(fmt.Sprintf("t-a%d", i), 1)
		if got := strings.Count(b.log.String(), "can't be packed"); got != want {
			t.Errorf("commit %d: tried %d times, want %d", i, got, want)
		}
	}
}
