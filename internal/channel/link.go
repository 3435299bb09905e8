package channel

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"

	"github.com/longshift/longshift/task"
)

// maxLink is the maximum length of an address, in bytes.
const maxLink = 2000

// link adds a link's text, followed by its address: the address may contain text too, which chats hide. If the text
// looks like another address, or the address is not allowed, nothing is clickable.
func (r *reader) link(n *ast.Link, style Span, out *[]Span) {
	start := len(*out)
	style.Link = ""
	r.inline(n, style, out)
	text := plainSpans((*out)[start:])
	shown, to := oneLine(string(n.Destination)), web(unescape(string(n.Destination)))
	if to != "" {
		shown = to
	}
	if misleads(text, to) {
		to = ""
	}
	for i := start; i < len(*out); i++ {
		(*out)[i].Link = to
	}
	if text == shown || to != "" && sameAddress(text, to) {
		shown = ""
	}
	style.Link = to
	aside(out, start, "", shown, string(n.Title), style)
}

// image adds an image's text, followed by its address: it is not clickable, but a reader of the raw text would see it.
func (r *reader) image(n *ast.Image, style Span, out *[]Span) {
	start := len(*out)
	r.inline(n, style, out)
	aside(out, start, "image", oneLine(string(n.Destination)), string(n.Title), style)
}

// aside adds what Markdown hides behind a text that begins at start: an address, which may be clickable, and a title.
func aside(out *[]Span, start int, kind, address, title string, style Span) {
	plain := style
	plain.Link, plain.Text = "", "("
	if len(*out) > start {
		plain.Text = " ("
	}
	if kind != "" && address+title != "" {
		kind += ": "
	}
	if plain.Text += kind; kind+address+title == "" {
		return
	}
	*out = append(*out, plain)
	if address != "" {
		style.Text = address
		*out = append(*out, style)
	}
	if plain.Text = ")"; title != "" {
		plain.Text = `"` + oneLine(title) + `")`
		if address != "" {
			plain.Text = " " + plain.Text
		}
	}
	*out = append(*out, plain)
}

// web normalizes an address. It returns "" for schemes other than http and https, which may run programs, and for
// addresses with a user name, which can be mistaken for a host.
func web(s string) string {
	s = strings.TrimSpace(s)
	odd := func(r rune) bool { return unicode.IsSpace(r) || task.Hidden(r) || r == unicode.ReplacementChar }
	if len(s) > maxLink || strings.ContainsFunc(s, odd) {
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

// hostLike matches text that people may take for a host: names joined by dots, including those of other scripts, and a
// name before a port or after a scheme.
var hostLike = regexp.MustCompile(`[\p{L}\p{N}_-]+(?:[.。．｡․][\p{L}\p{N}_-]+)+(?::\d+)?|[\p{L}\p{N}_-]+:\d+|://[^\s/?#]*`)

// number matches a version, which has dots but is not a host. An IP address does not match.
var number = regexp.MustCompile(`^v?\d+(\.\d+){1,2}$`)

// misleads reports whether people would take a link's text for another address than its target.
func misleads(words, link string) bool {
	if looksLikeAddress(words) && !sameAddress(words, link) {
		return true
	}
	u, err := url.Parse(link)
	if err != nil {
		return true
	}
	for _, host := range hostLike.FindAllString(words, -1) {
		host = strings.TrimPrefix(host, "://")
		if !number.MatchString(host) && !strings.EqualFold(host, u.Hostname()) && !strings.EqualFold(host, u.Host) {
			return true
		}
	}
	return false
}

// looksLikeAddress reports whether the whole text is an address.
func looksLikeAddress(words string) bool {
	words = strings.TrimSpace(words)
	return !strings.ContainsAny(words, " \n") && (strings.Contains(words, "://") || strings.HasPrefix(words, "www."))
}

// sameAddress reports whether text equals an address, except for the scheme and a trailing slash.
func sameAddress(words, link string) bool {
	bare := func(s string) string {
		s = strings.TrimSuffix(strings.TrimSpace(s), "/")
		for _, scheme := range []string{"https://", "http://"} {
			s = strings.TrimPrefix(s, scheme)
		}
		return s
	}
	return bare(words) == bare(link)
}
