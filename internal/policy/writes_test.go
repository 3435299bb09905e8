package policy

import (
	"testing"

	"github.com/longshift/longshift/internal/policy/grammar"
)

func TestFilesThatAScriptHasWritten(t *testing.T) {
	s, st := &writes{root: root}, &state{cwd: []place{{path: root + "/src"}}}
	glob := func(pattern string) grammar.Word {
		return grammar.Word{Parts: []grammar.Part{{Text: pattern, Source: grammar.Tree}}, Glob: true, Many: true}
	}
	s.add(grammar.Lit("a.go"), st, false)
	s.add(grammar.Lit("a.go"), st, false)
	s.add(grammar.Lit("gen"), st, true)
	if s.count() != 2 {
		t.Errorf("%d files", s.count())
	}
	for word, want := range map[string]bool{"a.go": true, "./a.go": true, root + "/src/a.go": true, "b.go": false, "gen/deep/x": true, "generated": false} {
		if s.mayHold(grammar.Lit(word), st) != want {
			t.Errorf("%s: want %v", word, want)
		}
	}
	for pattern, want := range map[string]bool{"*.go": true, "*.py": false, "**/x": true} {
		if s.mayHold(glob(pattern), st) != want {
			t.Errorf("%s: want %v", pattern, want)
		}
	}
	if name, ok := s.manifestBelow(place{path: root}); ok {
		t.Errorf("%s is no manifest", name)
	}
	s.add(grammar.Lit("Makefile"), st, false)
	if name, ok := s.manifestBelow(place{path: root}); !ok || name != "Makefile" {
		t.Errorf("manifest %q", name)
	}
}

func TestFilesThatAProgramObeys(t *testing.T) {
	st := &state{cwd: []place{{path: root}}}
	for _, c := range []struct {
		file, rule       string
		fresh, own, want bool
	}{
		{file: "package.json", rule: "npm.test", want: true},
		{file: "package.json", rule: "npm.test", own: true, want: true},
		{file: "test_a.py", rule: "pytest"},
		{file: "test_a.py", rule: "pytest", fresh: true, want: true},
		{file: "test_a.py", rule: "pytest", fresh: true, own: true},
		{file: "a.go", rule: "go.run", want: true},
		{file: "a.go", rule: "go.run", own: true},
		{file: "a.go", rule: "go.test"},
	} {
		s := &writes{root: root}
		before := s.resetOwn()
		s.add(grammar.Lit(c.file), st, false)
		if c.fresh {
			s.addFresh(grammar.Lit(c.file), st)
		}
		if c.own {
			s.ownSince(0)
		} else {
			s.restoreOwn(before)
		}
		if name, ok := s.obeyedBy(c.rule); ok != c.want {
			t.Errorf("%+v: %q %v", c, name, ok)
		}
	}
}

func TestLinksOfAScript(t *testing.T) {
	s, st := &writes{root: root}, &state{cwd: []place{{path: root + "/src"}}}
	s.addLink(grammar.Lit("l"), st)
	s.addLink(grammar.Lit("/tmp/l"), st)
	if !s.isLink("src/l") || !s.isLink(root+"/src/l") || !s.isLink("/tmp/l") || s.isLink("l") {
		t.Errorf("links are %v", s.links)
	}
	for path, want := range map[string]bool{"src/l/x": true, "src/l": false, "src/lx": false} {
		if _, ok := s.belowLink(path, false); ok != want {
			t.Errorf("%s: want %v", path, want)
		}
	}
	if link, ok := s.belowLink("src/l", true); !ok || link != "src/l" {
		t.Errorf("with a slash: %q", link)
	}
}
