package policy

import (
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// rule is a Rule, compiled.
type rule struct {
	words []string
	open  bool // a star at the end
	why   string
}

// compileRules reads rules; an error names the field, the place and the value.
func compileRules(field string, list []Rule) ([]rule, error) {
	var all []rule
	for i, r := range list {
		at := fmt.Sprintf("%s[%d].command", field, i)
		words := strings.Fields(r.Command)
		if len(words) == 0 {
			return nil, wrong(at, r.Command, "is empty; write a program and its first words")
		}
		c := rule{words: words, why: strings.TrimSpace(r.Why)}
		if last := len(words) - 1; words[last] == "*" {
			c.words, c.open = words[:last], true
		}
		if len(c.words) == 0 {
			return nil, wrong(at, r.Command, "would match every command; name a program")
		}
		for _, w := range c.words {
			if strings.ContainsAny(w, "*?[]{}$`\"'\\|&;<>()#~!") || badByte(w) != "" {
				return nil, wrong(at, r.Command, "holds a character of the shell; a rule is plain words, with a star only at the end")
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// matchesStart tells whether a command begins with the rule's words: as written, or by program and sub-command.
func (r rule) matchesStart(words []grammar.Word, name string) bool {
	if name != "" {
		dotted := strings.Join(r.words, ".")
		if name == dotted || strings.HasPrefix(name, dotted+".") {
			return true
		}
	}
	if len(words) < len(r.words) {
		return false
	}
	for i, w := range r.words {
		text, ok := words[i].Text()
		if i == 0 && ok && !strings.Contains(w, "/") {
			text = text[strings.LastIndexByte(text, '/')+1:]
		}
		if !ok || text != w {
			return false
		}
	}
	return true
}

// restricted applies the rules that ask and deny. They win over everything that allows.
func (j *judge) restricted(words []grammar.Word, name string) {
	for _, r := range j.p.deny {
		if r.matchesStart(words, name) {
			j.deny("rule.deny", "a rule denies %q%s", part(strings.Join(r.words, " ")), because(r.why))
		}
	}
	for _, r := range j.p.ask {
		if r.matchesStart(words, name) {
			j.ask("rule.ask", "a rule wants a person to decide on %q%s", part(strings.Join(r.words, " ")), because(r.why))
		}
	}
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + part(why)
}

// permitted tells whether a rule of the operator allows the command. The words that a star admits are plain ones.
func (j *judge) permitted(words []grammar.Word, st *state) bool {
	for _, r := range j.p.allow {
		if len(words) < len(r.words) || len(words) > len(r.words) && !r.open {
			continue
		}
		if exactly(words[:len(r.words)], r.words) && j.plainWords(words[len(r.words):], st) {
			return true
		}
	}
	return false
}

func exactly(words []grammar.Word, want []string) bool {
	for i, w := range words {
		if !w.Is(want[i]) {
			return false
		}
	}
	return true
}

// plainWords tells whether words are neither options nor lead out of the tree.
func (j *judge) plainWords(words []grammar.Word, st *state) bool {
	for _, w := range words {
		text := w.Prefix()
		if w.Source() == grammar.Any || w.Tilde || strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") || strings.Contains(text, "://") {
			return false
		}
		if w.Fits(grammar.Name) != "" && !strings.HasPrefix(text, "/") {
			return false
		}
		probe := &judge{p: j.p, role: j.role, best: Decision{Verdict: Allow}, budget: 1000, made: j.made, links: j.links}
		probe.path(w, Read, st, "path")
		if probe.best.Verdict != Allow {
			return false
		}
	}
	return true
}
