package grammar

import (
	"fmt"
	"strings"
)

// option reads a word that starts with a dash, or is a known plus option, and its value. It reports whether it has read all
// words, because an option can name a command.
func (r *reader) option(w Word, text string) bool {
	if w.Many && w.Source() == Any {
		return r.unknown(w, text, false) // unquoted: it may become more options
	}
	style := r.table.spec.Style
	if style == GoFlag || style == Single {
		return r.long(w, normal(text, style))
	}
	if strings.HasPrefix(text, "--") {
		return r.long(w, text)
	}
	return r.cluster(w, text)
}

// long reads an option of more than one letter: --name, --name=value, --name value.
func (r *reader) long(w Word, text string) bool {
	name, _, hasValue := strings.Cut(text, "=")
	_, literal := w.Text()
	opts := r.table.opts
	if opt := opts.exact[name]; opt != nil && (hasValue || literal) {
		return r.known(opt, name, w, after(w, "="), hasValue)
	}
	if p, ok := opts.prefix(text, 2); ok {
		return r.prefixed(p, w, text)
	}
	if len(text) > 2 && text[1] != '-' { // -O2 of a style without clusters
		if opt := opts.exact[text[:2]]; opt != nil && opt.takes == maybe {
			return r.known(opt, text[:2], w, drop(w, len(w.Prefix())-len(text)+2), true)
		}
	}
	if opts.number && isNumber(text) && literal {
		r.flag("-#", w)
		return false
	}
	return r.unknown(w, name, literal || hasValue)
}

// known reads an option whose entry was found.
func (r *reader) known(opt *option, name string, w, val Word, hasValue bool) bool {
	if r.refusedOption(opt, name) {
		if opt.takes == value && !hasValue && r.at < len(r.words) {
			r.at++
		}
		return false
	}
	style := r.table.spec.Style
	switch {
	case opt.takes == nothing && hasValue:
		if t, ok := val.Text(); ok && (style == GoFlag || style == Single) && isBool(t) {
			r.given(opt, val)
			return false
		}
		r.refuse(".option", fmt.Sprintf("option %s of %s takes no value", printable(name), r.name()))
		return false
	case opt.takes == nothing:
		r.given(opt, Word{})
		return false
	case opt.takes == maybe && !hasValue:
		r.given(opt, Word{})
		return false
	case hasValue:
		return r.valued(opt, name, val)
	}
	return r.next(opt, name)
}

// next reads the next word as the value of an option.
func (r *reader) next(opt *option, name string) bool {
	if r.at >= len(r.words) {
		r.refuse(".option", fmt.Sprintf("option %s of %s misses its value", printable(name), r.name()))
		return false
	}
	val := r.words[r.at]
	r.at++
	if val.Many && !(opt.kind == Data && val.Source() != Any) && !(val.Source() == Digits || val.Source() == Plain) {
		r.refuse(".unknown", fmt.Sprintf(
			"the value of %s of %s may become several words; put it in double quotes or write it out", name, r.name()))
		return false
	}
	return r.valued(opt, name, val)
}

// valued records an option with its value.
func (r *reader) valued(opt *option, name string, val Word) bool {
	r.given(opt, val)
	if opt.values != nil {
		text, ok := val.Text()
		for _, v := range opt.values {
			if ok && v == text {
				return false
			}
		}
		r.refuse(".option", fmt.Sprintf(
			"option %s of %s may be one of %s, not %q", name, r.name(), strings.Join(opt.values, ", "), printable(val.String())))
		return false
	}
	if opt.kind == Command {
		r.m.Uses = append(r.m.Uses, Use{Kind: Command, Word: val, Via: name, Rest: r.words[r.at:]})
		return true
	}
	if opt.kind == Never {
		r.deny(name)
		return false
	}
	r.m.Use(opt.kind, val, name)
	return false
}

