package grammar

import (
	"fmt"
	"sort"
	"strings"
	"testing"
)

// words makes words from a line: $x is unknown, $x* unknown and unquoted, %t a tree name, %n digits; a glob character makes a
// glob; the rest is literal.
func words(line string) []Word {
	var all []Word
	for _, f := range strings.Fields(line) {
		all = append(all, word(f))
	}
	return all
}

func word(f string) Word {
	var w Word
	for f != "" {
		i := strings.IndexAny(f, "$%*")
		if i < 0 {
			i = len(f)
		}
		if f != "" && i == len(f) {
			w.Parts = append(w.Parts, Part{Text: f})
			break
		}
		switch {
		case f[i] == '*':
			w.Parts = append(w.Parts, Part{Text: f, Source: Tree})
			w.Glob, w.Many = true, true
			return w
		case i > 0:
			w.Parts = append(w.Parts, Part{Text: f[:i]})
		}
		mark := f[i : i+2]
		f = f[i+2:]
		switch mark {
		case "$x":
			w.Parts = append(w.Parts, Part{Source: Any})
		case "$m":
			w.Parts = append(w.Parts, Part{Source: Any})
			w.Many = true
		case "%t":
			w.Parts = append(w.Parts, Part{Source: Tree})
		case "%m":
			w.Parts = append(w.Parts, Part{Source: Tree})
			w.Many = true
		case "%n":
			w.Parts = append(w.Parts, Part{Source: Digits})
		}
	}
	return w
}

// show prints a match in one line: class, uses, refusals by rule.
func show(m *Match) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s:", m.Rule, m.Class)
	for _, u := range m.Uses {
		fmt.Fprintf(&b, " %s", u.Kind)
		if u.Via != "" {
			fmt.Fprintf(&b, "(%s)", u.Via)
		}
		fmt.Fprintf(&b, "=%s", u.Word)
		for _, r := range u.Rest {
			fmt.Fprintf(&b, ",%s", r)
		}
	}
	var rules []string
	for _, r := range m.Refused {
		rules = append(rules, string(r.Class)+r.Rule)
	}
	sort.Strings(rules)
	if len(rules) > 0 {
		fmt.Fprintf(&b, " !%s", strings.Join(rules, ","))
	}
	return b.String()
}

