package claude

import (
	"bytes"
	"errors"
)

var errNotJSON = errors.New("not a JSON value of the expected kind")

// eachField visits the fields of a JSON object without decoding their values. It does not validate values that nobody decodes: most of
// the stream is text that we pass on or drop, and full validation takes ten times as long.
func eachField(data []byte, f func(key, value []byte)) error {
	i := space(data, 0)
	if i >= len(data) || data[i] != '{' {
		return errNotJSON
	}
	if i = space(data, i+1); i < len(data) && data[i] == '}' {
		return nil
	}
	for {
		start := i
		i = skipString(data, i)
		if i < 0 {
			return errNotJSON
		}
		key := data[start+1 : i-1]
		if i = space(data, i); i >= len(data) || data[i] != ':' {
			return errNotJSON
		}
		start = space(data, i+1)
		if i = skipValue(data, start); i < 0 {
			return errNotJSON
		}
		f(key, data[start:i])
		if i = space(data, i); i >= len(data) {
			return errNotJSON
		}
		switch data[i] {
		case '}':
			return nil
		case ',':
			i = space(data, i+1)
		default:
			return errNotJSON
		}
	}
}

// eachElement visits the elements of a JSON array without decoding them.
func eachElement(data []byte, f func(value []byte)) error {
	i := space(data, 0)
	if i >= len(data) || data[i] != '[' {
		return errNotJSON
	}
	if i = space(data, i+1); i < len(data) && data[i] == ']' {
		return nil
	}
	for {
		start := i
		if i = skipValue(data, i); i < 0 {
			return errNotJSON
		}
		f(data[start:i])
		if i = space(data, i); i >= len(data) {
			return errNotJSON
		}
		switch data[i] {
		case ']':
			return nil
		case ',':
			i = space(data, i+1)
		default:
			return errNotJSON
		}
	}
}

func space(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}

// skipValue returns the index after the value at i, or -1.
func skipValue(data []byte, i int) int {
	if i >= len(data) {
		return -1
	}
	switch data[i] {
	case '"':
		return skipString(data, i)
	case '{', '[':
		return skipNested(data, i)
	}
	start := i
	for i < len(data) && data[i] != ',' && data[i] != '}' && data[i] != ']' && data[i] > ' ' {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

func skipNested(data []byte, i int) int {
	for depth := 0; i < len(data); {
		switch data[i] {
		case '"':
			if i = skipString(data, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

// skipString returns the index after the string at i, or -1.
func skipString(data []byte, i int) int {
	if i >= len(data) || data[i] != '"' {
		return -1
	}
	for i++; ; {
		n := bytes.IndexByte(data[i:], '"')
		if n < 0 {
			return -1
		}
		i += n + 1
		back := 0
		for data[i-2-back] == '\\' {
			back++
		}
		if back%2 == 0 {
			return i
		}
	}
}
