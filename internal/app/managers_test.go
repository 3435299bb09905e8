package app

import (
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/confine/sandbox"
)

// asdfExec finds the version as asdf does: in the folders above the project, then in the home folder.
const asdfExec = `tool=$2; shift 2; at=$PWD
until [ -e "$at/.tool-versions" ] || [ "$at" = / ]; do at=$(dirname "$at"); done
[ "$at" != / ] || at=$HOME
version=$(grep "^$tool " "$at/.tool-versions" | cut -d' ' -f2) && [ -n "$version" ] || { echo "No version is set for command $tool"; exit 126; }
exec "${ASDF_DATA_DIR:-$HOME/.asdf}/installs/$tool/$version/bin/$tool" "$@"`

// workHome gives the worker a home of its own, with what a login shell would put on PATH, and a configuration.
func workHome(t *testing.T) (home string, cfg config.Config) {
	t.Helper()
	home = bareHome(t)
	t.Setenv("PATH", "/usr/local/bin:/usr/bin:/bin")
	cfg = load(t, "LONGSHIFT_DATA="+filepath.Join(home, ".local/share/longshift"))
	must(t, os.MkdirAll(cfg.Data, 0o700))
	return home, cfg
}

// inProject runs a command in a project of these files as a check runs: in the real box, with the environment of commands.
func inProject(t *testing.T, cfg config.Config, command string, files map[string]string) string {
	t.Helper()
	must(t, keepVersions(cfg))
	box, err := newBox(t.Context(), cfg, slog.New(slog.DiscardHandler))
	must(t, err)
	dir, err := os.MkdirTemp(cfg.Data, "task-")
	must(t, err)
	work, own := filepath.Join(dir, "work"), filepath.Join(dir, "home")
	must(t, os.Mkdir(own, 0o700))
	must(t, os.Mkdir(work, 0o700))
	for name, text := range files {
		must(t, os.WriteFile(filepath.Join(work, name), []byte(text), 0o600))
	}
	s := process.Bash(command)
	s.Dir, s.Env = work, commandEnv(cfg)(activities.Dirs{Home: own, Cache: own})
	r, err := box.Run(t.Context(), s, process.Limits{Wall: time.Minute},
		sandbox.Spec{Work: work, Hidden: hidden(cfg), Readable: readable(cfg), Writable: []string{own}})
	must(t, err)
	return strings.TrimSpace(r.Output)
}

// installed makes a program that says its version.
func installed(t *testing.T, tool, version string, parts ...string) {
	t.Helper()
	putProgram(t, "echo "+tool+" "+version, append(parts, tool)...)
}