var (
	sortTable = Program{Names: []string{"sort"}, Spec: Spec{Class: Inspect, Args: "read*",
		Opts: "-r,--reverse -n -u,--unique -k,--key=data -o,--output=write !--compress-program -T=never --parallel=number --sort=a|numeric|month --color?=auto|always -#"}}
	grepTable = Program{Names: []string{"grep"}, Spec: Spec{Class: Inspect, Args: "data read*",
		Opts: "-r,-R,--recursive -n -c -i -e,--regexp=data -f,--file=read -A,--after-context=number --include=data"}}
	cpTable   = Program{Names: []string{"cp"}, Spec: Spec{Class: Change, Args: "read* write", Opts: "-r,-R,--recursive -p -t=write"}}
	wcTable   = Program{Names: []string{"wc"}, Spec: Spec{Class: Inspect, Args: "read*", Opts: "-l -c -w"}}
	echoTable = Program{Names: []string{"echo"}, Spec: Spec{Class: Inspect, Style: Bare, Args: "data*"}}
	timeout   = Program{Names: []string{"timeout"}, Spec: Spec{Class: Inspect, Style: Posix, Args: "number command",
		Opts: "-s,--signal=name -k,--kill-after=number --foreground"}}
	envTable = Program{Names: []string{"env"}, Spec: Spec{Class: Inspect, Style: Posix, Args: "assign* command", Opts: "-i -u=name !-S,--split-string"}}
	goTable  = Program{Names: []string{"go"}, Spec: Spec{Subs: map[string]Spec{
		"test": {Class: Run, Style: GoFlag, Args: "name*", Opts: "-run=data -v -race -count=number !-exec -o=write"},
		"env":  {Class: Inspect, Args: "name*", Opts: "-json !-w"},
		"mod":  {Subs: map[string]Spec{"tidy": {Class: Change, Opts: "-v"}}},
	}}}
	gitTable = Program{Names: []string{"git"}, Spec: Spec{Class: Inspect, Opts: "-C=dir --no-pager !-c=data !--exec-path", Subs: map[string]Spec{
		"log":    {Opts: "--oneline -n=number -# --format=data -S?=data", Args: "rev*"},
		"commit": {Class: Change, Opts: "-a,--all -m,--message=data --amend", Args: "read*"},
	}, SubElse: &Spec{Opts: "--version --help"}}}
	gccTable = Program{Names: []string{"gcc"}, Spec: Spec{Class: Run, Style: Single, Args: "read*",
		Opts: "-o=write -W* -I*=read -D*=data -c -O?=data !-wrapper"}}
	sedTable = Program{Names: []string{"sed"}, Spec: Spec{Class: Change, Args: "data read*", Opts: "-n -i?=data -E -e=data"}}
	npmTable = Program{Names: []string{"yarn"}, Spec: Spec{Class: Run, Opts: "--silent", Subs: map[string]Spec{"publish": {Class: Deny, Why: "it publishes"}},
		SubElse: &Spec{Opts: "--verbose --version", Args: "name data*"}}}
	tarTable  = Program{Names: []string{"tar"}, Spec: Spec{Class: Change, Args: "read*", Opts: "-c !--to-command"}}
	headTable = Program{Names: []string{"head"}, Spec: Spec{Class: Inspect, Args: "read*", Opts: "-n,--lines=number -q -#"}}
	cutTable  = Program{Names: []string{"x"}, Spec: Spec{Class: Inspect, Args: "data read? write?", Opts: ""}}
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		p    Program
		line string
		want string
	}{
		{sortTable, "-rnu a b", "sort inspect: read=a read=b"},
		{sortTable, "a -o b", "sort inspect: write(-o)=b read=a"},
		{sortTable, "-ob a", "sort inspect: write(-o)=b read=a"},
		{sortTable, "-rob a", "sort inspect: write(-o)=b read=a"},
		{sortTable, "--output=b a", "sort inspect: write(--output)=b read=a"},
		{sortTable, "--output b a", "sort inspect: write(--output)=b read=a"},
		{sortTable, "--outpu=b a", "sort inspect: read=a !ask.option"},
		{sortTable, "--compress-prog=x a", "sort inspect: read=a !deny.option"},
		{sortTable, "--compress-program=x", "sort inspect: !deny.option"},
		{sortTable, "-T /tmp", "sort inspect: !deny.option"},
		{sortTable, "-z", "sort inspect: !ask.option"},
		{sortTable, "-rz", "sort inspect: !ask.option"},
		{sortTable, "-- -o b", "sort inspect: read=-o read=b"},
		{sortTable, "--sort=month", "sort inspect:"},
		{sortTable, "--sort=x", "sort inspect: !ask.option"},
		{sortTable, "--color a", "sort inspect: read=a"},
		{sortTable, "--color=always a", "sort inspect: read=a"},
		{sortTable, "--reverse=x", "sort inspect: !ask.option"},
		{sortTable, "-k", "sort inspect: !ask.option"},
		{sortTable, "-12 a", "sort inspect: read=a"},
		{sortTable, "-1x", "sort inspect: !ask.option"},
		{sortTable, "*", "sort inspect: read=*"},
		{tarTable, "*", "tar change: read=* !ask.unknown"},
		{tarTable, "*.c", "tar change: read=*.c"},
		{tarTable, "src/*", "tar change: read=src/*"},
		{sortTable, "*.txt", "sort inspect: read=*.txt"},
		{sortTable, "src/*", "sort inspect: read=src/*"},
		{sortTable, "-- *", "sort inspect: read=*"},
		{sortTable, "%m", "sort inspect: read=..."},
		{sortTable, "$x", "sort inspect: read=... !ask.unknown"},
		{sortTable, "-k$x a", "sort inspect: data(-k)=... read=a"},
		{sortTable, "-k$m a", "sort inspect: read=a !ask.unknown"},
		{sortTable, "-k $m a", "sort inspect: read=a !ask.unknown"},
		{sortTable, "-r$x a", "sort inspect: read=a !ask.unknown"},
		{sortTable, "-$x a", "sort inspect: read=a !ask.unknown"},
		{sortTable, "--out$x", "sort inspect: !ask.unknown"},
		{sortTable, "--key=$x", "sort inspect: data(--key)=..."},
		{sortTable, "--key=$m", "sort inspect: !ask.unknown"},
		{grepTable, "-rn foo a b", "grep inspect: data=foo read=a read=b"},
		{grepTable, "foo", "grep inspect: data=foo"},
		{grepTable, "foo %m", "grep inspect: data=foo read=..."},
		{grepTable, "foo *", "grep inspect: data=foo read=*"},
		{grepTable, "%m foo", "grep inspect: data=... read=... data=foo read=foo"},
		{grepTable, "--include=*.go x", "grep inspect: data(--include)=*.go data=x"},
		{grepTable, "foo$x a", "grep inspect: data=foo... read=a"},
		{grepTable, "$x a", "grep inspect: data=... read=a !ask.unknown"},
		{grepTable, "-e $x a", "grep inspect: data(-e)=... data=a"},
		{cpTable, "a b c", "cp change: read=a read=b write=c"},
		{cpTable, "a", "cp change: write=a"},
		{cpTable, "src/* d", "cp change: read=src/* write=d"},
		{cpTable, "a src/*", "cp change: read=a write=src/* read=src/*"},
		{cpTable, "a %m", "cp change: write=a read=a write=... read=..."},
		{wcTable, "-l %m", "wc inspect: read=..."},
		{echoTable, "-e -n $m $x --", "echo inspect: data=-e data=-n data=... data=... data=--"},
		{timeout, "-k 5 10s sort -o b", "timeout inspect: number(-k)=5 number=10s command=sort,-o,b"},
		{timeout, "10s", "timeout inspect: number=10s !ask.operand"},
		{timeout, "10s -- sort", "timeout inspect: number=10s command=--,sort"},
		{envTable, "A=1 B=$x sort a", "env inspect: assign=A=1 assign=B=... command=sort,a"},
		{envTable, "-u X sort", "env inspect: name(-u)=X command=sort"},
		{envTable, "-Sx", "env inspect: !ask.operand,deny.option"},
		{goTable, "test -run=Foo -count 3 ./... -exec x", "go.test run: data(-run)=Foo number(-count)=3 name=./... name=-exec name=x"},
		{goTable, "test -exec x ./...", "go.test run: name=x name=./... !deny.option"},
		{goTable, "test --exec=x ./...", "go.test run: name=./... !deny.option"},
		{goTable, "test -v=false .", "go.test run: name=."},
		{goTable, "mod tidy -v", "go.mod.tidy change:"},
		{goTable, "mod", "go.mod : !ask.subcommand"},
		{goTable, "$x", "go : !ask.subcommand"},
		{goTable, "generate", "go : !ask.subcommand"},
		{gitTable, "-C sub log --oneline -5", "git.log inspect: dir(-C)=sub"},
		{gitTable, "-c x=y log", "git.log inspect: !deny.option"},
		{gitTable, "--exec-p=x log", "git.log inspect: !deny.option"},
		{gitTable, "--version", "git inspect:"},
		{gitTable, "--version log", "git.log inspect: !ask.option"},
		{gitTable, "commit -am x", "git.commit change: data(-m)=x"},
		{gitTable, "lo", "git inspect: !ask.operand"},
		{gccTable, "-Wall -Iinc -DX=1 -O2 -o out a.c", "gcc run: read(-I)=inc data(-D)=X=1 data(-O)=2 write(-o)=out read=a.c"},
		{gccTable, "-wrapper x a.c", "gcc run: read=x read=a.c !deny.option"},
		{gccTable, "-I a.c", "gcc run: read=a.c !ask.option"},
		{sedTable, "-i s/a/b/ f", "sed change: data=s/a/b/ read=f"},
		{sedTable, "-ni.bak s/a/b/ f", "sed change: data(-i)=.bak data=s/a/b/ read=f"},
		{npmTable, "build --x", "yarn run: name=build !ask.option"},
		{npmTable, "--silent publish", "yarn.publish deny:"},
		{npmTable, "--verbose publish", "yarn.publish deny: !ask.option"},
		{npmTable, "--version", "yarn run:"},
		{headTable, "-20", "head inspect:"},
		{headTable, "-n-5 f", "head inspect: number(-n)=-5 read=f"},
		{cutTable, "a", "x inspect: data=a"},
		{cutTable, "a b c", "x inspect: data=a read=b write=c"},
		{cutTable, "a b c d", "x inspect: !ask.operand"},
	} {
		if got := show(parse(t, c.p, words(c.line))); got != c.want {
			t.Errorf("%s %s:\n got %s\nwant %s", c.p.Names[0], c.line, got, c.want)
		}
	}
}

func parse(t testing.TB, p Program, words []Word) *Match {
	t.Helper()
	table, err := Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	return table.Parse(words)
}
