package git

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"strings"
)

// hardened is the configuration of every run. It goes through the environment, where it wins over any file.
var hardened = [][2]string{
	{"core.hooksPath", os.DevNull}, {"core.fsmonitor", "false"}, {"core.pager", "cat"}, {"core.askPass", ""}, {"credential.helper", ""},
	{"core.sshCommand", "ssh -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=15 -o ServerAliveCountMax=4"},
	{"protocol.ext.allow", "never"}, {"log.showSignature", "false"}, {"submodule.recurse", "false"}, {"gc.auto", "0"},
	{"maintenance.auto", "false"},
}

// ownFiles are the settings that name files of the user, and do even where no file of configuration does.
var ownFiles = [][2]string{{"core.attributesFile", os.DevNull}, {"core.excludesFile", os.DevNull}}

// environ is the whole environment of a run.
func (g Git) environ() []string {
	env := []string{
		"PATH=" + g.lookup("PATH"), "LC_ALL=C", "TZ=UTC", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GIT_EDITOR=:",
		"GIT_PAGER=cat", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=" + cmp.Or(g.Protocols, "none"),
	}
	settings := slices.Concat(hardened, g.Login.settings(), g.Settings)
	if g.User {
		for _, name := range []string{"HOME", "XDG_CONFIG_HOME"} {
			if value := g.lookup(name); value != "" {
				env = append(env, name+"="+value)
			}
		}
	} else {
		env = append(env, "HOME="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_ATTR_NOSYSTEM=1")
		settings = slices.Concat(ownFiles, settings)
	}
	if g.Author != (Person{}) {
		for _, who := range []string{"AUTHOR", "COMMITTER"} {
			env = append(env, "GIT_"+who+"_NAME="+g.Author.Name, "GIT_"+who+"_EMAIL="+g.Author.Email)
		}
	}
	env = append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(len(settings)))
	for i, s := range settings {
		n := strconv.Itoa(i)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+s[0], "GIT_CONFIG_VALUE_"+n+"="+s[1])
	}
	return unique(append(env, g.Env...))
}

// unique leaves the last value of each variable: programs do not agree on which one of two counts.
func unique(env []string) []string {
	at := map[string]int{}
	var out []string
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		if i, twice := at[name]; twice {
			out[i] = v
			continue
		}
		at[name] = len(out)
		out = append(out, v)
	}
	return out
}
