package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// special gives the value of a parameter that bash sets by itself.
func (j *judge) special(name string, st *state) (value, bool) {
	switch name {
	case "?", "#", "$", "RANDOM", "SECONDS", "LINENO", "BASHPID", "UID", "EUID", "EPOCHSECONDS":
		return sourceValue(grammar.Digits), true
	case "!":
		return value{parts: []grammar.Part{{Text: ownJob, Source: grammar.Digits}}}, true
	case "HOME":
		if j.p.c.Home != "" {
			return literalValue(j.p.c.Home), true
		}
	case "PWD":
		if len(st.cwd) == 1 && !st.cwd[0].below {
			return literalValue(st.cwd[0].path), true
		}
	case "TMPDIR":
		return literalValue("/tmp"), true
	case "@", "*":
		return value{}, false
	case "1", "2", "3", "4", "5", "6", "7", "8", "9":
		if !st.params {
			return literalValue(""), true // bash -c without arguments
		}
		return argument(name, st)
	}
	return value{}, false
}

// ownJob marks digits that are the process of a background job of this script.
const ownJob = "$!"

// lookup gives what is known of a variable. What the script has not set comes from an environment that is not known here.
func (j *judge) lookup(name string, st *state) value {
	if v, ok := st.get(name); ok {
		return v
	}
	if v, ok := j.special(name, st); ok {
		return v
	}
	if secretName(name) {
		j.ask("env.secret", "$%s looks like a secret of the environment; nothing in a task needs to read it", part(name))
	}
	return anyValue()
}

// secretName tells whether a variable is likely to hold a secret.
func secretName(name string) bool {
	up := strings.ToUpper(name)
	for _, mark := range []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIAL", "DATABASE_URL", "REDIS_URL", "MONGO_URI", "MONGODB_URI", "_DSN", "CONNECTION_STRING", "WEBHOOK_URL"} {
		if strings.Contains(up, mark) {
			return true
		}
	}
	return false
}
