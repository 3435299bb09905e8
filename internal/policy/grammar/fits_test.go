package grammar

import (
	"strings"
	"testing"
)

func TestFits(t *testing.T) {
	anyWord := Word{Parts: []Part{{Source: Any}}}
	tree := Word{Parts: []Part{{Source: Tree}}}
	plain := Word{Parts: []Part{{Source: Plain}}}
	digits := Word{Parts: []Part{{Source: Digits}}}
	tilde := Word{Parts: []Part{{Text: "~/x"}}, Tilde: true}
	glob := Word{Parts: []Part{{Text: "*.go", Source: Tree}}, Glob: true, Many: true}
	for _, c := range []struct {
		w    Word
		fit  string // kinds that it fits
		none string // kinds that it does not
	}{
		{anyWord, "data", "number name rev package read list write remove code dir command shell assign local never"},
		{tree, "data name rev read list write remove code dir", "number package command shell assign local never"},
		{plain, "data number name rev read list write remove code dir", "package command shell assign local never"},
		{digits, "data number name rev read write", "package command shell assign local never"},
		{tilde, "data", "read write code name command dir"},
		{glob, "data read list write name", "number command shell package local"},
		{Lit("12"), "number name data read", "never"},
		{Lit("-5"), "number data", "name rev"},
		{Lit("120s"), "number", "local"},
		{Lit("1,80"), "number", "never"},
		{Lit("x y"), "data read shell command", "number package"},
		{Lit("https://evil.example/x"), "data", "name rev package number local"},
		{Lit("ext::sh -c id"), "data", "rev package"},
		{Lit("../x"), "data read write", "name package"},
		{Lit("a/../../x"), "data", "name"},
		{Lit("/etc/x"), "data read", "name package"},
		{Lit("./..."), "name", "package"},
		{Lit("main...HEAD"), "rev name", "package"},
		{Lit("HEAD~2:src/x"), "rev", "package number"},
		{Lit("lodash"), "package name", "local"},
		{Lit("@types/node"), "package", "local"},
		{Lit("evil/repo"), "name", "package"},
		{Lit("git+https://x"), "data", "package name"},
		{Lit("requests[socks]"), "package", "number"},
		{Lit("a\nb"), "data", "name rev package number local"},
		{Lit("A=b"), "assign data", "package"},
		{Word{Parts: []Part{{Text: "A="}, {Source: Any}}}, "assign data", "command read"},
		{Lit("localhost:3000"), "local", "package"},
		{Lit("http://127.0.0.1:8080/a?b=c"), "local", "name"},
		{Lit("http://[::1]:80/x"), "local", "name"},
		{Lit("http://localhost@evil.example/"), "data", "local"},
		{Lit("http://localhost:80@evil.example/"), "data", "local"},
		{Lit("http://localhost.evil.example"), "data", "local"},
		{Lit("http://localhost\\@evil.example"), "data", "local"},
		{Lit("http://127.0.0.1.evil.example"), "data", "local"},
		{Lit("http://2130706433"), "data", "local"},
		{Lit("file:///etc/shadow"), "data", "local name"},
		{Lit("http://[::1]@evil"), "data", "local"},
		{Lit("localhost:3000{a,b}"), "data", "local"},
	} {
		for _, k := range strings.Fields(c.fit) {
			if why := c.w.Fits(Kind(k)); why != "" {
				t.Errorf("%s does not fit %s: %s", c.w, k, why)
			}
		}
		for _, k := range strings.Fields(c.none) {
			if c.w.Fits(Kind(k)) == "" {
				t.Errorf("%s fits %s", c.w, k)
			}
		}
	}
}

