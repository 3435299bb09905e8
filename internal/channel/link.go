package channel

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"

	"github.com/longshift/longshift/task"
)

// maxLink is the length of the longest address, in bytes.
const maxLink = 2000

// link adds a link's words and, behind them, where it leads: an address may hold words too, and chats hide it. Where the words show
// another address than that, or one that nobody may be led to, neither is a link.
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

// image adds an image's words and, behind them, its address: nobody is led there, but whoever reads the raw text reads it.
func (r *reader) image(n *ast.Image, style Span, out *[]Span) {
	start := len(*out)
	r.inline(n, style, out)
	aside(out, start, "image", oneLine(string(n.Destination)), string(n.Title), style)
}

// aside adds what Markdown hides behind the words that begin at start: an address, which alone may be a link, and a title.
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

// web gives an address in its plain form, or nothing if it is none that people may be led to: other schemes run programs, and a
// user's name in front of a host looks like a host.
func web(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxLink || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || task.Hidden(r) || r == unicode.ReplacementChar }) {
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

// hostLike finds what people may take for a host: names with points between them, also with those of other writing systems, and a
// name in front of a port or behind a scheme.
var hostLike = regexp.MustCompile(`[\p{L}\p{N}_-]+(?:[.。．｡․][\p{L}\p{N}_-]+)+(?::\d+)?|[\p{L}\p{N}_-]+:\d+|://[^\s/?#]*`)

// number is what has points in it and is no host: a version, but not an address of four numbers.
var number = regexp.MustCompile(`^v?\d+(\.\d+){1,2}$`)

// misleads tells whether people would take a link's words for another address than the one behind it.
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

// looksLikeAddress tells whether words are all of an address.
func looksLikeAddress(words string) bool {
	words = strings.TrimSpace(words)
	return !strings.ContainsAny(words, " \n") && (strings.Contains(words, "://") || strings.HasPrefix(words, "www."))
}

// sameAddress tells whether words are an address, but for the scheme and a slash at the end.
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
