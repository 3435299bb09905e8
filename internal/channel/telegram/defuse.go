package telegram

import (
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Telegram finds things in a text by itself, whatever entities come with it: "@name" calls somebody, "/name" is a command that
// one tap sends to every bot in the chat, and "tg://", "t.me/…" lead into the app, where they can start bots and join chats. Texts
// hold what anybody has written in an issue. So a word joiner, which has no look, goes into the middle of such things. It must be
// that one: Telegram takes the zero-width joiner for part of an address. It is put in while writing, character by character, for
// "@" and the name may look different and so stand in two spans. Code needs none: Telegram finds nothing there, and people copy it.
const joiner = '\u2060'

// longestTail is how many characters back the rules below look.
const longestTail = 24

// plain writes text with what Telegram would find in it defused.
func (w *writer) plain(s string) {
	for _, r := range s {
		if w.live(r) {
			w.rune(joiner)
		}
		w.rune(r)
	}
}

// apart keeps what follows from making something live of what stands already.
func (w *writer) apart(next string) {
	if r, _ := utf8.DecodeRuneInString(next); next != "" && w.live(r) {
		w.rune(joiner)
	}
}

var (
	scheme   = regexp.MustCompile(`(?i)([a-z][a-z0-9+.-]*):/$`)
	ownHosts = regexp.MustCompile(`(?i)(^|[^a-z0-9_-])(t|tx|telegram|telesco)\.$`)
)

// live tells whether r would make something of the tail that Telegram acts upon.
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

// safe gives a link back if it leads to the web, and "" if it leads into Telegram or is none.
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
