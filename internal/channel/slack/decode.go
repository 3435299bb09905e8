package slack

import "strings"

// decode returns plain text: references to users, channels, links and dates become the text that people see. Entities
// are decoded last, so that nobody can forge a reference.
func decode(s string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "<")
		b.WriteString(unescape(before))
		if !ok {
			return strings.TrimSpace(b.String())
		}
		inside, after, closed := strings.Cut(rest, ">")
		if !closed {
			return strings.TrimSpace(b.String() + "<" + unescape(rest))
		}
		b.WriteString(unescape(reference(inside)))
		s = after
	}
}

// reference decodes the content of angle brackets.
func reference(s string) string {
	target, words, named := strings.Cut(s, "|")
	switch {
	case strings.HasPrefix(target, "@"), strings.HasPrefix(target, "#"):
		if named && words != "" {
			return target[:1] + strings.TrimPrefix(words, target[:1])
		}
		return target
	case strings.HasPrefix(target, "!"):
		if named && words != "" {
			return words
		}
		name, _, _ := strings.Cut(target[1:], "^")
		return "@" + name
	case !named || words == "" || strings.HasSuffix(strings.TrimSuffix(target, "/"), strings.TrimSuffix(words, "/")):
		if named && words != "" {
			return words // an address typed without the scheme
		}
		return target
	}
	return words + " (" + target + ")"
}

func unescape(s string) string { return fromEntities.Replace(s) }

var fromEntities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// mentions reports whether a text mentions a user.
func mentions(text, user string) bool {
	return user != "" && (strings.Contains(text, "<@"+user+">") || strings.Contains(text, "<@"+user+"|"))
}

// withoutMention removes leading mentions of a user.
func withoutMention(text, user string) string {
	for {
		text = strings.TrimSpace(text)
		rest, ok := strings.CutPrefix(text, "<@"+user)
		if !ok || user == "" || rest == "" || (rest[0] != '>' && rest[0] != '|') {
			return text
		}
		_, after, closed := strings.Cut(rest, ">")
		if !closed {
			return text
		}
		text = strings.TrimLeft(after, ":, ")
	}
}
