package slack

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/excerpt"
)

// entities escapes the three characters that start mentions, links and dates.
func entities(s string) string { return toEntities.Replace(s) }

var toEntities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// literal escapes text so that Slack shows it unchanged, without mentions, emphasis or quotes.
func literal(s string, start bool) string {
	var b strings.Builder
	var last rune
	for i, r := range s {
		switch r {
		case '@':
			b.WriteRune(r)
			if calls(s[i+1:]) {
				b.WriteString(gap)
			}
		case '`', '*', '_', '~':
			next, _ := utf8.DecodeRuneInString(s[i+1:])
			if r != '`' && letter(last) && letter(next) { // Slack ignores them inside words
				b.WriteRune(r)
			} else {
				b.WriteString(gap + string(r) + gap)
			}
		case '&', '<', '>':
			if r == '>' && start && strings.TrimSpace(s[:i]) == "" {
				b.WriteString(gap) // prevents a quote
			}
			b.WriteString(entities(string(r)))
		default:
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// calls reports whether a word after "@" would notify many people, in workspaces that turn such words into mentions.
func calls(s string) bool {
	for _, w := range []string{"here", "channel", "everyone", "group"} {
		if len(s) >= len(w) && strings.EqualFold(s[:len(w)], w) {
			return true
		}
	}
	return false
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// label is the text of a link, on one line.
func label(s string) string { return entities(excerpt.OneLine(s)) }

// address returns a link's target for Slack's text format, or "" if it is not a web address.
func address(link string) string {
	if link == "" {
		return ""
	}
	u, err := url.Parse(link)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil {
		return ""
	}
	if strings.ContainsFunc(link, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return ""
	}
	return toAddress.Replace(link)
}

var toAddress = strings.NewReplacer("&", "&amp;", "<", "%3C", ">", "%3E", "|", "%7C")
