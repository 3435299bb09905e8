package compose

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
	"mvdan.cc/sh/v3/syntax"
)

// shells checks the programs that the compose file hands to a shell, and that the scripts it names are there.
func shells(s *Stack) []error {
	return s.services(func(service types.ServiceConfig) []error {
		var broken []error
		for _, command := range [][]string{service.Entrypoint, service.Command, healthTest(service)} {
			broken = append(broken, shellCommand(service, command)...)
		}
		return broken
	})
}

// healthTest is the health check as a command of its own.
func healthTest(service types.ServiceConfig) []string {
	if !healthy(service) {
		return nil
	}
	test := service.HealthCheck.Test
	if test[0] == "CMD-SHELL" {
		return append([]string{"/bin/sh", "-c"}, test[1:]...)
	}
	return test[1:]
}

// shellCommand checks one command line: the text after -c, or the mounted script that a shell is to read.
func shellCommand(service types.ServiceConfig, command []string) []error {
	if len(command) < 2 || !slices.Contains([]string{"sh", "bash"}, path.Base(command[0])) {
		return nil
	}
	if strings.HasPrefix(command[1], "-") {
		if len(command) < 3 {
			return each(when(true, "%q: a shell without a program", command))
		}
		return each(parses(strings.NewReader(command[2]), dialect(command[0]), "inline program"))
	}
	for _, v := range service.Volumes {
		if inside, ok := strings.CutPrefix(command[1], v.Target+"/"); ok {
			return each(missing(filepath.Join(v.Source, inside)))
		}
	}
	return each(when(true, "runs %s, which no volume brings", command[1]))
}

// dialect is the language of the shell that a path or a first line names.
func dialect(shell string) syntax.LangVariant {
	if strings.Contains(path.Base(shell), "bash") {
		return syntax.LangBash
	}
	return syntax.LangPOSIX
}

func parses(program interface{ Read([]byte) (int, error) }, lang syntax.LangVariant, name string) error {
	_, err := syntax.NewParser(syntax.Variant(lang)).Parse(program, name)
	return err
}

// missing tells that nothing is at the path.
func missing(name string) error {
	_, err := os.Stat(name)
	return when(errors.Is(err, fs.ErrNotExist), "%s does not exist", name)
}

// CheckScripts checks every shell script of a folder: that it can be run, that it parses in the language of its first
// line, and what shellcheck says where there is one.
func CheckScripts(dir string) (checked int, broken []error) {
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".sh" {
			return err
		}
		checked++
		broken = append(broken, script(name)...)
		return nil
	})
	return checked, append(broken, each(err)...)
}

func script(name string) []error {
	content, err := os.ReadFile(name)
	if err != nil {
		return []error{fmt.Errorf("read script: %w", err)}
	}
	first, _, _ := strings.Cut(string(content), "\n")
	info, err := os.Stat(name)
	if err != nil {
		return []error{fmt.Errorf("read script: %w", err)}
	}
	base := filepath.Base(name)
	broken := each(
		when(first != "#!/bin/sh" && first != "#!/bin/bash", "%s: its first line names no shell of the images", base),
		when(info.Mode()&0o111 == 0, "%s can't be run", base),
		when(!strings.Contains(string(content), "\nset -eu"), "%s goes on after an error; begin with set -eu", base),
		parses(strings.NewReader(string(content)), dialect(first), base),
	)
	for _, tool := range [][]string{{strings.TrimPrefix(first, "#!"), "-n"}, {"shellcheck"}} {
		if _, err := exec.LookPath(tool[0]); err != nil {
			continue
		}
		if out, err := exec.Command(tool[0], append(tool[1:], name)...).CombinedOutput(); err != nil {
			broken = append(broken, fmt.Errorf("%s: %s: %w\n%s", base, tool[0], err, out))
		}
	}
	return broken
}
