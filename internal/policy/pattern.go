package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// pattern is a glob over paths relative to Root, cut at its slashes; "**" is any number of folders.
type pattern []string

// compilePatterns compiles globs. An error names the field, the index and the value.
func compilePatterns(field string, list []string) ([]pattern, error) {
	var all []pattern
	for i, text := range list {
		at := fmt.Sprintf("%s[%d]", field, i)
		p := strings.Trim(text, "/")
		switch {
		case strings.TrimSpace(text) == "" || p == "":
			return nil, wrong(at, text, "is empty; write a path relative to the repository's root")
		case strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~") || leadsUp(text) || strings.HasPrefix(text, "!"):
			return nil, wrong(at, text, "must be relative to the repository's root, without .., ~ or !")
		case hasControl(text) || !utf8.ValidString(text):
			return nil, wrong(at, text, "holds a control character")
		}
		segs := strings.Split(strings.TrimPrefix(path.Clean(p), "./"), "/")
		for _, s := range segs {
			if _, err := path.Match(s, "x"); err != nil {
				return nil, wrong(at, text, "is no valid glob")
			}
		}
		all = append(all, segs)
	}
	return all, nil
}

// matchAny reports whether a pattern matches the path, a folder above it, or something that the path's own stars and unknown
// parts may match. With below, a pattern also matches that names something inside the path, unless it begins with "**", which
// would be inside of every folder.
func matchAny(list []pattern, rel string, below bool) bool {
	segs := strings.Split(rel, "/")
	return slices.ContainsFunc(list, func(p pattern) bool { return p.match(segs, below && p[0] != "**") })
}

// match compares segment by segment. A pattern matches everything below what it names.
func (p pattern) match(segs []string, below bool) bool {
	switch {
	case len(p) == 0:
		return true
	case p[0] == "**":
		return p[1:].match(segs, below) || len(segs) > 0 && p.match(segs[1:], below)
	case len(segs) == 0:
		return below // the path is a folder above what the pattern names
	case strings.ContainsRune(segs[0], hole):
		return true // may be any number of folders, of any name
	case strings.ContainsAny(segs[0], "*?["):
		return mayMeet(p[0], segs[0]) && p[1:].match(segs[1:], below)
	}
	ok, _ := path.Match(p[0], unliteral(segs[0]))
	return ok && p[1:].match(segs[1:], below)
}

// Characters of globs in a name that is no glob, such as src/[id].tsx, are replaced by others while the name is judged.
var (
	literalOf   = strings.NewReplacer("*", "\uE02A", "?", "\uE03F", "[", "\uE05B")
	unliteralOf = strings.NewReplacer("\uE02A", "*", "\uE03F", "?", "\uE05B", "[")
)

func literal(name string) string { return literalOf.Replace(name) }

func unliteral(name string) string { return unliteralOf.Replace(name) }

// mayMeet reports whether two globs may match one name: their fixed beginnings and ends must not contradict each other.
func mayMeet(a, b string) bool {
	headA, tailA := fixed(a)
	headB, tailB := fixed(b)
	return (strings.HasPrefix(headA, headB) || strings.HasPrefix(headB, headA)) &&
		(strings.HasSuffix(tailA, tailB) || strings.HasSuffix(tailB, tailA))
}

// fixed returns the text before the first and after the last special character of a glob.
func fixed(glob string) (head, tail string) {
	i := strings.IndexAny(glob, `*?[\`)
	if i < 0 {
		return glob, glob
	}
	return glob[:i], glob[strings.LastIndexAny(glob, `*?]\`)+1:]
}

// coversAny reports whether one pattern certainly matches everything that the path may name.
func coversAny(list []pattern, rel string) bool {
	segs := strings.Split(rel, "/")
	return slices.ContainsFunc(list, func(p pattern) bool { return p.covers(segs) })
}

func (p pattern) covers(segs []string) bool {
	switch {
	case len(p) == 0:
		return true
	case p[0] == "**":
		return len(p) == 1 || p[1:].covers(segs) || len(segs) > 0 && p.covers(segs[1:])
	case len(segs) == 0:
		return false
	case p[0] == "*" && len(p) == 1 && !strings.ContainsRune(segs[0], hole):
		return true // and what lies below
	case strings.ContainsAny(segs[0], "*?[\x01"):
		return p[0] == segs[0] && p[1:].covers(segs[1:])
	}
	ok, _ := path.Match(p[0], unliteral(segs[0]))
	return ok && p[1:].covers(segs[1:])
}
