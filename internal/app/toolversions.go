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

// versionsFile tells asdf and mise what the worker's user has chosen as default versions. They search the folders above a project, and a
// project's own choice takes precedence. The original files lie in the home directory, and those of mise may contain secrets.
func versionsFile(cfg config.Config) string { return filepath.Join(cfg.Data, ".tool-versions") }

// keepVersions writes the file, or removes it if nothing is chosen.
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

// lines returns the lines of a file without comments; none if the file does not exist.
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

func versionLines(file string) []string {
	return slices.DeleteFunc(lines(file), func(line string) bool { return len(strings.Fields(line)) < 2 })
}

var (
	miseTool    = regexp.MustCompile(`^"?([A-Za-z0-9][A-Za-z0-9_.-]*)"?\s*=\s*(?:\{.*\bversion\s*=\s*)?(\[[^\]]*\]|"[^"]*"|'[^']*')`)
	miseVersion = regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9_.:/-]*`)
)

// miseTools reads only the tools from mise's settings.
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

// newestFirst sorts folders by their version numbers, newest first. nvm's default version comes before all others.
func newestFirst(dirs []string) []string {
	slices.SortStableFunc(dirs, func(a, b string) int {
		if a, b := chosenByNvm(a), chosenByNvm(b); a != b {
			if a {
				return -1
			}
			return 1
		}
		return slices.CompareFunc(number.FindAllString(b, -1), number.FindAllString(a, -1), func(b, a string) int {
			left, _ := strconv.Atoi(b) // the pattern matches digits only
			right, _ := strconv.Atoi(a)
			return cmp.Compare(left, right)
		})
	})
	return dirs
}

// chosenByNvm reports whether a folder of programs has the version of nvm's default alias: "20", "v20.1.0", or another alias such as
// "lts/*".
func chosenByNvm(dir string) bool {
	root, version, found := strings.Cut(dir, "/versions/node/")
	if !found {
		return false
	}
	name := "default"
	for range 5 { // an alias may refer to another one
		next := lines(filepath.Join(root, "alias", name))
		if len(next) == 0 || next[0] == "" {
			break
		}
		name = next[0]
	}
	number := "v" + strings.TrimPrefix(name, "v")
	return name != "default" && strings.HasPrefix(version, number+".") || version == number+"/bin"
}
