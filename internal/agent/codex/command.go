package codex

import (
	"slices"
	"strings"
)

// shells are those that the binary runs commands with by itself.
var shells = []string{"/bin/bash", "/usr/bin/bash", "/bin/sh", "/usr/bin/sh"}

// script is the command as the model has written it. The binary tells it with its shell, as one line of quoted words. What does not look so
// is returned as it is, and judged with whatever runs it.
func script(command string) string {
	if words := split(command); len(words) == 3 && slices.Contains(shells, words[0]) && words[1] == "-c" {
		return words[2]
	}
	return command
}

// hidden stands for what the binary takes for a secret where it tells of a command. Its question has the command as it is.
const hidden = "[REDACTED_SECRET]"

// hides tells whether what was told is the command, but for what is hidden. Where a token is, the case and the space before it may differ.
func hides(told, command string) bool {
	parts := strings.Split(strings.ToLower(told), strings.ToLower(hidden))
	if len(parts) == 1 {
		return told == command
	}
	command = strings.ToLower(command)
	rest, last := command, parts[len(parts)-1]
	for _, part := range parts {
		part = strings.TrimSpace(part)
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return strings.HasPrefix(command, strings.TrimSpace(parts[0])) && strings.HasSuffix(command, last)
}

// plain are the characters of words without quotes.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-./:=@_,]%^"

// split takes a line of quoted words apart. It returns nil for a line in which a shell would do more than remove quotes.
func split(line string) []string {
	var words []string
	for rest := line; rest != ""; {
		word, after, ok := cutWord(rest)
		if !ok {
			return nil
		}
		words = append(words, word)
		if rest = strings.TrimPrefix(after, " "); rest == after && after != "" {
			return nil
		}
	}
	return words
}

// cutWord reads one word, which may be quoted in parts.
func cutWord(s string) (word, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == ' ':
			return b.String(), s[i:], true
		case c == '\'':
			end := strings.IndexByte(s[i+1:], '\'')
			if end < 0 {
				return "", "", false
			}
			b.WriteString(s[i+1 : i+1+end])
			i += end + 2
		case c == '"':
			n := readQuoted(&b, s[i+1:])
			if n < 0 {
				return "", "", false
			}
			i += n + 2
		case strings.IndexByte(plain, c) >= 0:
			b.WriteByte(c)
			i++
		default:
			return "", "", false
		}
	}
	return b.String(), "", true
}

// readQuoted reads up to a closing double quote, which it does not count. It returns -1 where a shell would expand something.
func readQuoted(b *strings.Builder, s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			return i
		case '$', '`':
			return -1
		case '\\':
			if i++; i >= len(s) || strings.IndexByte("$`\"\\", s[i]) < 0 {
				return -1
			}
		}
		b.WriteByte(s[i])
	}
	return -1
}
