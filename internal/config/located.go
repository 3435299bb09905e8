package config

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// lineOf returns the number of the line that sets a variable, 0 for none.
func lineOf(text []byte, name string) int {
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if keyOf(line) == name {
			return n
		}
	}
	return 0
}

// keyOf returns the key, or the name of the table, that a line sets; "" for none.
func keyOf(line string) string {
	if key, _, sets := strings.Cut(line, "="); sets {
		return strings.Trim(strings.TrimSpace(key), `"'`)
	}
	return strings.Trim(strings.TrimSpace(line), "[]")
}

// located names file and line of those mistakes that come from the settings file, and returns where all of them are.
func located(mistakes []error, lookup Lookup) string {
	path, where := File(lookup), "the environment"
	text, err := os.ReadFile(path)
	if err != nil {
		return where
	}
	given, err := parseSettings(text)
	for i, m := range mistakes {
		w, ok := errors.AsType[*wrongValue](m)
		if !ok || err != nil {
			continue
		}
		used, _ := lookup(w.name)
		if said, what := settingText(w.name, given[w.name]); what == "" && said == used {
			mistakes[i] = fmt.Errorf("settings in %s: line %d: %w", path, lineOf(text, w.name), m)
			where = "the configuration"
		}
	}
	return where
}
