package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
	"github.com/longshift/longshift/task"
)

// rule is a Rule, compiled.
type rule struct {
	words []string
	open  bool // a star at the end
	why   string
	roles []task.Role
}

func (r rule) isFor(role task.Role) bool { return len(r.roles) == 0 || slices.Contains(r.roles, role) }

// compileRules compiles rules. An error names the field, the index and the value.
func compileRules(field string, list []Rule) ([]rule, error) {
	var all []rule
	for i, r := range list {
		at := fmt.Sprintf("%s[%d].command", field, i)
		words := strings.Fields(r.Command)
		if len(words) == 0 {
			return nil, wrong(at, r.Command, "is empty; write a program and its first words")
		}
		c := rule{words: words, why: strings.TrimSpace(r.Why), roles: r.Roles}
		for _, role := range r.Roles {
			if !known(role) {
				return nil, wrong(fmt.Sprintf("%s[%d].roles", field, i), string(role), "is no role; use planner, implementer or reviewer")
			}
		}
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

// matchesStart reports whether a command begins with the rule's words: as written, or by program and sub-command.
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

// rules applies the rules of the operator and of the repository.
type rules struct {
	policy  *Policy
	role    task.Role
	verdict *collector
	writes  *writes
}

// restricted applies the rules that ask and deny. They take precedence over whatever allows.
func (s *rules) restricted(words []grammar.Word, name string) {
	for _, r := range s.policy.deny {
		if r.isFor(s.role) && r.matchesStart(words, name) {
			s.verdict.deny("rule.deny", "a rule denies %q%s", part(strings.Join(r.words, " ")), because(r.why))
		}
	}
	for _, r := range s.policy.ask {
		if r.isFor(s.role) && r.matchesStart(words, name) {
			s.verdict.ask("rule.ask", "a rule wants a person to decide on %q%s", part(strings.Join(r.words, " ")), because(r.why))
		}
	}
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + part(why)
}

// permitted returns the rule of a list that allows the command, nil for none. A star admits plain words only.
func (s *rules) permitted(list []rule, words []grammar.Word, st *state) *rule {
	for i, r := range list {
		if !r.isFor(s.role) || len(words) < len(r.words) || len(words) > len(r.words) && !r.open {
			continue
		}
		if slices.EqualFunc(words[:len(r.words)], r.words, grammar.Word.Is) && s.plainWords(words[len(r.words):], st) {
			return &list[i]
		}
	}
	return nil
}

// plainWords reports whether no word is an option or leads out of the tree.
func (s *rules) plainWords(words []grammar.Word, st *state) bool {
	for _, w := range words {
		text := w.Prefix()
		if w.Source() == grammar.Any || w.Tilde || strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") || strings.Contains(text, "://") {
			return false
		}
		if w.Fits(grammar.Name) != "" && !strings.HasPrefix(text, "/") {
			return false
		}
		var verdict collector
		verdict.clear()
		probe := paths{s.policy, s.role, &verdict, s.writes}
		if probe.check(w, Read, st, "path"); verdict.strictest().Verdict != Allow {
			return false
		}
	}
	return true
}
