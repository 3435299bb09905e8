package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
)

// kind is the type of an argument.
type kind string

const (
	stringArg kind = "a string"
	numberArg kind = "a whole number"
	flagArg   kind = "true or false"
)

// param is an argument that a tool takes.
type param struct {
	name     string
	kind     kind
	required bool
}

// arguments are those of one call, of the types that the tool's parameters say. What was left out is the zero value.
type arguments struct {
	texts   map[string]string
	numbers map[string]int
	flags   map[string]bool
}

// decode is strict, and the only one that reads arguments: what Path tells the policy is what Do works on.
func decode(tool string, raw json.RawMessage) (*entry, arguments, error) {
	a := arguments{map[string]string{}, map[string]int{}, map[string]bool{}}
	t := byName(tool)
	if t == nil {
		return nil, a, fmt.Errorf("there is no file tool %q; there are %s", excerpt.Line(tool, 60), strings.Join(names(), ", "))
	}
	if len(raw) > argumentBytes {
		return nil, a, fmt.Errorf("the arguments are %d bytes, more than %d; make several smaller calls", len(raw), argumentBytes)
	}
	fields := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(raw)) > 0 {
		if err := json.Unmarshal(raw, &fields); err != nil {
			return nil, a, fmt.Errorf("the arguments %q are not one JSON object (%v); call %s with, for example, %s",
				excerpt.Line(string(raw), 80), err, t.name, t.example)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if err := a.set(t, name, fields[name]); err != nil {
			return nil, a, fmt.Errorf("%w; call %s with, for example, %s", err, t.name, t.example)
		}
	}
	for _, p := range t.params {
		if _, ok := fields[p.name]; p.required && !ok {
			return nil, a, fmt.Errorf("the argument %q is missing; call %s with, for example, %s", p.name, t.name, t.example)
		}
	}
	return t, a, nil
}

func (a arguments) set(t *entry, name string, raw json.RawMessage) error {
	i := slices.IndexFunc(t.params, func(p param) bool { return p.name == name })
	if i < 0 {
		return fmt.Errorf("unknown argument %q = %s", excerpt.Line(name, 60), excerpt.Line(string(raw), 80))
	}
	p := t.params[i]
	if string(raw) == "null" && !p.required {
		return nil
	}
	var value any
	_ = json.Unmarshal(raw, &value) // it is part of what has been decoded
	ok := false
	switch p.kind {
	case stringArg:
		a.texts[name], ok = value.(string)
	case numberArg:
		a.numbers[name], ok = whole(value)
	case flagArg:
		a.flags[name], ok = truth(value)
	}
	if !ok {
		return fmt.Errorf("the argument %q is %s, not %s", name, excerpt.Line(string(raw), 80), p.kind)
	}
	return nil
}

// whole accepts numbers in quotes too, as some models write them.
func whole(value any) (int, bool) {
	switch v := value.(type) {
	case float64:
		return int(v), v == math.Trunc(v) && math.Abs(v) < 1<<53
	case string:
		n, err := strconv.Atoi(strings.TrimSpace(v))
		return n, err == nil
	}
	return 0, false
}

func truth(value any) (bool, bool) {
	switch v := value.(type) {
	case bool:
		return v, true
	case string:
		return v == "true", v == "true" || v == "false"
	}
	return false, false
}
