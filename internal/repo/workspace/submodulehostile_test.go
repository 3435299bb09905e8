package workspace

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// What a repository from elsewhere can write into .gitmodules, or into a submodule, fetches nothing from this machine, runs nothing,
// and writes nothing outside of the submodule's own folder.
func TestHostileSubmodules(t *testing.T) {
	t.Parallel()
	const module = "[submodule \"part\"]\n\tpath = part\n\turl = ../part.git\n"
	evil := func(t *testing.T, part, script string) { // makes main of the submodule's repository anew by a script that prints a tree
		gittest.Sh(t, part, "set -e; tree=$("+script+"); git update-ref refs/heads/main $(git commit-tree -m evil $tree)")
	}
	for name, c := range map[string]struct {
		modules string // of the top; VICTIM and TRAP are folders of this machine
		part    func(t *testing.T, part, victim string)
		gitlink string
		empty   string // "" when there is nothing to name
	}{
		"helper":                  {modules: "[submodule \"part\"]\n\tpath = part\n\turl = ext::sh -c touch% TRAP/ext\n", empty: "no address"},
		"helper by a relative":    {modules: "[submodule \"part\"]\n\tpath = part\n\turl = ../ext::sh -c touch% TRAP/ext\n", empty: "no address"},
		"option":                  {modules: "[submodule \"part\"]\n\tpath = part\n\turl = --upload-pack=touch TRAP/option\n", empty: "no address"},
		"path":                    {modules: "[submodule \"part\"]\n\tpath = part\n\turl = VICTIM\n", empty: "a path of the machine"},
		"file address":            {modules: "[submodule \"part\"]\n\tpath = part\n\turl = file://VICTIM\n", empty: "a path of the machine"},
		"relative out of all":     {modules: "[submodule \"part\"]\n\tpath = part\n\turl = ../../../..VICTIM\n", empty: "leads out"},
		"ssh option":              {modules: "[submodule \"part\"]\n\tpath = part\n\turl = ssh://-oProxyCommand=touch/x\n", empty: "no server"},
		"ssh option, short":       {modules: "[submodule \"part\"]\n\tpath = part\n\turl = -oProxyCommand=touch:x\n", empty: "no address"},
		"ssh":                     {modules: "[submodule \"part\"]\n\tpath = part\n\turl = git@example.com:x/y\n", empty: "over ssh"},
		"git protocol":            {modules: "[submodule \"part\"]\n\tpath = part\n\turl = git://localhost/x\n", empty: "of no kind"},
		"another server in clear": {modules: "[submodule \"part\"]\n\tpath = part\n\turl = http://169.254.169.254/part.git\n", empty: "not encrypted"},
		"line break":              {modules: "[submodule \"part\"]\n\tpath = part\n\turl = \"https://example.com/x\\nhost=evil\"\n", empty: "no address"},
		"encoded line break":      {modules: "[submodule \"part\"]\n\tpath = part\n\turl = https://example.com/x%0aevil\n", empty: "no server"},
		"command":                 {modules: module + "\tupdate = !touch TRAP/update\n\tfetchRecurseSubmodules = true\n"},
		"name that leads out":     {modules: "[submodule \"../../hooks\"]\n\tpath = part\n\turl = ../part.git\n"},
		"path that leads out":     {modules: "[submodule \"x\"]\n\tpath = ../out\n\turl = ../part.git\n" + module},
		"path to git's own":       {modules: "[submodule \"x\"]\n\tpath = .git/hooks\n\turl = ../part.git\n" + module},
		"carriage return":         {modules: "[submodule \"part\"]\n\tpath = \"part\r\"\n\turl = ../part.git\n", gitlink: "part\r"},
		"other settings":          {modules: module + "[core]\n\tfsmonitor = touch TRAP/fsmonitor\n\thooksPath = VICTIM\n[include]\n\tpath = VICTIM/included\n"},
		"damaged":                 {modules: "[submodule \"part\n\tpath\n", empty: "can't read"},
		"git folder in it": {modules: module, empty: "checked out", part: func(t *testing.T, part, _ string) {
			evil(t, part, `b=$(printf '[core]\n\tfsmonitor = touch TRAP/inner\n' | git hash-object -w --stdin)
				g=$(printf '100644 blob %s\tconfig\n' $b | git mktree); printf '040000 tree %s\t.git\n' $g | git mktree`)
		}},
		"git file in it": {modules: module, empty: "checked out", part: func(t *testing.T, part, victim string) {
			evil(t, part, `b=$(echo gitdir: `+victim+` | git hash-object -w --stdin); printf '100644 blob %s\t.GIT\n100644 blob %s\t.git\n' $b $b | git mktree`)
		}},
		"folder that leads out": {modules: module, empty: "checked out", part: func(t *testing.T, part, _ string) {
			evil(t, part, `b=$(echo x | git hash-object -w --stdin); g=$(printf '100644 blob %s\tout\n' $b | git mktree); printf '040000 tree %s\t..\n' $g | git mktree`)
		}},
		"link and folder of one name": {modules: module, part: func(t *testing.T, part, victim string) {
			inner := filepath.Join(filepath.Dir(part), "inner.git")
			must(t, os.Rename(gittest.NewBare(t, map[string]string{"file": "inner\n"}), inner))
			evil(t, part, `l=$(printf '`+victim+`' | git hash-object -w --stdin); b=$(echo evil | git hash-object -w --stdin)
				m=$(printf '[submodule "n"]\n\tpath = a/new\n\turl = ../inner.git\n' | git hash-object -w --stdin)
				d=$(printf '100644 blob %s\tfile\n160000 commit `+gittest.Ref(t, inner, "refs/heads/main")+`\tnew\n' $b | git mktree --missing)
				printf '120000 blob %s\ta\n040000 tree %s\ta\n100644 blob %s\t.gitmodules\n' $l $d $m | git mktree`)
		}},
		"link outside": {modules: module, part: func(t *testing.T, part, victim string) {
			evil(t, part, `l=$(printf '`+victim+`' | git hash-object -w --stdin); printf '120000 blob %s\tlink\n' $l | git mktree`)
		}},
		"path in one that came from elsewhere": {modules: module, empty: "part/inner (it names a path", part: func(t *testing.T, part, victim string) {
			withSubmodule(t, part, "inner", victim, victim)
		}},
		"attributes": {modules: module, part: func(t *testing.T, part, _ string) {
			gittest.Commit(t, part, "main", "x", map[string]string{".gitattributes": "* filter=evil diff=evil ident\n",
				".gitconfig": "[filter \"evil\"]\n\tsmudge = touch TRAP/smudge\n"})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trap, victim := t.TempDir(), gittest.NewBare(t, map[string]string{"file": "precious\n"})
			h := gittest.NewHTTP(t, start)
			part := serve(t, h, "part.git", map[string]string{"part.txt": "part\n"})
			if c.part != nil {
				c.part(t, part, victim)
			}
			at := "part"
			if c.gitlink != "" {
				at = c.gitlink
			}
			linkTo(t, h.Bare, gittest.Ref(t, part, "refs/heads/main"), at, strings.NewReplacer("VICTIM", victim, "TRAP", trap).Replace(c.modules))
			b := newBench(t, h.URL)
			outside := filepath.Dir(b.m.place("t-1").dir)
			before := gittest.Sh(t, victim, "find . -type f | sort | xargs sha1sum")
			_, tree := b.prepare("t-1", 1)
			gittest.Try(tree.Dir(), "status", "--porcelain") // some of it stops git itself
			b.commit(tree, "1", map[string]string{"new.txt": "new\n"})
			if got := strings.Join(b.submodules(tree).Empty, ", "); (c.empty == "") != (got == "") || !strings.Contains(got, c.empty) {
				t.Errorf("named as empty: %q", got)
			}
			if after := gittest.Sh(t, victim, "find . -type f | sort | xargs sha1sum"); after != before {
				t.Errorf("the victim was\n%s\nand is\n%s", before, after)
			}
			_, config, _ := strings.Cut(readFile(t, tree.Dir(), ".git/config"), "[submodule ")
			if strings.ContainsAny(config, "!%") || strings.Contains(config, "..") || strings.Contains(config, "hooks") {
				t.Errorf("the agent's git is told\n%s", config)
			}
			if ran := gittest.Sh(t, trap, "ls"); ran != "" {
				t.Errorf("run: %s", ran)
			}
			usual := strings.Fields("t-1 fence git work workspace.json HEAD commondir config index info lfs logs modules objects packed-refs refs")
			for made := range strings.FieldsSeq(gittest.Sh(t, outside, "ls; ls t-1; ls t-1/work/.git")) {
				if !slices.Contains(usual, made) {
					t.Errorf("%s was made", made)
				}
			}
			if text, err := os.ReadFile(filepath.Join(tree.Dir(), "part", "file")); err == nil {
				t.Errorf("the victim's file was fetched: %s", text)
			}
		})
	}
}

