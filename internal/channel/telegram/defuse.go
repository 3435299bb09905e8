package telegram

import (
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Telegram detects references in text regardless of entities: "@name" notifies a person, "/name" is a command that one
// tap sends to every bot in the chat, and "tg://" and "t.me/…" open the app, where they can start bots and join chats.
// Texts contain what anybody has written in an issue, so an invisible word joiner is inserted into such references.
// Other invisible characters do not work: Telegram accepts the zero-width joiner as part of an address. The joiner is
// inserted character by character, because "@" and the name may be in different spans. Code needs none: Telegram detects
// nothing there, and people copy it.
const joiner = '\u2060'

// longestTail is how many characters the rules below look back.
const longestTail = 24

// plain writes text with joiners in all references.
func (w *writer) plain(s string) {
	for _, r := range s {
		if w.live(r) {
			w.rune(joiner)
		}
		w.rune(r)
	}
}

// apart inserts a joiner if the text so far and what follows would form a reference.
func (w *writer) apart(next string) {
	if r, _ := utf8.DecodeRuneInString(next); next != "" && w.live(r) {
		w.rune(joiner)
	}
}

var (
	scheme   = regexp.MustCompile(`(?i)([a-z][a-z0-9+.-]*):/$`)
	ownHosts = regexp.MustCompile(`(?i)(^|[^a-z0-9_-])(t|tx|telegram|telesco)\.$`)
)

// live reports whether the tail and r would form a reference.
func (w *writer) live(r rune) bool {
	n := len(w.tail)
	if n == 0 {
		return false
	}
	switch last := w.tail[n-1]; {
	case last == '@':
		return word(r)
	case last == '/' && r == '/':
		m := scheme.FindStringSubmatch(string(w.tail))
		return m != nil && !strings.EqualFold(m[1], "http") && !strings.EqualFold(m[1], "https")
	case last == '/':
		return word(r) && (n == 1 || !word(w.tail[n-2]) && w.tail[n-2] != '/')
	case last == '.':
		return strings.ContainsRune("mMdDpP", r) && ownHosts.MatchString(string(w.tail))
	}
	return false
}

func word(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// safe returns a link to the web unchanged, and "" for links into Telegram and invalid ones.
func safe(link string) string {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return ""
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	for _, own := range []string{"t.me", "tx.me", "telegram.me", "telegram.dog", "telesco.pe"} {
		if host == own || strings.HasSuffix(host, "."+own) {
			return ""
		}
	}
	return link
}
