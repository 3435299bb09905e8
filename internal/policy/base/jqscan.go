package base

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// filterWords are the names in filters of jq and yq that reach beyond their input.
var filterWords = grammar.Set(`env $ENV include import strenv envsubst load load_str load_xml load_props load_base64 system
	eval get_search_list modulemeta exec open`)

// scanFilter returns the first name in a filter that reaches beyond its input, or "". It reads strings with the code inside
// them, and comments; taking text for code does no harm.
func scanFilter(text string) string {
	var depth []int // of parentheses, for each string that the scan is inside of
	paren := 0
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '(':
			paren++
			i++
		case c == '"', c == ')' && paren == 0 && len(depth) > 0:
			if c == ')' { // the code inside a string ends, and the string continues
				paren, depth = depth[len(depth)-1], depth[:len(depth)-1]
			}
			next, code := stringEnd(text, i+1)
			i = next
			if code {
				depth = append(depth, paren)
				paren = 0
			}
		case c == ')':
			paren--
			i++
		case c == '#':
			if end := strings.IndexByte(text[i:], '\n'); end >= 0 {
				i += end
			} else {
				i = len(text)
			}
		case isNameByte(c) || c == '$':
			start := i
			for i++; i < len(text) && (isNameByte(text[i]) || text[i] >= '0' && text[i] <= '9'); i++ {
			}
			if name := text[start:i]; filterWords[name] && !isField(text, start, i) {
				return name
			}
		default:
			i++
		}
	}
	return ""
}

// isField reports whether a name is that of a field: .env, {env: 1}, {"a": 1, env: 2}.
func isField(text string, start, end int) bool {
	if start > 0 && text[start-1] == '.' && (start < 2 || text[start-2] != '.') && text[start] != '$' {
		return true
	}
	before := strings.TrimRight(text[:start], " \t\n")
	after := strings.TrimLeft(text[end:], " \t\n")
	return text[start] != '$' && strings.HasPrefix(after, ":") && (strings.HasSuffix(before, "{") || strings.HasSuffix(before, ","))
}

// stringEnd returns the index after a string that continues at i, and whether code begins there.
func stringEnd(text string, i int) (int, bool) {
	for ; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i + 1, false
		case '\\':
			if i+1 < len(text) && text[i+1] == '(' {
				return i + 2, true
			}
			i++
		}
	}
	return len(text), false
}

func isNameByte(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
