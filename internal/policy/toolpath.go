package policy

import (
	"encoding/json"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// searched judges Glob and Grep: where they look, and patterns that lead elsewhere.
func (t *toolCalls) searched(r Request, in map[string]json.RawMessage) {
	at := r.Dir
	if s, there, ok := t.str(r, in, "path"); !ok {
		return
	} else if there && s != "" {
		t.verdict.about(s)
		at = s
		t.path(s, r.Dir, Read)
		if !strings.HasPrefix(s, "/") && r.Dir != "" {
			at = r.Dir + "/" + s
		}
	}
	keys := []string{"glob"}
	if r.Tool == "Glob" {
		keys = []string{"pattern"}
		if _, there := in["pattern"]; !there {
			t.verdict.deny("tool.input", "Glob without a pattern")
		}
	} else if _, there := in["pattern"]; !there {
		t.verdict.deny("tool.input", "Grep without a pattern")
	} else if _, _, ok := t.str(r, in, "pattern"); !ok {
		return
	}
	for _, k := range keys {
		s, there, ok := t.str(r, in, k)
		if !ok || !there || s == "" {
			continue
		}
		t.verdict.about(s)
		if strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~") || leadsUp(s) {
			fixed := s
			if i := strings.IndexAny(s, "*?[{"); i >= 0 {
				fixed = s[:i]
			}
			if leadsUp(s) && s != fixed && leadsUp(s[len(fixed):]) {
				t.verdict.deny("tool.input", "a pattern with .. after a star may lead anywhere")
			}
			t.path(fixed, at, Read)
		}
	}
}

// path judges a path that no shell has expanded: variables and patterns mean nothing in it.
func (t *toolCalls) path(text, dir string, acc Access) {
	if text == "" {
		text = "."
	}
	if what := badByte(text); what != "" || strings.ContainsAny(text, "\n\t") {
		t.verdict.deny("path.control", "a path with invisible or control characters can't be used")
		return
	}
	if dir == "" {
		dir = t.policy.c.Root
	}
	if !strings.HasPrefix(dir, "/") {
		t.verdict.deny("request", "the working folder %q is not absolute", part(dir))
		return
	}
	if strings.HasPrefix(text, "~") {
		if text != "~" && !strings.HasPrefix(text, "~/") || t.policy.c.Home == "" {
			t.verdict.deny("path.outside", "%s leads to somebody's home folder; stay inside the repository", part(text))
			return
		}
		text = t.policy.c.Home + text[1:]
	}
	if acc == Write || acc == Remove {
		t.rights.changes("writing a file")
	}
	if acc == Remove {
		t.rights.need(grammar.NeedDestructive, "removing a file")
	}
	if acc == Execute {
		t.rights.runs("running a file")
	}
	w := grammar.Lit(literal(text)) // no shell reads it
	t.paths.check(w, acc, &state{cwd: []place{{path: clean(dir)}}}, "path")
}

// onePath judges a path that a caller asks about.
func (t *toolCalls) onePath(r Request) {
	switch r.Access {
	case Read, Write, Remove, Execute:
	default:
		t.verdict.deny("request", "%q is no kind of access", part(string(r.Access)))
		return
	}
	t.verdict.about(r.Path)
	t.path(r.Path, r.Dir, r.Access)
}
