package command

import (
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/inbound/render"
)

// given is an option as it was written.
type given struct {
	name, value string
	valued      bool
}

// word is a part of a text; start is its index in bytes.
type word struct {
	text   string // without quotes
	start  int
	quoted bool
}

// optionForm is an option. Phones turn two hyphens into a dash.
var optionForm = regexp.MustCompile(`^(?:--|—|–)([A-Za-z][A-Za-z0-9-]*)(?:=(.*))?$`)

// maxOptions bounds the work; options further left are read as text.
const maxOptions = 50

// cutOptions splits options from the end of a text. It reads from the right, while words have the form of an option: a name with at
// most one value. "add a --json flag to list --budget 5" has one option.
func cutOptions(text string) (rest string, all []given) {
	words := split(text)
	end := len(words)
	for len(all) < maxOptions {
		at := end - 1
		for at >= 0 && (words[at].quoted || !optionForm.MatchString(words[at].text)) {
			at--
		}
		values := end - at - 1
		if at < 0 || values > 1 {
			break
		}
		m := optionForm.FindStringSubmatch(words[at].text)
		g := given{name: strings.ToLower(m[1]), value: m[2], valued: strings.Contains(words[at].text, "=")}
		if values == 1 {
			if g.valued { // the word that follows is text
				break
			}
			g.value, g.valued = words[at+1].text, true
		}
		all = append(all, g)
		end = at
	}
	slices.Reverse(all)
	if end == len(words) {
		return text, nil
	}
	return strings.TrimSpace(text[:words[end].start]), all
}

// split splits a text into words. A quoted text is one word: its quotes begin a word or an option's value, and end before a space.
func split(text string) (words []word) {
	for at := 0; at < len(text); {
		if strings.IndexByte(" \t\n", text[at]) >= 0 {
			at++
			continue
		}
		w := word{start: at}
		if inner, next, ok := quotedAt(text, at); ok {
			w.text, w.quoted, at = inner, true, next
		} else {
			end := at + wordLength(text[at:])
			w.text = text[at:end]
			if name, _, found := strings.Cut(w.text, "="); found && optionForm.MatchString(name) {
				if inner, next, ok := quotedAt(text, at+len(name)+1); ok {
					w.text, end = name+"="+inner, next
				}
			}
			at = end
		}
		words = append(words, w)
	}
	return words
}

func wordLength(text string) int {
	if n := strings.IndexAny(text, " \t\n"); n >= 0 {
		return n
	}
	return len(text)
}

// quotedAt reads a quoted text that begins at a byte. next is the index of the byte after it.
func quotedAt(text string, at int) (inner string, next int, ok bool) {
	for _, q := range quotes {
		if !strings.HasPrefix(text[at:], q.open) {
			continue
		}
		begin := at + len(q.open)
		n := strings.Index(text[begin:], q.close)
		if n < 0 {
			continue
		}
		next = begin + n + len(q.close)
		if next == len(text) || strings.IndexByte(" \t\n", text[next]) >= 0 {
			return text[begin : begin+n], next, true
		}
	}
	return "", 0, false
}

// set checks an option and stores it.
func (c *Command) set(g given) error {
	o, ok := optionOf(c.Verb, g.name)
	hint := "in a text, put words that begin with -- into quotes together with the rest"
	switch {
	case !ok && len(optionNames(c.Verb)) == 0:
		return fault.New(fault.Input, "--%s: %s takes no options", excerpt.Clip(g.name, 40), c.Verb).WithHint("%s", hint)
	case !ok:
		return fault.New(fault.Input, "--%s: unknown option of %s", excerpt.Clip(g.name, 40), c.Verb).
			WithHint("use %s; %s", strings.Join(optionNames(c.Verb), ", "), hint)
	case o.kind == isFlag && g.valued && g.value != "true" && g.value != "false":
		return fault.New(fault.Input, "--%s %s: it takes no value", g.name, render.Line(g.value, 40)).
			WithHint("write --%s alone; %s", g.name, hint)
	case o.kind != isFlag && g.value == "":
		return fault.New(fault.Input, "--%s: its value is missing", g.name).WithHint("write --%s %s", g.name, o.example)
	}
	value := g.value
	if o.kind == isFlag && !g.valued {
		value = "true"
	}
	if err := o.check(value); err != nil {
		return err
	}
	if before, twice := c.Options[g.name]; twice {
		if o.kind != isList {
			return fault.New(fault.Input, "--%s appears twice", g.name).WithHint("keep one of them")
		}
		value = before + "," + value
	}
	c.Options[g.name] = value
	return nil
}