// cluster reads short options: -abc, -ovalue, -o value.
func (r *reader) cluster(w Word, text string) bool {
	opts := r.table.opts
	_, literal := w.Text()
	name, _, hasValue := strings.Cut(text, "=")
	if opt := opts.exact[name]; opt != nil && len(name) > 2 && (hasValue || literal) {
		return r.known(opt, name, w, after(w, "="), hasValue)
	}
	if p, ok := opts.prefix(text, 3); ok {
		return r.prefixed(p, w, text)
	}
	if opts.number && literal && isNumber(text) {
		r.flag("-#", w)
		return false
	}
	for i := 1; i < len(text); i++ {
		letter := "-" + text[i:i+1]
		opt := opts.exact[letter]
		if opt == nil {
			if p, ok := opts.prefix("-"+text[i:], 2); ok && len(p.prefix) == 2 {
				return r.prefixed(p, drop(w, i-1), "-"+text[i:])
			}
			return r.unknown(w, letter, true)
		}
		inWord := i+1 < len(text) || !literal
		if r.refusedOption(opt, letter) {
			if opt.takes == value && !inWord && r.at < len(r.words) {
				r.at++
			}
			return false
		}
		switch {
		case opt.takes == nothing, opt.takes == maybe && !inWord:
			r.given(opt, Word{})
		case inWord:
			return r.valued(opt, letter, drop(w, i+1))
		default:
			return r.next(opt, letter)
		}
	}
	if !literal {
		return r.unknown(w, text, false)
	}
	return false
}

// prefixed reads an option that an entry with a star matches.
func (r *reader) prefixed(p prefixed, w Word, text string) bool {
	if r.refusedOption(p.option, text) {
		return false
	}
	if p.takes == rest {
		return r.valued(p.option, p.prefix, drop(w, len(p.prefix)+len(w.Prefix())-len(text)))
	}
	if w.Many {
		return r.unknown(w, text, false)
	}
	r.given(p.option, w)
	return false
}

// unknown refuses an option that the table does not have.
func (r *reader) unknown(w Word, name string, literal bool) bool {
	switch meant := r.table.opts.meant(name); {
	case !literal:
		r.refuse(".unknown", fmt.Sprintf(
			"an option of %s is put together from text that is not known (%s); write it out", r.name(), printable(w.String())))
	case len(meant) > 0 && meant[0].refused == Deny:
		r.deny(meant[0].names[len(meant[0].names)-1])
	case len(meant) > 0:
		r.refuse(".option", fmt.Sprintf(
			"option %s of %s is an abbreviation; write %s in full", printable(name), r.name(), meant[0].names[len(meant[0].names)-1]))
	default:
		r.refuse(".option", fmt.Sprintf("option %s of %s is not among those that may be used unattended; leave it out, or let a person run it",
			printable(name), r.name()))
	}
	return false
}

func (r *reader) refusedOption(opt *option, name string) bool {
	switch opt.refused {
	case Deny:
		r.deny(name)
	case Ask:
		r.refuse(".option", fmt.Sprintf("option %s of %s needs a person%s", printable(name), r.name(), r.why()))
	default:
		return false
	}
	return true
}

func (r *reader) deny(name string) {
	r.m.Deny(".option", fmt.Sprintf("option %s of %s is refused%s", printable(name), r.name(), r.why()))
}

// why returns the table's reason as the end of a sentence.
func (r *reader) why() string {
	if w := r.table.spec.Why; w != "" {
		return ": " + w
	}
	return "; do it without that option"
}

// given records an option under all of its names.
func (r *reader) given(opt *option, val Word) {
	for _, n := range opt.names {
		r.flag(n, val)
		if s := r.table.spec.Style; s == GoFlag || s == Single {
			r.flag(normal(n, s), val)
		}
	}
}

func (r *reader) flag(name string, val Word) { r.m.Flags[name] = val }

func isBool(t string) bool {
	switch t {
	case "true", "false", "0", "1", "t", "f":
		return true
	}
	return false
}

// isNumber reports whether a text is a dash and digits.
func isNumber(text string) bool {
	for _, c := range text[1:] {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(text) > 1
}
