package grammar

import (
	"strings"
	"unicode/utf8"
)

// Fits reports whether a word may be of a kind, by the source and the form of its text. A misfit is a short clause for a
// message: "is not written out". The caller, who knows the tree, decides where a path leads.
func (w Word) Fits(k Kind) (misfit string) {
	src := w.Source()
	if w.Tilde && k != Data && k != Inline {
		return "begins with a tilde that leads to somebody's home folder"
	}
	switch k {
	case Data, Inline:
		return ""
	case Never:
		return "is not known to this program"
	case Command, Shell, Local, Package, Assign:
		if k == Assign && assigns(w) {
			return ""
		}
		if _, ok := w.Text(); !ok {
			return "is not written out in the command"
		}
	default:
		if src == Any {
			return "comes from something that is not known"
		}
	}
	text, literal := w.Text()
	if !literal {
		text = w.Prefix()
	}
	switch k {
	case Number:
		if src == Tree || w.Glob || literal && !looksNumber(text) {
			return "is no number"
		}
	case Name:
		if misfit := badName(text); misfit != "" {
			return misfit
		}
	case Rev:
		if strings.HasPrefix(text, "-") || strings.Contains(text, "://") || strings.Contains(text, "::") || hasControl(text) {
			return "is no plain revision"
		}
	case Package:
		if !looksPackage(text) {
			return "is no bare package name"
		}
	case Local:
		if !IsLocal(text) {
			return "is no plain address of this machine"
		}
	}
	return ""
}

// looksNumber accepts digits with a sign, a unit, a fraction, a range: 10, +20, -5, 120s, 1.5h, 1M, 50%, 2,5, 1-3.
func looksNumber(t string) bool {
	digits := false
	for _, c := range []byte(t) {
		switch {
		case c >= '0' && c <= '9':
			digits = true
		case c|0x20 >= 'a' && c|0x20 <= 'z', strings.IndexByte("+-.,:%/=", c) >= 0:
		default:
			return false
		}
	}
	return digits && len(t) <= 40 || t == "infinity" || t == "inf" || t == "auto" || t == "all" || t == "max"
}

// badName returns the reason why a text is no plain name.
func badName(t string) string {
	switch {
	case strings.HasPrefix(t, "-"):
		return "begins with a dash"
	case strings.Contains(t, "://"), strings.HasPrefix(t, "//"), strings.HasPrefix(t, "git@"), strings.HasPrefix(t, "git+"):
		return "is an address"
	case strings.HasPrefix(t, "/"), strings.HasPrefix(t, "~"), strings.HasPrefix(t, `\\`):
		return "is a path from the root"
	case hasControl(t):
		return "holds a control character"
	case strings.HasPrefix(t, "file:"), strings.HasPrefix(t, "link:"), strings.HasPrefix(t, "github:"):
		return "is an address"
	}
	for _, s := range strings.FieldsFunc(t, func(r rune) bool { return r == '/' || r == '\\' || r == ':' || r == '=' || r == ',' }) {
		if s == ".." {
			return "leads out of its folder"
		}
	}
	return ""
}

// looksPackage accepts requests, @scope/name, name[extra].
func looksPackage(t string) bool {
	if rest, ok := strings.CutPrefix(t, "@"); ok {
		scope, name, ok := strings.Cut(rest, "/")
		return ok && plainToken(scope) && plainToken(name)
	}
	if name, extra, ok := strings.Cut(t, "["); ok {
		return plainToken(name) && strings.HasSuffix(extra, "]") && plainToken(strings.ReplaceAll(strings.TrimSuffix(extra, "]"), ",", ""))
	}
	return plainToken(t)
}

// plainToken accepts ASCII letters, digits, dot, dash and underscore, and no dot or dash at the beginning.
func plainToken(t string) bool {
	for i, c := range []byte(t) {
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z', c >= '0' && c <= '9', c == '_':
		case (c == '.' || c == '-') && i > 0:
		default:
			return false
		}
	}
	return t != "" && len(t) <= 214 && !strings.Contains(t, "..")
}

// IsLocal reports whether a text is an address of the loopback interface and nothing else: localhost:3000, http://127.0.0.1/x.
// User names, other schemes, encodings in the host and further "@" are refused, because programs read them differently.
func IsLocal(t string) bool {
	rest := t
	if scheme, after, ok := strings.Cut(t, "://"); ok {
		if scheme != "http" && scheme != "https" && scheme != "ws" {
			return false
		}
		rest = after
	}
	if strings.ContainsAny(rest, "@\\ \t{}[*") && !strings.HasPrefix(rest, "[::1]") || hasControl(rest) {
		return false
	}
	host := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host = rest[:i]
	}
	if strings.HasPrefix(host, "[::1]") {
		host = "localhost" + strings.TrimPrefix(host, "[::1]")
		if strings.ContainsAny(rest, "@\\ {}*") {
			return false
		}
	}
	name, port, hasPort := strings.Cut(host, ":")
	if hasPort && (port == "" || len(port) > 5 || strings.Trim(port, "0123456789") != "") {
		return false
	}
	return name == "localhost" || name == "127.0.0.1" || name == "0.0.0.0"
}

func hasControl(t string) bool {
	for _, r := range t {
		if r < 0x20 || r == 0x7f || r == utf8.RuneError {
			return true
		}
	}
	return false
}
