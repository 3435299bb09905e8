package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
)

// takeovers are ways to change a path $p in folder $d: its content, its name, or its parent's name.
var takeovers = []string{
	`echo x > "$p"`, `echo x >> "$p"`, `echo x > "$p/config"`, `mkdir -p "$p/hooks" && echo x > "$p/hooks/pre-commit"`,
	`rm -rf "$p"`, `rmdir "$p"`, `mv "$p" moved`, `mv -T "$p" "$p.old"`, `echo x > n && mv -f n "$p"`, `mkdir n && mv -T n "$p"`,
	`ln -s /etc "$p"`, `ln -sfn /etc "$p"`, `ln "$p" hard && echo x > hard`, `ln "$p/config" hard && echo x > hard`,
	`ln -s "$p" soft && echo x > soft`, `ln -s "$p" soft2 && echo x > soft2/config`,
	`touch "$p"`, `chmod 777 "$p"`, `truncate -s 0 "$p"`, `truncate -s 0 "$p/config"`, `mkfifo "$p"`, `mount --bind /tmp "$p"`, `umount "$p"`,
	`[ "$d" != "$PWD" ] && mv "$d" other && mkdir -p "$d" && echo x > "$p"`,
	`[ "$d" != "$PWD" ] && mv a other && mkdir -p "$d" && echo x > "$p"`,
	`[ "$d" != "$PWD" ] && rm -rf "$d" && mkdir -p "$d" && echo x > "$p"`,
	`cd / && mv "$OLDPWD" "$OLDPWD.old"`, `python3 -c 'import os,sys; os.rename("a","b") if os.path.exists("a") else sys.exit(1)'`,
	`python3 -c 'import os; os.rename("'"$p"'","/tmp/x")'`,
	`python3 -c 'import ctypes,sys,os; os.mkdir("n2"); sys.exit(ctypes.CDLL(None).syscall(316,-100,b"n2",-100,b"'"$p"'",2)!=0)'`,
	`cd "$d" && echo x > ./"$(basename "$p")"`, `P=$(echo "$p" | sed 's,/work/,/work/./,') && echo x > "$P"`,
}

func TestProtectedPaths(t *testing.T) {
	for name, files := range map[string][]string{
		".git":        {".git/config", ".git/hooks/"},
		".git file":   {"other"},
		"missing":     {"other"},
		"a/b/c":       {"a/b/c", "a/x"},
		"a/b/missing": {"a/b/x", "a/x"},
		"a/m/missing": {"a/x"},
		"m/m/missing": {"other"},
	} {
		t.Run(name, func(t *testing.T) {
			base := realPath(t, t.TempDir())
			c := Spec{Work: filepath.Join(base, "work")}
			put(t, c.Work, files...)
			p := filepath.Join(c.Work, name)
			if name == ".git file" {
				p = filepath.Join(c.Work, ".git")
				put(t, c.Work, ".git")
			}
			before := ""
			if _, err := os.Lstat(p); err == nil {
				before = tree(t, p)
			}
			c.Protected = []string{p}
			var lines []string
			for _, line := range takeovers {
				lines = append(lines, "p='"+p+"'; d=$(dirname \"$p\"); "+line)
			}
			fails(t, c, lines...)
			after := ""
			if _, err := os.Lstat(p); err == nil {
				after = tree(t, p)
			}
			if after != before {
				t.Errorf("was:\n%s\nis:\n%s", before, after)
			}
			if _, err := os.Lstat(filepath.Join(c.Work, "m")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a folder made for the protected path is left: %v", err)
			}
			must(t, c, "echo x > beside && rm beside && mkdir -p a/free && echo x > a/free/file")
		})
	}
}

func TestProtectedBelowWritableBelowProtected(t *testing.T) {
	c := workIn(t)
	put(t, c.Work, ".git/config", ".git/objects/aa/x", ".git/objects/info/alternates", ".git/refs/heads/main")
	git := filepath.Join(c.Work, ".git")
	c.Protected = []string{filepath.Join(git, "objects/info"), git}
	c.Writable = []string{filepath.Join(git, "objects"), filepath.Join(git, "refs")}
	must(t, c, "echo new > .git/objects/aa/new && echo x > .git/refs/heads/main")
	fails(t, c, "echo x > .git/config", "mv .git/objects .git/o", "mv .git g", "rm -rf .git/refs", "echo x > .git/new",
		"echo x > .git/objects/info/alternates", "mv .git/objects/info .git/objects/i", "rm -r .git/objects/info")
	if b, _ := os.ReadFile(filepath.Join(git, "objects/aa/new")); string(b) != "new\n" {
		t.Errorf("got %q", b)
	}
}

