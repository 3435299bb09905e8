package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/variable"
)

// File returns the path of the settings file: longshift/config.toml below XDG_CONFIG_HOME or ~/.config; "" without a home directory.
func File(lookup Lookup) string {
	if xdg, _ := lookup("XDG_CONFIG_HOME"); filepath.IsAbs(xdg) {
		return filepath.Join(xdg, "longshift", "config.toml")
	}
	if home, _ := lookup("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "longshift", "config.toml")
	}
	return ""
}

// FromFile returns what the settings file sets and the environment does not, as NAME=value sorted by name. Its keys are the names of
// variables. A variable of the environment wins, also where it is another way to set the same, such as NAME_FILE or the variable of
// another program. A file that does not exist sets nothing. Errors are faults that name the file and its line or key.
func FromFile(lookup Lookup) ([]string, error) {
	path := File(lookup)
	info, err := os.Stat(path)
	if path == "" || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.New(fault.Input, "settings: %w", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.New(fault.Input, "settings: %w", err).WithHint("make %s readable, or remove it", path)
	}
	given, err := parseSettings(text)
	if err != nil {
		return nil, fault.New(fault.Input, "settings in %s: %w", path, err).WithHint("lines are such as LONGSHIFT_SLOTS = 2")
	}
	ways, tasks := waysOf(), tasksNames(given, lookup)
	secrets := ways.secrets(given, lookup)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value, what := settingText(name, given[name])
		if what == "" && !slices.Contains(tasks, name) {
			what = unread(name)
		}
		switch {
		case what != "":
			return nil, fault.New(fault.Input, "settings in %s: line %d: %s: %s", path, lineOf(text, name), name, what)
		case slices.Contains(secrets, name) && forOthers(info):
			return nil, fault.New(fault.Denied, "settings in %s: others can read it, and it holds %s", path, name).WithHint("chmod 600 %s", path)
		}
		_, there := lookup(name)
		if _, set := firstSet(lookup, ways.of(name)); set == "" && !(there && name == temporalKey) {
			out = append(out, name+"="+value)
		}
	}
	return out, nil
}

// temporalKey is the one variable that a file does not set either where it is set to nothing: nothing else keeps a key from a server that it is not
// meant for.
const temporalKey = "TEMPORAL_API_KEY"

// parseSettings reads the text of a settings file. The error names the line, and no value.
func parseSettings(text []byte) (map[string]any, error) {
	given := map[string]any{}
	err := toml.Unmarshal(text, &given)
	if wrong, ok := errors.AsType[toml.ParseError](err); ok {
		err = fmt.Errorf("line %d: %s", wrong.Position.Line, wrong.Message)
	}
	return given, err
}

// ways are the variables that set the same thing.
type ways struct {
	names  []string
	secret bool
}

// allWays has them for each variable.
type allWays map[string]ways

// modelSecrets are ways to log in to one model.
var modelSecrets = []string{"LONGSHIFT_ANTHROPIC_KEY", "LONGSHIFT_ANTHROPIC_TOKEN", "LONGSHIFT_CLAUDE_TOKEN"}

// waysOf finds for each variable those that set the same.
func waysOf() allWays {
	all := allWays{}
	var c Config
	var model ways
	for field, into := range c.fields() {
		name := field.Tag.Get("envconfig")
		w := ways{names: append([]string{name}, fallbacks(field.Tag)...)}
		if _, w.secret = into.Addr().Interface().(*Secret); w.secret {
			w.names = append(w.names, name+"_FILE", name+"_FD")
		}
		if slices.Contains(modelSecrets, name) {
			model = ways{append(model.names, w.names...), true}
			continue
		}
		for _, n := range w.names {
			all[n] = w
		}
	}
	for _, n := range model.names {
		all[n] = model
	}
	// Proxies are read in lower case too. HTTPS_PROXY sets more than the variable of ours that falls back on it.
	for _, n := range []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"} {
		all[n] = ways{[]string{n, strings.ToLower(n)}, all[n].secret}
	}
	return all
}

// Ways returns the variables that set the same as a variable, itself included.
func Ways(name string) []string { return waysOf().of(name) }

func (a allWays) of(name string) []string {
	if w, known := a[name]; known {
		return w.names
	}
	return []string{name}
}

// spaced are the variables whose items are separated by spaces; those of all other lists are by commas.
var spaced = []string{"LONGSHIFT_TASK_ENV", "LONGSHIFT_TASK_SECRETS"}

// secrets returns the variables of the settings file whose values are secrets: ours, those that are granted to tasks, and those of other
// programs that say so by their names. A name such as AWS_SHARED_CREDENTIALS_FILE only says where a secret is.
func (a allWays) secrets(given map[string]any, lookup Lookup) (names []string) {
	granted := listed("LONGSHIFT_TASK_SECRETS", given, lookup)
	for name := range given {
		own, known := a[name]
		elsewhere := strings.HasSuffix(name, "_FILE") || strings.HasSuffix(name, "_PATH") || strings.HasSuffix(name, "_SOCK")
		if known && own.secret || !known && (slices.Contains(granted, name) || variable.SaysSecret(name) && !elsewhere) {
			names = append(names, name)
		}
	}
	return names
}

var variableName = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// settingText returns the text that a variable would have for a value of the file, or what is wrong.
func settingText(name string, value any) (text, what string) {
	if !variableName.MatchString(name) {
		return "", "not the name of a variable; give one such as LONGSHIFT_SLOTS (see docs/configuration.md)"
	}
	switch v := value.(type) {
	case string:
		return v, ""
	case bool, int64, float64:
		return fmt.Sprint(v), ""
	case []any:
		var items []string
		for _, item := range v {
			one, ok := item.(string)
			if !ok {
				return "", fmt.Sprintf("%v is not a text; give a list of texts", item)
			}
			items = append(items, one)
		}
		if !slices.Contains(spaced, name) {
			return strings.Join(items, ","), ""
		}
		if slices.ContainsFunc(items, func(item string) bool { return strings.ContainsFunc(item, unicode.IsSpace) }) {
			return "", "an item holds a space, which would make two of it; give each variable as an item of its own"
		}
		return strings.Join(items, " "), ""
	}
	return "", "not a text, a number, true, false or a list of texts"
}
