package app

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/config"
)

// A user's own tool chains lie below the home directory, which tasks can't see, and locate themselves by a variable or by HOME, which is
// different in a task. So their folders are made readable, and the variables are set to them.

// toolHomes maps variables to the default folders of tool chains below the home directory. None of these folders holds a key.
var toolHomes = map[string]string{
	"ASDF_DATA_DIR": ".asdf", "BUN_INSTALL": ".bun", "DENO_INSTALL": ".deno", "FNM_DIR": ".local/share/fnm", "GOENV_ROOT": ".goenv",
	"MISE_DATA_DIR": ".local/share/mise", "NODENV_ROOT": ".nodenv", "NVM_DIR": ".nvm", "PYENV_ROOT": ".pyenv", "RBENV_ROOT": ".rbenv",
	"RUSTUP_HOME": ".rustup", "SDKMAN_DIR": ".sdkman", "UV_PYTHON_INSTALL_DIR": ".local/share/uv/python", "VOLTA_HOME": ".volta",
}

// Variables of the operator that are passed on unchanged: toolFolders name folders, toolChoices versions and the like.
var (
	toolFolders = []string{"GOROOT", "JAVA_HOME", "MAVEN_HOME", "GRADLE_HOME", "DOTNET_ROOT", "ANDROID_HOME"}
	toolChoices = []string{"PYENV_VERSION", "RUSTUP_TOOLCHAIN", "RUSTUP_AUTO_INSTALL"}
)

// toolPrograms are where tool chains put their programs below the home directory. Those missing from the worker's PATH, because no shell
// has set it up, are appended.
var toolPrograms = []string{".local/bin", ".cargo/bin", "go/bin", ".pyenv/shims", ".pyenv/bin", ".asdf/shims", ".asdf/bin",
	".local/share/mise/shims", ".volta/bin", ".rbenv/shims", ".rbenv/bin", ".nodenv/shims", ".nodenv/bin", ".goenv/shims", ".goenv/bin",
	".bun/bin", ".deno/bin", ".nvm/versions/node/*/bin", ".local/share/fnm/aliases/default/bin", ".sdkman/candidates/*/current/bin"}

// toolData are folders that links in .local/bin point into.
var toolData = []string{".local/share/pipx/venvs", ".local/pipx/venvs", ".local/share/uv/tools", ".local/share/pypoetry/venv",
	".local/share/pdm/venv"}

// brewData are the folders of Homebrew that links in its bin point into, and where its programs find their libraries and certificates. It
// lies below /home, which tasks can't see.
var brewData = []string{"Cellar", "opt", "lib", "etc/openssl@3", "etc/ca-certificates"}

// toolEnv is the environment with which programs find the tool chains of the worker's user.
func toolEnv(cfg config.Config) map[string]string {
	env := map[string]string{"GOTOOLCHAIN": cmp.Or(os.Getenv("GOTOOLCHAIN"), "auto"), "COREPACK_ENABLE_DOWNLOAD_PROMPT": "0"}
	home := operatorHome()
	for name, folder := range toolHomes {
		if dir := cmp.Or(os.Getenv(name), filepath.Join(home, folder)); home != "" && isFolder(dir) {
			env[name] = dir
		}
	}
	for _, name := range slices.Concat(toolFolders, toolChoices) {
		if value := os.Getenv(name); value != "" {
			env[name] = value
		}
	}
	if env["MISE_DATA_DIR"] != "" {
		env["MISE_TRUSTED_CONFIG_PATHS"] = cfg.Data // otherwise mise refuses to read the settings of an unknown project
	}
	return env
}

// taskPath is PATH inside the sandbox: the worker's, followed by missing folders of tool chains. The newest version of a tool comes
// first, unless the user has chosen another one. A folder that is a link from a hidden place is replaced by its target.
func taskPath() string {
	var path []string
	home := operatorHome()
	add := func(dir string) {
		if home != "" && strings.HasPrefix(dir, home+"/") || strings.HasPrefix(dir, "/run/") {
			if real, err := filepath.EvalSymlinks(dir); err == nil {
				dir = real
			}
		}
		if !slices.Contains(path, dir) {
			path = append(path, dir)
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		add(dir)
	}
	for _, pattern := range append(belowHome(toolPrograms), "/usr/local/go/bin") {
		found, _ := filepath.Glob(pattern) // the patterns are constants and valid
		for _, dir := range slices.DeleteFunc(newestFirst(found), func(dir string) bool { return !isFolder(dir) }) {
			add(dir)
		}
	}
	return strings.Join(path, string(filepath.ListSeparator))
}

// taskPrograms finds programs as sessions do, on the PATH of tasks.
type taskPrograms struct{ environ.Environ }

func (p taskPrograms) Program(name string) (string, error) { return p.onPath().Program(name) }
func (p taskPrograms) Bare() []string                      { return p.onPath().Bare() }

func (p taskPrograms) onPath() environ.Environ {
	p.Vars = append(slices.Clone(p.Vars), "PATH="+taskPath())
	return p.Environ
}

// agentBinary finds the binary of an agent: a path, or a name on the PATH of tasks.
func agentBinary(name string) (string, error) {
	if filepath.Base(name) != name {
		return exec.LookPath(name)
	}
	return taskPrograms{}.Program(name)
}

// belowHome returns the paths of folders below the home directory of the worker's user.
func belowHome(folders []string) (list []string) {
	if home := operatorHome(); home != "" {
		for _, folder := range folders {
			list = append(list, filepath.Join(home, folder))
		}
	}
	return list
}

// readable lists what programs can read below hidden folders: tool chains and the agents' binaries. Of folders that also hold keys
// (".cargo", ".local") only the programs are readable.
func readable(cfg config.Config) []string {
	list := slices.Clone(cfg.Commands.Readable)
	env := toolEnv(cfg)
	for name := range toolHomes {
		list = append(list, env[name])
	}
	for _, name := range toolFolders {
		list = append(list, env[name])
	}
	list = append(list, belowHome(toolData)...)
	for _, dir := range filepath.SplitList(taskPath()) {
		list = append(list, dir)
		if filepath.Base(dir) == "bin" {
			list = append(list, filepath.Join(filepath.Dir(dir), "lib/node_modules"))
			if isFolder(filepath.Join(filepath.Dir(dir), "Cellar")) {
				for _, folder := range brewData {
					list = append(list, filepath.Join(filepath.Dir(dir), folder))
				}
			}
			if !strings.HasPrefix(filepath.Base(filepath.Dir(dir)), ".") {
				list = append(list, filepath.Join(filepath.Dir(dir), "lib"))
			}
		}
	}
	list = append(list, versionsFile(cfg))
	for _, p := range cfg.Programs() {
		if path, err := agentBinary(p.Path); err == nil {
			list = append(list, binaryDirs(path)...)
		}
	}
	covered := hidden(cfg)
	list = slices.DeleteFunc(list, func(dir string) bool {
		return dir == "" || tooWide(dir, covered) && !slices.Contains(cfg.Commands.Readable, dir)
	})
	list = slices.DeleteFunc(list, func(dir string) bool {
		return !slices.ContainsFunc(append(covered, "/tmp", "/var/tmp"), func(h string) bool { return strings.HasPrefix(dir, h+"/") })
	})
	list = existing(list)
	slices.Sort(list)
	return list
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