// The folder of a hidden path keeps its name, so that the next box covers the path too.
func TestFolderOfAHiddenPathStays(t *testing.T) {
	c := workIn(t)
	put(t, c.Work, "a/b/secret", "a/b/plain", "c/sub/secret", "d/secret", "d/sub/secret")
	for _, name := range []string{"a/b/secret", "c/sub/secret", "d", "d/sub/secret"} {
		c.Hidden = append(c.Hidden, filepath.Join(c.Work, name))
	}
	c.Protected = []string{filepath.Join(c.Work, "c")} // of which the hidden path makes no second mount
	fails(t, c, "mv a x", "mv a/b x", "mv a/b/secret x", "rm -rf a", "mv c x", "mv c/sub x", "mv d x", "cat a/b/secret", "cat c/sub/secret", "ls d/sub")
	must(t, c, "echo x > a/b/plain && mv a/b/plain a/b/other && mkdir a/new && echo x > a/new/file")
}

// A program in a git worktree must not notice the placeholder of a missing path, nor commit it.
func TestHeldPathIsNotCommitted(t *testing.T) {
	c := workIn(t)
	c.Protected = []string{filepath.Join(c.Work, ".mcp.json"), filepath.Join(c.Work, ".claude/settings.json")}
	out := must(t, c, `export GIT_CONFIG_GLOBAL=/dev/null; git init -q . && echo x > file && git add -A && git -c user.name=a -c user.email=a commit -qm m &&
		git status --porcelain --ignored && git ls-files; ls -a .claude`)
	if out != "file\n.\n..\nsettings.json\n" {
		t.Errorf("got %q", out)
	}
	for _, name := range []string{".mcp.json", ".claude"} {
		if _, err := os.Lstat(filepath.Join(c.Work, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", name, err)
		}
	}
}

// When one of two boxes in a worktree ends, the other's placeholders must stay.
func TestHeldPathOfTwoBoxes(t *testing.T) {
	c := workIn(t)
	c.Protected = []string{filepath.Join(c.Work, "m/held")}
	s := bash(c, "echo ready; read x; ! mkdir -p m/held/x && ! rmdir m/held && ! rmdir m && ! echo x > m/held")
	s.StdinPipe = true
	p, err := theBox(t).Start(t.Context(), s, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	readLine(t, p.Stdout())
	must(t, c, "! echo x > m/held")
	p.Stdin().Write([]byte("go\n"))
	if exit := p.Wait(); !exit.Success() {
		t.Errorf("%s: %s", exit, p.Stderr())
	}
	if got := tree(t, c.Work); strings.Contains(got, "held") {
		t.Errorf("left behind: %s", got)
	}
}

// Links planted by one session must not change what the next one mounts.
func TestPlantedLinks(t *testing.T) {
	base := realPath(t, t.TempDir())
	put(t, base, "outside/secret", "outside/dir/file")
	unchanged(t, filepath.Join(base, "outside"))
	outside := filepath.Join(base, "outside")
	for name, plant := range map[string]struct {
		script string
		change func(c *Spec)
	}{
		"protected is a link":          {"ln -s %s/secret p", protect("p")},
		"protected is a dangling link": {"ln -s %s/none p", protect("p")},
		"folder above is a link":       {"ln -s %s d", protect("d/secret")},
		"folder above, nothing below":  {"ln -s %s d", protect("d/new/file")},
		"link within the worktree":     {"mkdir r && ln -s r d", protect("d/file")},
		"protected is a fifo":          {"mkfifo p", protect("p")},
		"protected has a second name":  {"echo x > p && ln p q", protect("p")},
		"writable is a link":           {"ln -s %s w", func(c *Spec) { c.Writable = []string{c.Work + "/w"} }},
		"writable behind a link":       {"ln -s %s w", func(c *Spec) { c.Writable = []string{c.Work + "/w/dir"} }},
		"readable is a link":           {"ln -s %s w", func(c *Spec) { c.Readable = []string{c.Work + "/w"} }},
		"hidden is a link":             {"ln -s /usr w", func(c *Spec) { c.Hidden = []string{c.Work + "/w"} }},
		"dots do not get out":          {"ln -s %s w", func(c *Spec) { c.Writable = []string{c.Work + "/w/../w"} }},
		"worktree lies in a worktree":  {"ln -s %s w", func(c *Spec) { c.Writable = []string{c.Work}; c.Work += "/w" }},
	} {
		t.Run(name, func(t *testing.T) {
			c := workIn(t)
			must(t, c, strings.ReplaceAll(plant.script, "%s", outside))
			before := tree(t, c.Work)
			work := c.Work
			plant.change(&c)
			_, err := theBox(t).Start(t.Context(), bash(c, "true"), c)
			if fault.KindOf(err) != fault.Denied && fault.KindOf(err) != fault.Infra || fault.HintOf(err) == "" && name != "protected is a fifo" {
				t.Errorf("got %v (%s; %s)", err, fault.KindOf(err), fault.HintOf(err))
			}
			if after := tree(t, work); after != before {
				t.Errorf("worktree was:\n%s\nis:\n%s", before, after)
			}
		})
	}
}

func protect(name string) func(*Spec) {
	return func(c *Spec) { c.Protected = []string{c.Work + "/" + name} }
}

func TestWorktreeIsALink(t *testing.T) {
	base := realPath(t, t.TempDir())
	put(t, base, "real/file")
	if err := os.Symlink("real", filepath.Join(base, "work")); err != nil {
		t.Fatal(err)
	}
	c := Spec{Work: filepath.Join(base, "work")}
	if _, err := theBox(t).Start(t.Context(), bash(c, "true"), c); fault.KindOf(err) != fault.Denied {
		t.Errorf("got %v", err)
	}
	// A link above it belongs to the host and is followed.
	if err := os.Symlink(base, filepath.Join(base, "way")); err != nil {
		t.Fatal(err)
	}
	c = Spec{Work: filepath.Join(base, "way/real"), Protected: []string{filepath.Join(base, "way/real/file")}}
	s := bash(c, "cat file && ! echo x > file && echo y > new")
	s.Dir = filepath.Join(base, "real")
	if r := inside(t, c, s); !r.Success() {
		t.Errorf("%s: %s", r.Exit, r.Output)
	}
}

func TestWrongSpecs(t *testing.T) {
	base := realPath(t, t.TempDir())
	put(t, base, "work/", "cache/", "file")
	work := filepath.Join(base, "work")
	for name, c := range map[string]Spec{
		"relative":               {Work: "work"},
		"no worktree":            {},
		"missing":                {Work: filepath.Join(base, "none")},
		"root":                   {Work: "/"},
		"device":                 {Work: work, Writable: []string{"/dev"}},
		"kernel":                 {Work: work, Writable: []string{"/proc/sys"}},
		"missing cache":          {Work: work, Writable: []string{filepath.Join(base, "none")}},
		"twice":                  {Work: work, Writable: []string{filepath.Join(base, "cache")}, Hidden: []string{filepath.Join(base, "cache")}},
		"host's tmp":             {Work: work, Writable: []string{"/tmp"}},
		"protected elsewhere":    {Work: work, Protected: []string{"/etc/hosts"}},
		"protected worktree":     {Work: work, Protected: []string{work}},
		"low port":               {Work: work, Reach: []Reach{{Port: 80, Dial: dialEcho}}},
		"high port":              {Work: work, Reach: []Reach{{Port: 65536, Dial: dialEcho}}},
		"port to nowhere":        {Work: work, Reach: []Reach{{Port: 8080}}},
		"one port to two places": {Work: work, Reach: []Reach{{Port: 8080, Dial: dialEcho}, {Port: 8080, Dial: dialEcho}}},
		"negative limit":         {Work: work, Limits: Limits{CPU: -1}},
		"tiny limit":             {Work: work, Limits: Limits{Memory: 1 << 20}},
		"NUL":                    {Work: work + "\x00"},
	} {
		if _, err := theBox(t).Start(t.Context(), bash(Spec{Work: base}, "true"), c); err == nil || fault.KindOf(err) == fault.Internal {
			t.Errorf("%s: got %v", name, err)
		}
	}
	nothingLeft(t)
}
