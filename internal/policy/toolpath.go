package policy

import (
	"encoding/json"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// searched judges Glob and Grep: where they look, and patterns that lead elsewhere.
func (j *judge) searched(r Request, in map[string]json.RawMessage) {
	at := r.Dir
	if s, there, ok := j.str(r, in, "path"); !ok {
		return
	} else if there && s != "" {
		j.at, at = s, s
		j.toolPath(s, r.Dir, Read)
		if !strings.HasPrefix(s, "/") && r.Dir != "" {
			at = r.Dir + "/" + s
		}
	}
	keys := []string{"glob"}
	if r.Tool == "Glob" {
		keys = []string{"pattern"}
		if _, there := in["pattern"]; !there {
			j.deny("tool.input", "Glob without a pattern")
		}
	} else if _, there := in["pattern"]; !there {
		j.deny("tool.input", "Grep without a pattern")
	} else if _, _, ok := j.str(r, in, "pattern"); !ok {
		return
	}
	for _, k := range keys {
		s, there, ok := j.str(r, in, k)
		if !ok || !there || s == "" {
			continue
		}
		j.at = s
		if strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~") || leadsUp(s) {
			fixed := s
			if i := strings.IndexAny(s, "*?[{"); i >= 0 {
				fixed = s[:i]
			}
			if leadsUp(s) && s != fixed && leadsUp(s[len(fixed):]) {
				j.deny("tool.input", "a pattern with .. after a star may lead anywhere")
			}
			j.toolPath(fixed, at, Read)
		}
	}
}

// toolPath judges a path that no shell has read: no tilde, no variable, no pattern in it means anything.
func (j *judge) toolPath(text, dir string, acc Access) {
	if text == "" {
		text = "."
	}
	if what := badByte(text); what != "" || strings.ContainsAny(text, "\n\t") {
		j.deny("path.control", "a path with invisible or control characters is not looked at")
		return
	}
	if dir == "" {
		dir = j.p.c.Root
	}
	if !strings.HasPrefix(dir, "/") {
		j.deny("request", "the working folder %q is not absolute", part(dir))
		return
	}
	if strings.HasPrefix(text, "~") {
		if text != "~" && !strings.HasPrefix(text, "~/") || j.p.c.Home == "" {
			j.deny("path.outside", "%s leads to somebody's home folder; stay inside the repository", part(text))
			return
		}
		text = j.p.c.Home + text[1:]
	}
	if acc == Write || acc == Remove {
		j.changes("writing a file")
	}
	if acc == Remove {
		j.need(grammar.NeedDestructive, "removing a file")
	}
	if acc == Execute {
		j.runs("running a file")
	}
	// Characters that are patterns in a shell are plain here: they are kept from being read as patterns.
	w := grammar.Lit(strings.NewReplacer("*", "_", "?", "_", "[", "_").Replace(text))
	j.path(w, acc, &state{cwd: []place{{path: clean(dir)}}}, "path")
}
