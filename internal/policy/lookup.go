package policy

import (
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// special returns the value of a parameter that bash sets by itself.
func (x *expander) special(name string, st *state) (value, bool) {
	switch name {
	case "?", "#", "$", "RANDOM", "SECONDS", "LINENO", "BASHPID", "UID", "EUID", "EPOCHSECONDS":
		return sourceValue(grammar.Digits), true
	case "!":
		return value{parts: []grammar.Part{{Text: ownJob, Source: grammar.Digits}}}, true
	case "HOME":
		if x.policy.c.Home != "" {
			return literalValue(x.policy.c.Home), true
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

// lookup returns what is known of a variable. A variable that the script has not set comes from an unknown environment.
func (x *expander) lookup(name string, st *state) value {
	if v, ok := st.get(name); ok {
		return v
	}
	if v, ok := x.special(name, st); ok {
		return v
	}
	if secretName(name) {
		x.verdict.ask("env.secret", "$%s looks like a secret of the environment; nothing in a task needs to read it", part(name))
	}
	return anyValue()
}

// secretName reports whether a variable is likely to hold a secret.
func secretName(name string) bool {
	up := strings.ToUpper(name)
	return slices.ContainsFunc(secretMarks, func(mark string) bool { return strings.Contains(up, mark) })
}

// secretMarks are pieces of names of variables with secrets.
var secretMarks = strings.Fields(`TOKEN SECRET PASSWORD PASSWD API_KEY APIKEY ACCESS_KEY PRIVATE_KEY CREDENTIAL DATABASE_URL REDIS_URL
	MONGO_URI MONGODB_URI _DSN CONNECTION_STRING WEBHOOK_URL`)
