package cli

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// linesOf are the lines of a result, or of arguments, for people. Of a JSON object it is what is short, on one line, and then its longer
// texts and its lists, by their names where there are several.
func (t *replayText) linesOf(text string) (lines []string) {
	var all map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&all) != nil || all == nil {
		return strings.Split(strings.TrimRight(text, "\n"), "\n")
	}
	delete(all, "success") // the mark says it
	var short, long []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if value := t.wordOf(all[name]); value == "" {
			continue
		} else if len(value) < 60 && !strings.Contains(value, "\n") {
			short = append(short, t.clean(name)+" "+value)
		} else {
			long = append(long, name)
		}
	}
	if len(short) > 0 {
		lines = append(lines, strings.Join(short, ", "))
	}
	for _, name := range long {
		if len(long) > 1 {
			lines = append(lines, t.clean(name)+":")
		}
		list, ok := all[name].([]any)
		if !ok {
			list = []any{all[name]}
		}
		for _, item := range list {
			lines = append(lines, strings.Split(strings.TrimRight(t.wordOf(item), "\n"), "\n")...)
		}
	}
	return lines
}

// wordOf is a text itself, and any other JSON value as JSON. A text in JSON may hold what the JSON did not show.
func (t *replayText) wordOf(value any) string {
	if s, ok := value.(string); ok {
		return t.clean(s)
	}
	return t.clean(string(asJSON(value)))
}
