package redact

import "strings"

// standsAlone reports whether a folder's path in text is one: /data in "/data/x" and "-I/data", and not in "src/data", "/data.json" or "/database".
func standsAlone(text []byte, start, end int) bool {
	return !continues(text, end) && !continued(text, start)
}

// continues reports whether the name that ends here goes on.
func continues(text []byte, end int) bool {
	if end == len(text) {
		return false
	}
	c := text[end]
	return letter[c] == 1 || c == '_' || c == '-' || c == '.' && end+1 < len(text) && letter[text[end+1]] == 1
}

// beforePath are the characters, beside letters and digits, that the part of a path or of a pattern before a slash may end with.
const beforePath = "_-.~*})]"

// continued reports whether the path that begins here is the rest of a longer one.
func continued(text []byte, start int) bool {
	if start == 0 {
		return false
	}
	c := text[start-1]
	switch {
	case c == '/': // in a URL, the first name is that of a host
		return start >= 2 && text[start-2] == ':'
	case letter[c] == 1 && (!follows(text, start) || coloured(text, start)):
		return false
	case letter[c] == 0 && strings.IndexByte(beforePath, c) < 0:
		return false
	}
	first := start
	for first > 0 && (letter[text[first-1]] == 1 || strings.IndexByte(beforePath, text[first-1]) >= 0) {
		first--
	}
	return text[first] != '-' // as in -I/usr/include
}

// coloured reports whether a terminal's control sequence ends here.
func coloured(text []byte, end int) bool {
	at := end - 1
	for at > 0 && (text[at-1] >= '0' && text[at-1] <= '9' || text[at-1] == ';') {
		at--
	}
	return at >= 2 && text[at-1] == '[' && text[at-2] == 0x1b
}
