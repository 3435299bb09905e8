package gateway

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A shape describes the allowed form of a value in a request. Anything not described is refused.
type shape interface {
	check(r *review, v value) error
}

// review is the state of checking one request.
type review struct {
	pass   map[string]bool // names that the operator allows
	tools  []string        // granted tools that the session may use
	tokens int64           // of input beyond what the size of the body bounds
	usual  int64           // what these tokens usually are
	uses   int64           // upper bound of uses of vendor-run tools
	pixels int64           // bytes of the body that are images, whose tokens do not depend on them
}

// text, number, integer and yesNo accept scalars. anything accepts any value, for parts that only the model reads.
var (
	text     = scalar{"text", func(v value) bool { _, ok := v.(string); return ok }}
	number   = scalar{"a plain number", func(v value) bool { return plain(v, true) }}
	integer  = scalar{"a whole number", func(v value) bool { return plain(v, false) }}
	yesNo    = scalar{"true or false", func(v value) bool { _, ok := v.(bool); return ok }}
	anything = scalar{"anything", func(value) bool { return true }}
)

type scalar struct {
	what string
	is   func(value) bool
}

func (s scalar) check(_ *review, v value) error {
	if !s.is(v) {
		return refuse("is not %s", s.what)
	}
	return nil
}

// plain reports whether all parsers read a number the same way: no sign, no exponent, and no more digits than a float
// holds.
func plain(v value, fraction bool) bool {
	n, ok := v.(json.Number)
	whole, part, cut := strings.Cut(string(n), ".")
	_, err := strconv.ParseUint(whole, 10, 53)
	return ok && err == nil && (!cut || fraction && len(part) <= 15 && strings.Trim(part, "0123456789") == "")
}

// words accepts the listed strings only.
type words []string

func (w words) check(_ *review, v value) error {
	if s, ok := v.(string); !ok || !slices.Contains(w, s) {
		return refuse("is none of %s", strings.Join(w, ", "))
	}
	return nil
}

// list accepts a list of values of one shape.
type list struct{ of shape }

func (l list) check(r *review, v value) error {
	items, ok := v.([]value)
	if !ok {
		return refuse("is not a list")
	}
	for i, item := range items {
		if err := l.of.check(r, item); err != nil {
			return within(strconv.Itoa(i), err)
		}
	}
	return nil
}

// textOr accepts a string as a short form of the long shape.
type textOr struct{ long shape }

func (t textOr) check(r *review, v value) error {
	if _, short := v.(string); short {
		return nil
	}
	return t.long.check(r, v)
}

// record accepts an object with these keys only.
type record struct {
	keys   map[string]shape
	name   string // of its kind, in LONGSHIFT_GATEWAY_PASS; "" for the body itself
	tokens int64  // of input that it may cost beyond its size
	usual  int64  // what these tokens usually are
}

func (o record) check(r *review, v value) error {
	d, ok := v.(*dict)
	if !ok {
		return refuse("is not an object")
	}
	r.tokens += o.tokens
	r.usual += o.usual
	for _, m := range d.members {
		s, listed := o.keys[m.key]
		switch name := strings.TrimPrefix(o.name+"."+m.key, "."); {
		case r.pass[name]:
		case !listed:
			return within(m.key, unlisted("is a key that", name))
		case m.value == nil: // null is the same as a missing key
		default:
			if err := s.check(r, m.value); err != nil {
				return within(m.key, err)
			}
		}
	}
	return nil
}

// picture accepts an image. Its data costs by its size in pixels, which the API limits, and not by its bytes.
type picture struct{ shape }

func (p picture) check(r *review, v value) error {
	if err := p.shape.check(r, v); err != nil {
		return err
	}
	source, _ := v.(*dict).get("source").(*dict)
	if source == nil || source.get("type") != "base64" {
		return nil
	}
	data, _ := source.get("data").(string)
	r.pixels += int64(len(data))
	return nil
}

// variants accepts an object whose type determines its keys.
type variants struct {
	name string           // of their kind, in LONGSHIFT_GATEWAY_PASS
	by   map[string]shape // by type, where a star matches a trailing date; "" is for objects without a type
}

func (u variants) check(r *review, v value) error {
	d, ok := v.(*dict)
	if !ok {
		return refuse("is not an object")
	}
	kind, ok := d.get("type").(string)
	if !ok && d.get("type") != nil {
		return refuse("has a type that is not text")
	}
	s, listed := u.by[kind]
	if !listed {
		s, listed = u.by[undated(kind)]
	}
	name := u.name + ":" + kind
	switch {
	case r.pass[name]:
		return nil
	case !listed:
		return unlisted("has the "+u.name+" type "+shown(kind)+", which", name)
	}
	return s.check(r, v)
}

// undated replaces the date at the end of a type such as bash_20250124 with a star.
func undated(kind string) string {
	if i := len(kind) - 8; i > 0 && kind[i-1] == '_' && strings.Trim(kind[i:], "0123456789") == "" {
		return kind[:i] + "*"
	}
	return kind
}

// typed builds variants from records, and adds the key "type" to each.
func typed(name string, by map[string]record) variants {
	u := variants{name, map[string]shape{}}
	for kind, o := range by {
		o.name, o.keys = name, maps.Clone(o.keys)
		o.keys["type"] = text
		u.by[kind] = o
	}
	return u
}
