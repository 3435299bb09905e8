package channel

import (
	"net/url"
	"strings"
	"unicode"
)

// maxLink is the length of the longest address, in bytes.
const maxLink = 2000

// web gives an address in its plain form, or nothing if it is none that people may be led to: other schemes run programs, and a
// user's name in front of a host looks like a host.
func web(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxLink || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || hidden(r) || r == unicode.ReplacementChar }) {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil {
		return ""
	}
	plain := u.String()
	if len(plain) > maxLink || strings.ContainsAny(plain, "<>|\"`\\{}^ ") {
		return ""
	}
	return plain
}

// looksLikeAddress tells whether people would take a link's words for the address behind it.
func looksLikeAddress(words string) bool {
	words = strings.TrimSpace(words)
	return !strings.ContainsAny(words, " \n") && (strings.Contains(words, "://") || strings.HasPrefix(words, "www."))
}

// sameAddress tells whether words are an address, but for the scheme and a slash at the end.
func sameAddress(words, link string) bool {
	bare := func(s string) string {
		s = strings.TrimSuffix(strings.TrimSpace(s), "/")
		if _, rest, ok := strings.Cut(s, "://"); ok {
			s = rest
		}
		return strings.ToLower(s)
	}
	return bare(words) == bare(link)
}
