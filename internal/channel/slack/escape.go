package slack

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/excerpt"
)

// entities writes the three signs that Slack reads as its own. Without them no mention, link or date can begin.
func entities(s string) string { return toEntities.Replace(s) }

var toEntities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// literal writes text so that Slack shows it as it is: no mention, no emphasis, no quote.
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
			if r != '`' && letter(last) && letter(next) { // inside a word Slack leaves them alone
				b.WriteRune(r)
			} else {
				b.WriteString(gap + string(r) + gap)
			}
		case '&', '<', '>':
			if r == '>' && start && strings.TrimSpace(s[:i]) == "" {
				b.WriteString(gap) // no quote
			}
			b.WriteString(entities(string(r)))
		default:
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// calls tells whether a word behind an "@" would call many people, where a workspace turns such words into mentions.
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

// address gives a link's target as it may stand in Slack's text, or nothing for what is no web address.
func address(link string) string {
	u, err := url.Parse(link)
	if link == "" || err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil {
		return ""
	}
	if strings.ContainsFunc(link, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return ""
	}
	return toAddress.Replace(link)
}

var toAddress = strings.NewReplacer("&", "&amp;", "<", "%3C", ">", "%3E", "|", "%7C")
