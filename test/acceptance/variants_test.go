package acceptance

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// manyFiles is the size of a large repository.
const manyFiles = 30_000

// variants are one small task in repositories of many kinds. Its check asks git, which is what these kinds have broken.
func variants() []story {
	links := func(t testing.TB, p *person, dir string, files map[string]string) string {
		write(t, dir, files)
		must(t, os.Symlink("AGENTS.md", filepath.Join(dir, "CLAUDE.md")))
		must(t, os.MkdirAll(filepath.Join(dir, "docs"), 0o755))
		must(t, os.Symlink("../notes.txt", filepath.Join(dir, "docs", "notes.txt")))
		must(t, os.Symlink("docs", filepath.Join(dir, "manual")))
		must(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
		return plain(t, p, dir, nil)
	}
	detached := func(t testing.TB, p *person, dir string, files map[string]string) string {
		plain(t, p, dir, files)
		p.git(t, dir, "checkout", "--quiet", "--detach")
		return dir
	}
	linked := func(t testing.TB, p *person, dir string, files map[string]string) string {
		side := dir + "-linked"
		p.git(t, plain(t, p, dir, files), "worktree", "add", "--quiet", "-b", "side", side)
		return side
	}
	submodule := func(t testing.TB, p *person, dir string, files map[string]string) string {
		part := plain(t, p, dir+"-part", map[string]string{"part.txt": "A part.\n"})
		plain(t, p, dir, files)
		p.git(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", part, "part")
		p.git(t, dir, "commit", "--quiet", "--message=Add a part")
		return dir
	}
	shallow := func(t testing.TB, p *person, dir string, files map[string]string) string {
		whole := plain(t, p, dir+"-whole", map[string]string{"old.txt": "Gone.\n"})
		write(t, whole, files)
		p.owns(whole)
		p.git(t, whole, "rm", "--quiet", "old.txt")
		p.git(t, whole, "add", "--all")
		p.git(t, whole, "commit", "--quiet", "--message=Go on")
		p.git(t, whole, "clone", "--quiet", "--depth=1", "file://"+whole, dir)
		return dir
	}
	odd := func(t testing.TB, p *person, dir string, files map[string]string) string {
		return plain(t, p, filepath.Join(filepath.Dir(dir), "Notizen für Zoë"), files)
	}
	large := func(t testing.TB, p *person, dir string, files map[string]string) string {
		all := maps.Clone(files)
		for i := range manyFiles {
			all[fmt.Sprintf("data/%02d/%05d.txt", i%100, i)] = fmt.Sprintln("number", i)
		}
		return plain(t, p, dir, all)
	}
	return []story{
		notes("links", links), notes("detached", detached), notes("worktree", linked), notes("submodule", submodule),
		notes("shallow", shallow), notes("odd-path", odd),
		inLFS(), notes("large", large), monorepo(), library(),
	}
}

// notes is the small task in a repository that place makes.
func notes(name string, place func(testing.TB, *person, string, map[string]string) string) story {
	a := load("notes")
	return story{
		name: name, archive: a, ask: "note that the cat is to be fed (" + name + ")", settings: "check: sh check.sh\n", place: place,
		look: []step{read("README.md", "One note a line"), grep("plants", "notes.txt")},
		work: []work{{id: "DOC-001", message: "docs: note that the cat is to be fed", steps: []step{
			bash("git status --short && git diff --stat && git log --oneline -3 && git branch --show-current", "longshift/"),
			read("notes.txt", "plants"),
			a.change("notes.txt"),
			bash("sh check.sh"),
			bash("cp notes.txt draft.txt && mv draft.txt scratch.txt && mkdir drafts && touch drafts/one && rm -r drafts scratch.txt && ls", "check.sh"),
			bash("git diff HEAD -- notes.txt && git status --short", "+Feed the cat.", "M notes.txt"),
		}}},
	}
}

// library is a program that can't be built without its submodule, whatever is done to that.
func library() story {
	a := load("library")
	return story{
		name: "library", archive: a, ask: "say how days is called",
		place: func(t testing.TB, p *person, dir string, files map[string]string) string {
			span := plain(t, p, dir+"-span", load("c").base)
			plain(t, p, dir, files)
			p.git(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", span, "lib/span")
			p.git(t, dir, "commit", "--quiet", "--message=Use the spans")
			return dir
		},
		look: []step{read("Makefile", "lib/span"), read("lib/span/span.h", "span_size"), bash("git submodule status && git -C lib/span log --oneline -1", "Begin")},
		work: []work{{id: "FEAT-001", message: "feat: say how days is called", steps: []step{
			bash("git status --short && make check && git -C lib/span status --short"),
			read("days.c", "argc"),
			a.change("days.c"),
			bash("make check && ./build/days || test $? = 2", "usage"),
			bash("git stash && git stash pop && git clean -fd && git restore lib && git diff --stat", "days.c"),
			bash("rm lib/span/span.c && git -C lib/span status --short && git status --short", "D span.c", "m lib/span"),
			red("make check", "span.c"),
		}}},
	}
}

// monorepo has the project in a folder of its own, which is where the person is.
func monorepo() story {
	y := notes("monorepo", func(t testing.TB, p *person, dir string, files map[string]string) string {
		return filepath.Join(plain(t, p, dir, files), "tools", "notes")
	})
	below := func(files map[string]string) map[string]string {
		moved := map[string]string{}
		for path, content := range files {
			moved["tools/notes/"+path] = content
		}
		return moved
	}
	a := archive{y.archive.name, below(y.archive.base), below(y.archive.meant)}
	a.base["README.md"], a.base[".longshift.yaml"] = "# Everything\n", "check: cd tools/notes && sh check.sh\n"
	y.archive, y.settings = a, a.base[".longshift.yaml"]
	y.look = []step{read("tools/notes/README.md", "One note a line"), grep("plants", "tools/notes/notes.txt")}
	y.work[0].steps = []step{
		bash("git log --oneline -3 -- tools/notes", "Begin"),
		read("tools/notes/notes.txt", "plants"),
		a.change("tools/notes/notes.txt"),
		bash("cd tools/notes && sh check.sh"),
		bash("git diff HEAD && git status --short", "+Feed the cat."),
	}
	return y
}

// inLFS keeps pictures in Git LFS, by git-lfs itself. The agent sees one and adds another, which people get by git-lfs.
func inLFS() story {
	const poster = "A poster with a cat.\n"
	y := notes("lfs", func(t testing.TB, p *person, dir string, files map[string]string) string {
		plain(t, p, dir, files)
		p.git(t, dir, "lfs", "install", "--local")
		p.git(t, dir, "lfs", "track", "*.psd")
		write(t, dir, map[string]string{"cover.psd": "A cover with a plant.\n"})
		p.owns(dir)
		p.git(t, dir, "add", "--all")
		p.git(t, dir, "commit", "--quiet", "--message=Add a cover")
		return dir
	})
	y.archive.meant = merged(y.archive.meant, map[string]string{"poster.psd": gittest.Pointer(poster)})
	y.settings = "check: sh check.sh && grep -q plant cover.psd\n"
	y.work[0].steps = append(y.work[0].steps,
		bash("cat cover.psd", "with a plant"),
		use("Write", nil, map[string]any{"file_path": "poster.psd", "content": poster}),
		bash("touch cover.psd && git status --short && git diff --stat", "?? poster.psd"),
	)
	y.then = func(t testing.TB, p *person, repo, branch string) {
		p.git(t, repo, "worktree", "add", "--quiet", "--detach", repo+"-poster", branch)
		if data, err := os.ReadFile(filepath.Join(repo+"-poster", "poster.psd")); err != nil || string(data) != poster {
			t.Errorf("git-lfs checks out %q: %v", data, err)
		}
		p.git(t, repo, "worktree", "remove", repo+"-poster")
	}
	return y
}