// The real mise: what its user has chosen for every project holds where a project says nothing, a project's own choice holds in it, also
// where its settings are such as mise wants to be trusted first, and nothing else of the user's settings is seen. Agents have no CI, by which mise trusts everything.
func TestMise(t *testing.T) {
	if testing.Short() {
		t.Skip("needs the real mise")
	}
	mise, err := filepath.EvalSymlinks("../../test/tools/node_modules/.bin/mise")
	if err != nil && os.Getenv("CI") != "true" {
		t.Skip("mise is missing: run `make agents`")
	}
	must(t, err)
	home, cfg := workHome(t)
	must(t, os.MkdirAll(filepath.Join(home, ".local/bin"), 0o755))
	if out, err := exec.Command("cp", mise, filepath.Join(home, ".local/bin/mise")).CombinedOutput(); err != nil {
		t.Fatalf("copy mise: %v\n%s", err, out)
	}
	for _, version := range []string{"18.1.0", "20.2.0", "22.3.0"} {
		installed(t, "node", version, home, ".local/share/mise/installs/node", version, "bin")
	}
	for _, args := range [][]string{{"use", "--global", "node@20.2.0"},
		{"set", "--file", filepath.Join(home, ".config/mise/config.toml"), "OPERATORS=own"}, {"reshim"}} {
		cmd := exec.Command(filepath.Join(home, ".local/bin/mise"), args...)
		cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PATH=/usr/bin:/bin", "MISE_OFFLINE=1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("mise %v: %v\n%s", args, err, out)
		}
	}
	t.Setenv("PATH", filepath.Join(home, ".local/share/mise/shims")+":"+os.Getenv("PATH"))
	const ask = `env -u CI node --version; echo "${OPERATORS-hidden}"; cat ` + "~operator/.config/mise/config.toml 2> /dev/null; true"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"nothing said":    {nil, "node 20.2.0\nhidden"},
		"mise.toml":       {map[string]string{"mise.toml": "[tools]\nnode = \"22\"\n"}, "node 22.3.0\nhidden"},
		"with variables":  {map[string]string{"mise.toml": "[env]\nOPERATORS = \"project\"\n[tools]\nnode = \"18.1.0\"\n"}, "node 18.1.0\nhidden"},
		".tool-versions":  {map[string]string{".tool-versions": "node 18.1.0\n"}, "node 18.1.0\nhidden"},
		"not a tool file": {map[string]string{"package.json": "{}\n"}, "node 20.2.0\nhidden"},
	} {
		if got := inProject(t, cfg, strings.Replace(ask, "~operator", home, 1), c.files); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// asdf in the layout that it makes: shims that call it by name, with the plug-ins and versions in its folder.
func TestAsdf(t *testing.T) {
	home, cfg := workHome(t)
	putProgram(t, `exec asdf exec ruby "$@"`, home, ".asdf/shims/ruby")
	putProgram(t, asdfExec, home, ".local/bin/asdf")
	for _, version := range []string{"3.2.2", "3.3.0"} {
		installed(t, "ruby", version, home, ".asdf/installs/ruby", version, "bin")
	}
	must(t, os.WriteFile(filepath.Join(home, ".tool-versions"), []byte("# mine\nruby 3.3.0 # stable\nerlang\n"), 0o600))
	t.Setenv("PATH", filepath.Join(home, ".asdf/shims")+":"+os.Getenv("PATH"))
	if got := inProject(t, cfg, "ruby", nil); got != "ruby 3.3.0" {
		t.Errorf("what the user has chosen: %s", got)
	}
	if got := inProject(t, cfg, "ruby", map[string]string{".tool-versions": "ruby 3.2.2\n"}); got != "ruby 3.2.2" {
		t.Errorf("what the project has chosen: %s", got)
	}
	must(t, os.Remove(filepath.Join(home, ".tool-versions")))
	if got := inProject(t, cfg, "ruby", nil); !strings.Contains(got, "No version is set") {
		t.Errorf("what is not chosen any more: %s", got)
	}
}

// The pyenv of this machine where there is one, and else one in the layout that it makes.
func TestPyenv(t *testing.T) {
	shim, err := exec.LookPath("python3")
	must(t, err)
	home, cfg := workHome(t)
	root := filepath.Dir(filepath.Dir(shim))
	if filepath.Base(root) == ".pyenv" {
		t.Setenv("HOME", filepath.Dir(root))
	} else {
		root = filepath.Join(home, ".pyenv")
		putProgram(t, `export PYENV_ROOT="`+root+`"; exec "`+root+`/libexec/pyenv" exec python3 "$@"`, root, "shims/python3")
		putProgram(t, `exec "$PYENV_ROOT/versions/$(cat "$PYENV_ROOT/version")/bin/$2" "$3"`, root, "libexec/pyenv")
		putProgram(t, "echo Python 3.11.7", root, "versions/3.11.7/bin/python3")
		must(t, os.WriteFile(filepath.Join(root, "version"), []byte("3.11.7\n"), 0o600))
	}
	t.Setenv("PATH", filepath.Join(root, "shims")+":"+os.Getenv("PATH"))
	if got := inProject(t, cfg, "command -v python3; python3 --version", nil); !strings.HasPrefix(got, root+"/shims/python3\nPython 3.") {
		t.Errorf("python3 says %s", got)
	}
}

// Managers in the layouts that they make, each found without a login shell.
func TestLayoutsOfManagers(t *testing.T) {
	home, cfg := workHome(t)
	for tool, root := range map[string]string{"rbenv": ".rbenv", "nodenv": ".nodenv", "goenv": ".goenv"} { // shims that name no folder at all
		name := "by-" + tool
		putProgram(t, `exec `+tool+` exec `+name+` "$@"`, home, root, "shims", name)
		putProgram(t, `root=$`+strings.ToUpper(tool)+`_ROOT; exec "$root/versions/$(cat "$root/version")/bin/$2"`, home, root, "bin", tool)
		installed(t, name, "1", home, root, "versions/1/bin")
		must(t, os.WriteFile(filepath.Join(home, root, "version"), []byte("1\n"), 0o600))
	}
	putProgram(t, `exec "$VOLTA_HOME/tools/image/by-volta/1/bin/by-volta"`, home, ".volta/bin/volta-shim")
	must(t, os.Symlink("volta-shim", filepath.Join(home, ".volta/bin/by-volta")))
	installed(t, "by-volta", "1", home, ".volta/tools/image/by-volta/1/bin")
	installed(t, "by-sdkman", "1", home, ".sdkman/candidates/by-sdkman/1/bin")
	must(t, os.Symlink("1", filepath.Join(home, ".sdkman/candidates/by-sdkman/current")))
	installed(t, "by-fnm", "1", home, ".local/share/fnm/node-versions/v20.1.0/installation/bin")
	must(t, os.MkdirAll(filepath.Join(home, ".local/share/fnm/aliases"), 0o755))
	must(t, os.Symlink(filepath.Join(home, ".local/share/fnm/node-versions/v20.1.0/installation"), filepath.Join(home, ".local/share/fnm/aliases/default")))
	putProgram(t, "echo by-corepack 1", home, ".nvm/versions/node/v20.1.0/lib/node_modules/corepack/dist/by-corepack.js")
	must(t, os.MkdirAll(filepath.Join(home, ".nvm/versions/node/v20.1.0/bin"), 0o755))
	must(t, os.Symlink("../lib/node_modules/corepack/dist/by-corepack.js", filepath.Join(home, ".nvm/versions/node/v20.1.0/bin/by-corepack")))
	putProgram(t, "echo by-npm 1", home, ".local/lib/node_modules/by-npm/cli.js")
	for name, target := range map[string]string{"by-npm": "../lib/node_modules/by-npm/cli.js",
		"by-pipx": filepath.Join(home, ".local/share/pipx/venvs/by-pipx/bin/by-pipx"),
		"by-uv":   filepath.Join(home, ".local/share/uv/tools/by-uv/bin/by-uv")} {
		must(t, os.MkdirAll(filepath.Join(home, ".local/bin"), 0o755))
		must(t, os.Symlink(target, filepath.Join(home, ".local/bin", name)))
	}
	installed(t, "by-pipx", "1", home, ".local/share/pipx/venvs/by-pipx/bin")
	putProgram(t, `test -x "$UV_PYTHON_INSTALL_DIR/cpython-3.12/bin/python3" && echo by-uv 1`, home, ".local/share/uv/tools/by-uv/bin/by-uv")
	installed(t, "python3", "3.12", home, ".local/share/uv/python/cpython-3.12/bin")
	all := "by-rbenv by-nodenv by-goenv by-volta by-sdkman by-fnm by-corepack by-npm by-pipx by-uv"
	want := strings.ReplaceAll(all, " ", " 1\n") + " 1"
	if got := inProject(t, cfg, "for tool in "+all+"; do $tool; done", nil); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Of nvm's versions the one that its user has chosen comes first, and else the newest: by number, for 9 is older than 18.
func TestVersionsInOrder(t *testing.T) {
	home, _ := workHome(t)
	dirs := func() (versions []string) {
		for _, dir := range filepath.SplitList(taskPath()) {
			if rest, found := strings.CutPrefix(dir, filepath.Join(home, ".nvm/versions/node")+"/"); found {
				versions = append(versions, filepath.Dir(rest))
			}
		}
		return versions
	}
	for _, v := range []string{"v9.11.2", "v18.2.0", "v18.20.1", "v20.1.0"} {
		must(t, os.MkdirAll(filepath.Join(home, ".nvm/versions/node", v, "bin"), 0o755))
	}
	must(t, os.MkdirAll(filepath.Join(home, ".nvm/alias/lts"), 0o755))
	must(t, os.WriteFile(filepath.Join(home, ".nvm/alias/lts/*"), []byte("lts/hydrogen\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(home, ".nvm/alias/lts/hydrogen"), []byte("v18.2.0\n"), 0o600))
	for alias, want := range map[string]string{"": "v20.1.0 v18.20.1 v18.2.0 v9.11.2", "18": "v18.20.1 v18.2.0 v20.1.0 v9.11.2",
		"9.11":  "v9.11.2 v20.1.0 v18.20.1 v18.2.0",
		"lts/*": "v18.2.0 v20.1.0 v18.20.1 v9.11.2", "default": "v20.1.0 v18.20.1 v18.2.0 v9.11.2", "2": "v20.1.0 v18.20.1 v18.2.0 v9.11.2"} {
		must(t, os.WriteFile(filepath.Join(home, ".nvm/alias/default"), []byte(alias+"\n"), 0o600))
		if got := strings.Join(dirs(), " "); got != want {
			t.Errorf("default %q: %s, want %s", alias, got, want)
		}
	}
}

// fnm puts a link of the moment on PATH, below /run, where tasks see nothing: the folder itself stands there.
func TestLinksOnPath(t *testing.T) {
	home, _ := workHome(t)
	real := filepath.Join(home, "node/v20/bin")
	must(t, os.MkdirAll(real, 0o755))
	must(t, os.Symlink(filepath.Dir(real), filepath.Join(home, "now")))
	t.Setenv("PATH", filepath.Join(home, "now/bin")+":/usr/bin")
	if path := filepath.SplitList(taskPath()); !slices.Contains(path, real) || slices.Contains(path, filepath.Join(home, "now/bin")) {
		t.Errorf("PATH is %s", path)
	}
}
