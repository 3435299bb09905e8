package app

import (
	"bufio"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
)

// versionsFile is where asdf and mise find what the worker's user has chosen for every project: they look in the folders above one, and
// what a project has chosen itself comes before that. The files that it is made of lie in a home, and those of mise may hold secrets.
func versionsFile(cfg config.Config) string { return filepath.Join(cfg.Data, ".tool-versions") }

// keepVersions writes the file, or removes it where nothing is chosen.
func keepVersions(cfg config.Config) error {
	home := operatorHome()
	chosen := slices.Concat(versionLines(filepath.Join(home, ".tool-versions")),
		miseTools(cmp.Or(os.Getenv("MISE_GLOBAL_CONFIG_FILE"), filepath.Join(home, ".config/mise/config.toml"))))
	file := versionsFile(cfg)
	if home == "" || len(chosen) == 0 {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.New(fault.Infra, "remove the chosen versions of tools: %w", err)
		}
		return nil
	}
	if err := os.WriteFile(file, []byte(strings.Join(chosen, "\n")+"\n"), 0o644); err != nil {
		return fault.New(fault.Infra, "write the chosen versions of tools: %w", err)
	}
	return nil
}

// lines gives what stands in a file, without comments; nothing for one that is not there.
func lines(file string) (list []string) {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		line, _, _ := strings.Cut(s.Text(), "#")
		list = append(list, strings.TrimSpace(line))
	}
	return list
}

// versionLines reads a .tool-versions.
func versionLines(file string) []string {
	return slices.DeleteFunc(lines(file), func(line string) bool { return len(strings.Fields(line)) < 2 })
}

var (
	miseTool    = regexp.MustCompile(`^"?([A-Za-z0-9][A-Za-z0-9_.-]*)"?\s*=\s*(?:\{.*\bversion\s*=\s*)?(\[[^\]]*\]|"[^"]*"|'[^']*')`)
	miseVersion = regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9_.:/-]*`)
)

// miseTools reads the tools out of mise's settings, and nothing else of them.
func miseTools(file string) (list []string) {
	in := false
	for _, line := range lines(file) {
		if strings.HasPrefix(line, "[") {
			in = line == "[tools]"
			continue
		}
		if m := miseTool.FindStringSubmatch(line); in && m != nil {
			list = append(list, strings.Join(append([]string{m[1]}, miseVersion.FindAllString(m[2], -1)...), " "))
		}
	}
	return list
}

var number = regexp.MustCompile(`\d+`)

// newestFirst orders folders by the numbers in them. nvm's versions begin with the one that its user has chosen.
func newestFirst(dirs []string) []string {
	slices.SortStableFunc(dirs, func(a, b string) int {
		if a, b := chosenByNvm(a), chosenByNvm(b); a != b {
			if a {
				return -1
			}
			return 1
		}
		return slices.CompareFunc(number.FindAllString(b, -1), number.FindAllString(a, -1), func(b, a string) int {
			left, _ := strconv.Atoi(b) // digits, by the expression
			right, _ := strconv.Atoi(a)
			return cmp.Compare(left, right)
		})
	})
	return dirs
}

// chosenByNvm tells whether a folder of programs is of the version that nvm's default names: "20", "v20.1.0", or another alias, such as
// "lts/*".
func chosenByNvm(dir string) bool {
	root, version, found := strings.Cut(dir, "/versions/node/")
	if !found {
		return false
	}
	name := "default"
	for range 5 { // an alias may name another one
		next := lines(filepath.Join(root, "alias", name))
		if len(next) == 0 || next[0] == "" {
			break
		}
		name = next[0]
	}
	return name != "default" && strings.HasPrefix(version, "v"+strings.TrimPrefix(name, "v")+".") || version == "v"+strings.TrimPrefix(name, "v")+"/bin"
}
