package slack

import "strings"

// decode gives what somebody wrote as plain text: Slack's signs for people, channels, links and dates become the words that people
// see, and only then its three entities become signs, so that nobody can write a sign of Slack's own.
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

// reference reads what stands between the angle brackets.
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
			return words // an address as it was typed, without the scheme
		}
		return target
	}
	return words + " (" + target + ")"
}

func unescape(s string) string { return fromEntities.Replace(s) }

var fromEntities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// mentions tells whether a text names a user.
func mentions(text, user string) bool {
	return user != "" && (strings.Contains(text, "<@"+user+">") || strings.Contains(text, "<@"+user+"|"))
}

// withoutMention takes the mentions of a user off the beginning of a text.
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
