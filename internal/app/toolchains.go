package app

import (
	"bufio"
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/config"
)

// A tool chain that somebody has installed for themselves lies below their home, which no program of a task sees, and finds itself by
// a variable or by the home folder, which is another one in a task. So its folders are shown, and named by the variables.

// toolHomes are the folders of tool chains below a home, by the variable that names them elsewhere. None of them holds a key.
var toolHomes = map[string]string{
	"ASDF_DATA_DIR": ".asdf", "BUN_INSTALL": ".bun", "DENO_INSTALL": ".deno", "MISE_DATA_DIR": ".local/share/mise", "NVM_DIR": ".nvm",
	"PYENV_ROOT": ".pyenv", "RBENV_ROOT": ".rbenv", "RUSTUP_HOME": ".rustup", "SDKMAN_DIR": ".sdkman", "VOLTA_HOME": ".volta",
}

// What an operator has chosen goes along as it is: toolFolders name folders, toolChoices versions and the like.
var (
	toolFolders = []string{"GOROOT", "JAVA_HOME", "MAVEN_HOME", "GRADLE_HOME", "DOTNET_ROOT", "ANDROID_HOME"}
	toolChoices = []string{"PYENV_VERSION", "RUSTUP_TOOLCHAIN", "RUSTUP_AUTO_INSTALL"}
)

// toolPrograms are where tool chains put their programs below a home. What is not on the worker's PATH, for no shell has set it, is
// added at its end.
var toolPrograms = []string{".local/bin", ".cargo/bin", "go/bin", ".pyenv/shims", ".pyenv/bin", ".asdf/shims", ".asdf/bin", ".local/share/mise/shims",
	".volta/bin", ".rbenv/shims", ".bun/bin", ".deno/bin", ".nvm/versions/node/*/bin", ".sdkman/candidates/*/current/bin"}

// toolEnv is the environment by which programs find the tool chains of the worker's user.
func toolEnv() map[string]string {
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
	for tool, version := range chosenVersions(filepath.Join(home, ".tool-versions")) {
		env["ASDF_"+tool+"_VERSION"] = version
	}
	return env
}

// chosenVersions reads the versions that asdf's user has chosen. asdf looks for them in the home folder.
func chosenVersions(file string) map[string]string {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	versions := map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line, _, _ := strings.Cut(lines.Text(), "#")
		if words := strings.Fields(line); len(words) > 1 {
			versions[strings.ToUpper(strings.ReplaceAll(words[0], "-", "_"))] = strings.Join(words[1:], " ")
		}
	}
	return versions
}

// taskPath is PATH inside: the worker's, and after it the programs of tool chains that it lacks. Of the versions of one tool the
// newest comes first.
func taskPath() string {
	path := os.Getenv("PATH")
	have := filepath.SplitList(path)
	home := operatorHome()
	for _, pattern := range append(slices.Clone(toolPrograms), "/usr/local/go/bin") {
		if !filepath.IsAbs(pattern) {
			if home == "" {
				continue
			}
			pattern = filepath.Join(home, pattern)
		}
		found, _ := filepath.Glob(pattern) // the patterns are ours, and right
		for _, dir := range slices.Backward(found) {
			if isFolder(dir) && !slices.Contains(have, dir) {
				have, path = append(have, dir), path+string(filepath.ListSeparator)+dir
			}
		}
	}
	return strings.TrimPrefix(path, string(filepath.ListSeparator))
}

// readable is what programs see below a hidden folder all the same: tool chains and the agents' binaries. Of a folder that
// also holds keys (".cargo", ".local") only the programs are shown.
func readable(cfg config.Config) []string {
	list := slices.Clone(cfg.Readable)
	env := toolEnv()
	for name := range toolHomes {
		list = append(list, env[name])
	}
	for _, name := range toolFolders {
		list = append(list, env[name])
	}
	for _, dir := range filepath.SplitList(taskPath()) {
		list = append(list, dir)
		if filepath.Base(dir) == "bin" && !strings.HasPrefix(filepath.Base(filepath.Dir(dir)), ".") {
			list = append(list, filepath.Join(filepath.Dir(dir), "lib"))
		}
	}
	if path, err := exec.LookPath(cfg.Claude); err == nil {
		list = append(list, binaryDirs(path)...)
	}
	below := hidden(cfg)
	list = slices.DeleteFunc(list, func(dir string) bool { return dir == "" || tooWide(dir, below) && !slices.Contains(cfg.Readable, dir) })
	list = slices.DeleteFunc(list, func(dir string) bool {
		return !slices.ContainsFunc(append(below, "/tmp", "/var/tmp"), func(h string) bool { return strings.HasPrefix(dir, h+"/") })
	})
	list = existing(list)
	slices.Sort(list)
	return list
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
