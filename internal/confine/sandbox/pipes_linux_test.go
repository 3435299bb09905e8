package sandbox

import (
	"path/filepath"
	"testing"
)

// TestNoPipes checks that no named pipe can be made below the worktree, and that everything else works.
func TestNoPipes(t *testing.T) {
	work := elsewhere(t)
	state := realPath(t, t.TempDir())
	put(t, work, ".git/objects/", "sub/")
	nothingLeft(t)
	c := Spec{Work: realPath(t, work), NoPipes: true, Writable: []string{filepath.Join(work, ".git"), state},
		Protected: []string{filepath.Join(work, ".git", "config")}}
	fails(t, c, "mkfifo p", "mkfifo sub/.gitignore", "mkfifo .git/objects/p", "mknod p p", "mkfifo "+state+"/m && mv "+state+"/m p",
		"mkfifo "+state+"/l && ln "+state+"/l p", "mkfifo /tmp/c && cp -R /tmp/c p", "mkfifo /tmp/t && tar -C /tmp -cf - t | tar xf - && test -p t")
	must(t, c, `mkfifo `+state+`/p /tmp/p && mkdir a && echo text > a/b && ln a/b c && ln -s a d && mv a sub/f && rm c && mv sub/f . && echo x > .git/HEAD`)
}
