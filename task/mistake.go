package task

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/nearest"
)

// mistake is one mistake in a document: the field, what is wrong with its value, and a correction.
type mistake struct {
	field string
	line  int
	what  string
	way   string
}

func (m mistake) text(where string) string {
	var b strings.Builder
	if where != "" {
		b.WriteString(where + ": ")
	}
	if m.line > 0 {
		b.WriteString("line " + strconv.Itoa(m.line) + ": ")
	}
	if m.field != "" {
		b.WriteString(m.field + " ")
	}
	return b.String() + m.what
}

// asError combines all mistakes into one error, nil for none. A single mistake has its correction as the hint. With several, each line
// contains its own, because only one hint is shown.
func asError(kind fault.Kind, where string, all []mistake) error {
	switch len(all) {
	case 0:
		return nil
	case 1:
		return fault.New(kind, "%s", all[0].text(where)).WithHint("%s", all[0].way)
	}
	var list []error
	for _, m := range all[:min(len(all), mostShown)] {
		list = append(list, fault.New(kind, "%s; %s", m.text(where), m.way))
	}
	if more := len(all) - mostShown; more > 0 {
		list = append(list, fmt.Errorf("and %d more mistakes", more))
	}
	return fault.New(kind, "%w", errors.Join(list...))
}

// mostShown limits an error about somebody else's text.
const mostShown = 20

// quote quotes an untrusted value on one line of limited length.
func quote(s string) string { return strconv.Quote(excerpt.Clip(s, 60)) }

// join returns the path of a key. An unusual key is untrusted and therefore quoted.
func join(at, name string) string {
	name = excerpt.Clip(name, 60)
	if strings.Trim(name, wordBytes) != "" || name == "" {
		name = strconv.Quote(name)
	}
	if at == "" {
		return name
	}
	return at + "." + name
}

const wordBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// oneOf formats choices for people: a, b or c.
func oneOf(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

func unknownKeyHint(name string, keys []string) string {
	if best := nearest.Name(strings.ToLower(excerpt.Cut(name, 60)), keys); best != "" {
		return fmt.Sprintf("did you mean %s?", best)
	}
	return "use " + oneOf(keys)
}