// A login is sent only to its own server, also when that server redirects.
func TestLoginStaysWithItsServerInSubmodules(t *testing.T) {
	t.Parallel()
	const token = "ghs_verysecret0123456789"
	own, other := gittest.NewHTTP(t, start), gittest.NewHTTP(t, nil)
	own.Login("x-access-token", token)
	near := serve(t, own, "near.git", map[string]string{"near.txt": "near\n"})
	far := serve(t, other, "far.git", map[string]string{"far.txt": "far\n"})
	var mu sync.Mutex
	var shown []string
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		shown = append(shown, r.Header.Get("Authorization"))
		mu.Unlock()
		switch {
		case strings.HasPrefix(r.URL.Path, "/moved.git/"):
			http.Redirect(w, r, strings.Replace(r.URL.String(), "moved", "far", 1), http.StatusMovedPermanently)
		case strings.HasPrefix(r.URL.Path, "/clear.git/"):
			http.Redirect(w, r, strings.TrimSuffix(other.URL, "repo.git")+"far.git/info/refs?"+r.URL.RawQuery, http.StatusMovedPermanently)
		default:
			other.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(secure.Close)
	authority := filepath.Join(t.TempDir(), "ca.pem")
	must(t, os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}), 0o600))
	withSubmodule(t, own.Bare, "near", "../near.git", near)
	withSubmodule(t, own.Bare, "far", secure.URL+"/far.git", far)
	withSubmodule(t, own.Bare, "moved", strings.Replace(secure.URL, "https://", "https://somebody:else@", 1)+"/moved.git", far)
	withSubmodule(t, own.Bare, "clear", secure.URL+"/clear.git", far)
	withSubmodule(t, own.Bare, "short", "git@127.0.0.1:near.git", near)

	b := newBench(t, own.URL)
	b.environ = []string{"PATH=" + os.Getenv("PATH"), "GIT_SSL_CAINFO=" + authority}
	b.m = b.manager(t.TempDir())
	b.auth = Auth{Token: token}
	_, tree := b.prepare("t-1", 1)
	if got := b.submodules(tree).Empty; len(got) != 1 || !strings.HasPrefix(got[0], "clear (") {
		t.Errorf("empty: %q", got)
	}
	for name, want := range map[string]string{"near/near.txt": "near\n", "far/far.txt": "far\n", "moved/far.txt": "far\n", "short/near.txt": "near\n"} {
		if got := readFile(t, tree.Dir(), name); got != want {
			t.Errorf("%s holds %q", name, got)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(shown) == 0 || strings.Join(shown, "") != "" {
		t.Errorf("the other server was shown %q", shown)
	}
	if found := inFiles(t, b.m.config.Dir, token); found != "" {
		t.Errorf("the token is in %s", found)
	}
}

// What an agent writes into .gitmodules leads our git nowhere, be it left in the work tree or committed, then or on another host or in a
// later round: the addresses are those of the base. The submodule stays.
func TestAddressesOfAnAgent(t *testing.T) {
	t.Parallel()
	for name, local := range map[string]bool{"of a server": false, "of this machine": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := gittest.NewHTTP(t, start)
			part := serve(t, h, "part.git", map[string]string{"part.txt": "part\n"})
			must(t, os.CopyFS(filepath.Join(h.Dir, "told.git"), os.DirFS(part))) // has the commit too
			withSubmodule(t, h.Bare, "part", "../part.git", part)
			var mu sync.Mutex
			told := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(r.URL.Path, "told") {
					mu.Lock()
					told++
					mu.Unlock()
				}
				h.ServeHTTP(w, r)
			}))
			t.Cleanup(server.Close)
			b, address := newBench(t, server.URL+"/repo.git"), "../told.git?what=is+in+the+repository"
			if local {
				b.remote, address = h.Bare, filepath.Join(h.Dir, "told.git")
			}
			modules := "[submodule \"part\"]\n\tpath = part\n\turl = " + address + "\n"
			look := func(when string, m *Manager, tree *Tree) {
				t.Helper()
				mu.Lock()
				defer mu.Unlock()
				state, err := tree.at.place.readState()
				must(t, err)
				if list := state.Submodules.List; len(list) != 1 || !strings.HasSuffix(list[0].URL, "/part.git") || list[0].Why != "" {
					t.Errorf("%s: recorded are %+v", when, list)
				}
				mirrors, err := filepath.Glob(filepath.Join(m.mirrors.dir, "submodule-*"))
				if must(t, err); told > 0 || len(mirrors) != 1 || readFile(t, tree.Dir(), "part", "part.txt") != "part\n" {
					t.Errorf("%s: %d requests, mirrors %q", when, told, mirrors)
				}
			}
			_, tree := b.prepare("t-1", 1)
			look("prepared", b.m, tree)
			b.commit(tree, "1", map[string]string{".gitmodules": modules})
			look("committed by us", b.m, tree)
			asAgent(t, tree, author.Email, "mine", map[string]string{".gitmodules": modules + "# more\n", "part/part.txt": "changed\n"})
			b.commit(tree, "2", nil)
			look("committed by the agent", b.m, tree)
			_, err := tree.Push(t.Context())
			must(t, err)
			other := b.manager(t.TempDir())
			_, tree = b.prepareOn(other, b.spec("t-1", 2))
			look("on another host", other, tree)
			must(t, other.Remove(t.Context(), "t-1", false))
			gittest.Commit(t, h.Bare, "main", "Later", map[string]string{"later.txt": "x\n"})
			_, tree = b.prepareOn(other, b.round("t-1", 3))
			look("in the next round", other, tree)
			b.merge(tree, "m")
			look("merged", other, tree)
		})
	}
}
