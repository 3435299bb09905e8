package claude

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// text decodes a JSON string. Anything else, null included, is "". Invalid escapes are kept as they are. Messages are mostly text, and
// encoding/json scans each byte three times.
func text(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	in := raw[1 : len(raw)-1]
	var out []byte
	for {
		i := bytes.IndexByte(in, '\\')
		if i < 0 || i+1 >= len(in) {
			break
		}
		if out == nil {
			out = make([]byte, 0, len(in))
		}
		out = append(out, in[:i]...)
		out, in = unescape(out, in[i:])
	}
	if out == nil {
		return valid(string(in))
	}
	return valid(string(append(out, in...)))
}

func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s)) // U+FFFD for each invalid byte, as in encoding/json
}

// unescape decodes the escape sequence at the start of in and returns the rest of in.
func unescape(out, in []byte) (decoded, rest []byte) {
	switch c := in[1]; c {
	case 'n':
		return append(out, '\n'), in[2:]
	case 't':
		return append(out, '\t'), in[2:]
	case 'r':
		return append(out, '\r'), in[2:]
	case 'b':
		return append(out, '\b'), in[2:]
	case 'f':
		return append(out, '\f'), in[2:]
	case 'u':
		r, n := codePoint(in)
		return utf8.AppendRune(out, r), in[n:]
	default: // quote, backslash, slash
		return append(out, c), in[2:]
	}
}

// codePoint decodes \uXXXX, or a surrogate pair of two, and returns the length of the escape.
func codePoint(in []byte) (rune, int) {
	hex := func(b []byte) rune {
		if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
			return -1
		}
		n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
		if err != nil {
			return -1
		}
		return rune(n)
	}
	r := hex(in)
	if r < 0 {
		return utf8.RuneError, 2
	}
	if utf16.IsSurrogate(r) {
		if pair := utf16.DecodeRune(r, hex(in[6:])); pair != utf8.RuneError {
			return pair, 12
		}
		return utf8.RuneError, 6
	}
	return r, 6
}

// shortText is text cut to about max bytes before decoding, because tool results can be megabytes long.
func shortText(raw []byte, max int) string {
	if len(raw) < 2 || raw[0] != '"' || len(raw)-2 <= max {
		return text(raw)
	}
	end := 1
	for end <= max {
		step := 1
		if raw[end] == '\\' {
			if step = 2; raw[end+1] == 'u' {
				step = 6
			}
		}
		if end+step >= len(raw) {
			break
		}
		end += step
	}
	for end > 1 && !utf8.RuneStart(raw[end]) {
		end--
	}
	return text(append(append([]byte{}, raw[:end]...), '"')) + "…"
}

// isTrue and isNull compare with the two literals that matter.
func isTrue(raw []byte) bool { return string(raw) == "true" }
func isNull(raw []byte) bool { return len(raw) == 0 || string(raw) == "null" }
