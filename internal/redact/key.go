package redact

import (
	"bytes"
	"slices"
)

const (
	keyBegin = "-----BEGIN "
	keyEnd   = "-----END "
	dashes   = "-----"
)

// keySpan returns the end of a private key whose first line starts at 0 and whose begin marker ends at after. Keys may
// span lines, use \n in one line, or consist of quoted lines in source code.
func keySpan(text []byte, after int) (end int) {
	text = text[:min(len(text), leastReach)]
	line := after + lineLength(text[after:])
	if n := keyEnds(text[after:line]); n > 0 {
		return after + n
	}
	if !keyBody(text[after:line]) {
		for end = after; end < line && inKey(text[end]); {
			end++
		}
		if end < line && text[end] == '"' { // whose escapes stay with it, so that JSON stays valid
			end = after + len(bytes.TrimRight(text[after:end], `\`))
		}
		return end
	}
	for end = line; end < len(text); {
		next := end + 1 + lineLength(text[end+1:])
		if n := keyEnds(text[end+1 : next]); n > 0 {
			return end + 1 + n
		}
		if !keyBody(text[end+1 : next]) {
			break
		}
		end = next
	}
	return end
}

// keyOpen reports whether text, which consists of whole lines, ends inside a private key.
func keyOpen(text []byte) bool {
	at := bytes.LastIndex(text, []byte(keyBegin))
	if at < 0 {
		return false
	}
	m := privateKey.FindIndex(text[at:])
	text = bytes.TrimSuffix(text[at:], []byte("\n"))
	return m != nil && m[1] <= len(text) && keySpan(text, m[1]) == len(text) && !bytes.Contains(text, []byte(keyEnd))
}

// keyEnds returns where a key's end marker ends in a line, or 0.
func keyEnds(line []byte) int {
	at := bytes.Index(line, []byte(keyEnd))
	if at < 0 {
		return 0
	}
	at += len(keyEnd)
	if n := bytes.Index(line[at:], []byte(dashes)); n >= 0 {
		return at + n + len(dashes)
	}
	return len(line)
}

// keyBody reports whether a line can be part of a key: base64 with surrounding code, a header, or empty.
func keyBody(line []byte) bool {
	line = bytes.Trim(line, " \t\r\"'`+,;")
	if name, _, ok := bytes.Cut(line, []byte(": ")); ok && len(name) < 20 && !bytes.ContainsAny(name, " ={[\"") {
		return true
	}
	return !slices.ContainsFunc(line, func(c byte) bool { return !inKey(c) })
}

func inKey(c byte) bool {
	return letter[c] == 1 || c == '+' || c == '/' || c == '=' || c == '\\'
}

func lineLength(text []byte) int {
	if n := bytes.IndexByte(text, '\n'); n >= 0 {
		return n
	}
	return len(text)
}
