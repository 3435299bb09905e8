package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Limits of a body. The JSON of an agent's longest conversation has some ten thousand values, nested seven or eight
// deep.
const (
	maxDepth  = 100
	maxValues = 500_000
)

// value is a JSON value: nil, bool, json.Number with its original digits, string, []value or *dict.
type value = any

// dict is a JSON object that keeps the order of its members. Keys are unique.
type dict struct{ members []member }

type member struct {
	key   string
	value value
}

func (d *dict) get(key string) value {
	for _, m := range d.members {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// set replaces a member, or adds it at the end.
func (d *dict) set(key string, v value) {
	for i := range d.members {
		if d.members[i].key == key {
			d.members[i].value = v
			return
		}
	}
	d.members = append(d.members, member{key, v})
}

// decodeJSON parses a body strictly: it refuses JSON that two parsers could read differently. All decisions are made on
// the result, and the result is what is sent on; see encodeJSON.
func decodeJSON(body []byte) (value, error) {
	if !utf8.Valid(body) || !json.Valid(body) {
		return nil, errNotJSON
	}
	r := reader{tokens: json.NewDecoder(bytes.NewReader(body)), left: maxValues}
	r.tokens.UseNumber()
	return r.value(maxDepth)
}

// reader parses a text that is already known to be valid JSON.
type reader struct {
	tokens *json.Decoder
	left   int // how many more values are allowed
}

func (r *reader) value(depth int) (value, error) {
	if r.left--; r.left < 0 {
		return nil, fmt.Errorf("%w: it has more than %d values", errNotJSON, maxValues)
	}
	token, err := r.tokens.Token()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotJSON, err)
	}
	open, compound := token.(json.Delim)
	switch {
	case !compound:
		return token, nil
	case depth == 0:
		return nil, fmt.Errorf("%w: it is nested more than %d deep", errNotJSON, maxDepth)
	case open == '[':
		return r.list(depth - 1)
	}
	return r.dict(depth - 1)
}

func (r *reader) list(depth int) (value, error) {
	list := []value{}
	for r.tokens.More() {
		v, err := r.value(depth)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := r.tokens.Token()
	return list, err
}

// many is the number of members from which duplicate keys are looked up in a map.
const many = 16

func (r *reader) dict(depth int) (value, error) {
	d := &dict{}
	var seen map[string]bool
	for r.tokens.More() {
		token, err := r.tokens.Token()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errNotJSON, err)
		}
		key := token.(string) // the text is JSON, so it is one
		if seen == nil && len(d.members) == many {
			seen = make(map[string]bool, 4*many)
			for _, m := range d.members {
				seen[m.key] = true
			}
		}
		if seen[key] || seen == nil && d.has(key) {
			return nil, fmt.Errorf("%w: the key %s is in one object twice", errNotJSON, shown(key))
		}
		if seen != nil {
			seen[key] = true
		}
		v, err := r.value(depth)
		if err != nil {
			return nil, err
		}
		d.members = append(d.members, member{key, v})
	}
	_, err := r.tokens.Token()
	return d, err
}

func (d *dict) has(key string) bool {
	return slices.ContainsFunc(d.members, func(m member) bool { return m.key == key })
}
