package task

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/variable"
)

// Limits of the variables that a repository sets. Every step gets them, so they become part of the history.
const (
	mostVariables = 50
	mostEnv       = 8 << 10 // bytes of all names and values
)

const (
	wayOfEnv = `give NAME: "value", in quotes when it is a number or a flag; what the operator gives is named in needsEnv`
	wayOfSet = "leave it out; a command can set it for itself, in setup or check"
)

// envMistakes returns what is wrong with the variables that a repository or a task sets.
func (k ConfigKey) envMistakes(env map[string]string, field string, line func(string) int) (all []mistake) {
	size := 0
	for _, name := range slices.Sorted(maps.Keys(env)) {
		value := env[name]
		size += len(name) + len(value)
		m := mistake{field: join(field, name), way: wayOfSet}
		m.line = line(m.field)
		switch {
		case !variable.IsName(name):
			m.what, m.way = wrongNeed(name), wayOfEnv
		case variable.Reserved(name):
			m.what = "is " + quote(value) + ", but Longshift itself sets this variable"
		case variable.OperatorOnly(name):
			m.what = "is " + quote(value) + ", but only the operator may set this variable"
		case len(value) > k.Length:
			m.what = fmt.Sprintf("has %d bytes, %d are allowed", len(value), k.Length)
			m.way = "put it into a file of the repository, and its name here"
		case strings.ContainsRune(value, 0):
			m.what, m.way = "holds a null byte", wayOfEnv
		default:
			continue
		}
		all = append(all, m)
	}
	switch m := (mistake{field: field, line: line(field), way: "set fewer, or smaller ones"}); {
	case len(env) > k.Items:
		m.what = "has " + strconv.Itoa(len(env)) + " variables, " + strconv.Itoa(k.Items) + " are allowed"
		return append(all, m)
	case size > mostEnv:
		m.what = "has " + strconv.Itoa(size) + " bytes in all, " + strconv.Itoa(mostEnv) + " are allowed"
		return append(all, m)
	}
	return all
}

// wrongNeed returns why nobody could provide a variable of that name to a task, "" if somebody could.
func wrongNeed(name string) string {
	switch {
	case !variable.IsName(name):
		return "is no name of a variable"
	case variable.Reserved(name):
		return "is set by Longshift itself"
	}
	return ""
}
