package redact

import (
	"bytes"
	"slices"
	"strconv"
)

// place is the range of a letter of squeezed text in the original.
type place struct{ start, end int32 }

// What a byte means to unescape.
const (
	drop uint8 = iota
	keep
	special // may begin an escape
)

var (
	letter [256]uint8 // 1 for ASCII letters and digits
	class  [256]uint8
)

func init() {
	for c := range letter {
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			letter[c], class[c] = 1, keep
		}
	}
	for _, c := range "\\%&0\x1b" {
		class[c] = special
	}
}

// squeeze keeps the letters and digits of text, which removes any separators put into a value. It reuses the memory of
// dst.
func squeeze(dst, text []byte) []byte {
	dst = slices.Grow(dst[:0], len(text))[:len(text)]
	n := 0
	for _, c := range text {
		dst[n] = c
		n += int(letter[c])
	}
	return dst[:n]
}

// squeezePlaces is squeeze with the position of each letter.
func squeezePlaces(dst []byte, places []place, text []byte) ([]byte, []place) {
	dst, places = dst[:0], places[:0]
	for i, c := range text {
		if letter[c] == 1 {
			dst, places = append(dst, c), append(places, place{int32(i), int32(i + 1)})
		}
	}
	return dst, places
}

// escapeStarts are how the escapes that unescape decodes begin.
var escapeStarts = [][]byte{[]byte(`\`), {0x1b}, []byte("%"), []byte("&#"), []byte("0x")}

// escaped reports whether unescape could differ from squeeze.
func escaped(text []byte) bool {
	return slices.ContainsFunc(escapeStarts, func(begin []byte) bool { return bytes.Contains(text, begin) })
}

// unescape is squeeze for text with escapes. It decodes \u0041, \x41, \101, %41 and &#65; at any depth of escaping, and
// skips \n and the like, 0x before digits, and terminal colors. It returns positions if locate is set.
func unescape(dst []byte, places []place, text []byte, located bool) ([]byte, []place) {
	dst, places = slices.Grow(dst[:0], len(text)), places[:0]
	for i := 0; i < len(text); {
		c, width := text[i], 1
		is := class[c]
		if is == special {
			c, width = escape(text[i:], i > 0 && letter[text[i-1]] == 1)
			is = letter[c]
		}
		if is == keep {
			dst = append(dst, c)
			if located {
				places = append(places, place{int32(i), int32(i + width)})
			}
		}
		i += width
	}
	return dst, places
}

// escape decodes what begins with a special byte. It returns c = 0 for characters to skip.
func escape(text []byte, afterLetter bool) (c byte, width int) {
	switch text[0] {
	case '\\':
		return backslash(text)
	case '%':
		at := 1
		for at+4 <= len(text) && string(text[at:at+2]) == "25" && isHex(text[at+2]) && isHex(text[at+3]) {
			at += 2 // a percent sign that was itself escaped
		}
		return code(text, at, 2, 16)
	case '&':
		if len(text) > 3 && text[1] == '#' {
			return reference(text)
		}
	case 0x1b:
		at := 1
		for at < len(text) && (text[at] == '[' && at == 1 || text[at] >= '0' && text[at] <= '?' && at > 1) {
			at++
		}
		return 0, min(at+1, len(text))
	case '0':
		if afterLetter || len(text) < 4 || text[1]|0x20 != 'x' || !isHex(text[2]) || !isHex(text[3]) {
			return '0', 1
		}
		return 0, 2
	}
	return 0, 1
}

// backslash decodes an escape of JSON, Go, C or a shell. Text that was escaped repeatedly has several backslashes.
func backslash(text []byte) (c byte, width int) {
	at := 1
	for at < len(text) && text[at] == '\\' {
		at++
	}
	if at == len(text) {
		return 0, at
	}
	switch text[at] {
	case 'n', 'r', 't':
		return 0, at + 1
	case 'x':
		c, width = code(text, at+1, 2, 16)
	case 'u':
		if at+3 < len(text) && text[at+1] == '{' {
			if end := bytes.IndexByte(text[at:min(len(text), at+10)], '}'); end > 0 {
				return number(text[at+2:at+end], 16), at + end + 1
			}
		}
		c, width = code(text, at+1, 4, 16)
	case '0', '1':
		c, width = code(text, at, 3, 8)
	}
	return c, max(width, at) // skip all backslashes at once; one by one they would be scanned again and again
}

// code decodes a number of so many digits. Without them, what precedes is skipped.
func code(text []byte, at, digits, base int) (c byte, width int) {
	if at+digits <= len(text) {
		if n, err := strconv.ParseUint(string(text[at:at+digits]), base, 32); err == nil {
			return ascii(n), at + digits
		}
	}
	return 0, 1
}

// reference decodes &#65; and &#x41;.
func reference(text []byte) (c byte, width int) {
	end := bytes.IndexByte(text[:min(len(text), 10)], ';')
	if end < 3 {
		return 0, 1
	}
	if text[2]|0x20 == 'x' {
		return number(text[3:end], 16), end + 1
	}
	return number(text[2:end], 10), end + 1
}

func number(digits []byte, base int) byte {
	n, err := strconv.ParseUint(string(digits), base, 32)
	if err != nil {
		return 0
	}
	return ascii(n)
}

func ascii(n uint64) byte {
	if n > 127 {
		return 0
	}
	return byte(n)
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }
