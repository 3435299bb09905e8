// Package environ is where a command runs: environment variables, configuration, clock, and the git of PATH.
package environ

import (
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
)

// Environ is where the command runs.
type Environ struct {
	Vars       []string // NAME=value
	Dir        string   // working directory, absolute
	Executable string   // path of this program; its siblings are looked for beside it
	Settings   []string // names of the variables that come from the settings file
}

// SystemEnviron is the environment of this process.
func SystemEnviron() Environ {
	dir, err := os.Getwd()
	if err != nil {
		dir = "/"
	}
	program, err := os.Executable()
	if err != nil {
		program = ""
	} else if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	return Environ{Vars: os.Environ(), Dir: dir, Executable: program}
}

// Lookup returns the value of a variable. The last one of a name counts.
func (e Environ) Lookup(name string) (string, bool) {
	for i := len(e.Vars) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(e.Vars[i], name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// Get returns the value of a variable, or "".
func (e Environ) Get(name string) string {
	value, _ := e.Lookup(name)
	return value
}

// User is the name of the user, who is the sender of every message.
func (e Environ) User() string {
	for _, name := range []string{"USER", "LOGNAME"} {
		if by := e.Get(name); by != "" {
			return term.OneLine(by)
		}
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

// Resolve makes a path of the command line absolute.
func (e Environ) Resolve(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.Dir, name)
}

// AskWithin bounds how long a program may take that is only asked for something.
const AskWithin = 10 * time.Second

// Program finds a program on PATH. One that is named by its absolute path is that one.
func (e Environ) Program(name string) (string, error) {
	if filepath.IsAbs(name) && Executable(name) {
		return name, nil
	}
	for _, dir := range filepath.SplitList(e.Get("PATH")) {
		if path := filepath.Join(dir, name); filepath.IsAbs(path) && Executable(path) {
			return path, nil
		}
	}
	return "", fault.New(fault.NotFound, "%s is not on PATH", name).WithHint("install %s", name)
}

func Executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// Bare is what programs get that need nothing of ours: no key, no token.
func (e Environ) Bare() []string {
	var env []string
	for _, v := range e.Vars {
		switch name, _, _ := strings.Cut(v, "="); name {
		case "PATH", "HOME", "USER", "TMPDIR", "TZ", "LANG":
			env = append(env, v)
		default:
			if strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "XDG_") {
				env = append(env, v)
			}
		}
	}
	return env
}

// Without returns the environment less the variables that begin with one of the prefixes.
func (e Environ) Without(prefixes ...string) []string {
	var env []string
next:
	for _, v := range e.Vars {
		for _, prefix := range prefixes {
			if strings.HasPrefix(v, prefix) {
				continue next
			}
		}
		env = append(env, v)
	}
	return env
}