func TestCheckNamesWhatIsWrong(t *testing.T) {
	spec := func(change func(*Spec)) Program {
		s := Spec{Class: Inspect}
		change(&s)
		return Program{Names: []string{"tool"}, Spec: s}
	}
	for want, p := range map[string]Program{
		"without a name":               {},
		"not a name":                   {Names: []string{"a b"}, Spec: Spec{Class: Inspect}},
		`"fine" is no class`:           spec(func(s *Spec) { s.Class = "fine" }),
		"no class":                     spec(func(s *Spec) { s.Class = "" }),
		"needs a Why":                  spec(func(s *Spec) { s.Class = Deny }),
		`"dos" is no style`:            spec(func(s *Spec) { s.Style = "dos" }),
		`"file" is no kind`:            spec(func(s *Spec) { s.Opts = "-o=file" }),
		`"o" is no option name`:        spec(func(s *Spec) { s.Opts = "o=read" }),
		`"-o" is there twice`:          spec(func(s *Spec) { s.Opts = "-o -o=read" }),
		"would match every option":     spec(func(s *Spec) { s.Opts = "-*" }),
		"has ? but no =kind":           spec(func(s *Spec) { s.Opts = "--color?" }),
		`operand "file": no such kind`: spec(func(s *Spec) { s.Args = "file" }),
		"more than one of ? * +":       spec(func(s *Spec) { s.Args = "read*?" }),
		"more than one operand with *": spec(func(s *Spec) { s.Args = "read* write*" }),
		"nothing can follow a command": spec(func(s *Spec) { s.Args = "command read" }),
		"before a command":             spec(func(s *Spec) { s.Args = "read? command" }),
		"a sub-command without a name": spec(func(s *Spec) { s.Subs = map[string]Spec{"": {}} }),
		"sub: option entry":            spec(func(s *Spec) { s.Subs = map[string]Spec{"sub": {Opts: "x"}} }),
		"other sub-commands: option":   spec(func(s *Spec) { s.SubElse = &Spec{Opts: "x"} }),
	} {
		if _, err := Compile(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Compile: %v, want %q", err, want)
		}
	}
}

func TestJudgeAndWhole(t *testing.T) {
	judged := 0
	p := Program{Names: []string{"tool"}, Spec: Spec{Class: Inspect, Opts: "-v !-x -g=data", Judge: func(m *Match) { judged++ }, Subs: map[string]Spec{
		"sub":   {Opts: "-a=read", Args: "data?", Class: Run, Judge: func(m *Match) { m.Use(Write, Lit("out"), ""); m.Needs = append(m.Needs, NeedTmp) }},
		"whole": {Whole: func(m *Match) { m.Deny(".no", "no"); m.StdinCode = true }},
	}}}
	m := parse(t, p, words("-v -g k sub -a f d"))
	if show(m) != "tool.sub run: data(-g)=k read(-a)=f data=d write=out" || judged != 1 || !m.Has("-v") || !m.Has("-a") || len(m.Needs) != 1 || len(m.Words) != 3 {
		t.Errorf("%s, judged %d times, %+v", show(m), judged, m)
	}
	if m := parse(t, p, words("whole x y")); show(m) != "tool.whole inspect: !deny.no" || !m.StdinCode || judged != 1 || len(m.Words) != 2 {
		t.Errorf("%s, judged %d times", show(m), judged)
	}
	if m := parse(t, p, words("-x sub")); judged != 1 || len(m.Refused) != 1 {
		t.Errorf("%s: a judge saw what the table had refused already", show(m))
	}
}

func FuzzParse(f *testing.F) {
	f.Add("-rnu a b --output=x -- *")
	f.Add("-$x --key=$m %t %m a*")
	f.Add("--- -- - -= --= ---=x -ob=c")
	tables := []Program{sortTable, grepTable, cpTable, tarTable, wcTable, timeout, envTable, goTable, gitTable, gccTable, sedTable, npmTable, headTable, cutTable}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.HasSuffix(line, "$") || strings.HasSuffix(line, "%") || strings.ContainsAny(line, "$%") && len(line) > 40 {
			return
		}
		var all []Word
		for _, w := range strings.Fields(line) {
			if strings.ContainsAny(w[len(w)-1:], "$%") {
				return
			}
			all = append(all, word(w))
		}
		for _, p := range tables {
			m := parse(t, p, all)
			used := map[string]bool{}
			for _, u := range m.Uses {
				used[u.Word.String()] = true
			}
			if m.Flags == nil || m.Rule == "" {
				t.Fatalf("%s %q: %+v", p.Names[0], line, m)
			}
			// No word is lost: it is an option, a value, an operand, part of a command, or something was refused.
			if len(m.Refused) > 0 || m.Class == Deny || m.Class == Ask {
				continue
			}
			for _, w := range m.Words {
				text := w.String()
				if !strings.HasPrefix(text, "-") && !used[text] && !rested(m, text) && !flagged(m, text) {
					t.Fatalf("%s %q: the word %q is nowhere: %s", p.Names[0], line, text, show(m))
				}
			}
		}
	})
}

func rested(m *Match, text string) bool {
	for _, u := range m.Uses {
		for _, w := range u.Rest {
			if w.String() == text {
				return true
			}
		}
	}
	return false
}

func flagged(m *Match, text string) bool {
	for _, w := range m.Flags {
		if w.String() == text {
			return true
		}
	}
	return false
}
