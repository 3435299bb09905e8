package base

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// findPrograms are find and its relatives.
func findPrograms() []grammar.Program {
	return []grammar.Program{whole("find gfind", grammar.Inspect, find), whole("fd fdfind", grammar.Inspect, fd)}
}

// findWords has the kind of the value that follows a test or an action of find, if any.
var findWords = findTable()

func findTable() map[string]grammar.Kind {
	table := map[string]grammar.Kind{}
	for kind, names := range map[grammar.Kind]string{
		"": `-empty -executable -readable -writable -false -true -nogroup -nouser -daystart -depth -d -mount -xdev -noleaf
			-ignore_readdir_race -noignore_readdir_race -warn -nowarn -follow -print -print0 -ls -prune -quit -o -or -a -and -not ! ( )
			,`,
		grammar.Data: `-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -perm -user -group -uid -gid
			-links -inum -lname -ilname -mtime -atime -ctime -mmin -amin -cmin -used -maxdepth -mindepth -fstype -context -printf`,
		grammar.List: "-newer -anewer -cnewer -samefile",
	} {
		for _, n := range strings.Fields(names) {
			table[n] = kind
		}
	}
	return table
}

// finder reads a find command line.
type finder struct {
	m        *grammar.Match
	words    []grammar.Word
	at       int
	paths    []grammar.Word
	outside  bool    // a start path lies outside the tree, or may
	follows  bool    // -L: what it finds may lie outside
	links    bool    // -type l: it finds links
	groups   []group // the parentheses that are open, the whole expression first
	negated  bool    // the next test is turned round
	silenced bool    // the output is not just names
}

// group is the part of an expression in parentheses that has been read.
type group struct {
	branch  bool // the tests since the last -o name what is found
	all     bool // and so do those of each earlier branch
	negated bool
}

func find(m *grammar.Match) {
	f := &finder{m: m, words: m.Words, groups: []group{{all: true}}}
	f.starts()
	for f.at < len(f.words) && len(m.Refused) == 0 {
		f.step()
	}
	if len(m.Refused) == 0 && !f.silenced {
		m.Yields = grammar.YieldsTree
	}
}

// narrow reports whether the tests before an action restrict it by names, so that it can't apply to everything.
func (f *finder) narrow() bool {
	for _, g := range f.groups {
		if g.branch {
			return true
		}
	}
	return false
}

// sign reads parentheses and operators. It reports whether the word was one.
func (f *finder) sign(text string) bool {
	top := &f.groups[len(f.groups)-1]
	switch text {
	case "(":
		f.groups = append(f.groups, group{all: true, negated: f.negated})
		f.negated = false
	case ")":
		if len(f.groups) == 1 {
			f.m.Ask(".expression", "find has a ) too many")
			return true
		}
		f.groups = f.groups[:len(f.groups)-1]
		if names := top.branch && top.all && !top.negated; names {
			f.groups[len(f.groups)-1].branch = true
		}
	case "-o", "-or", ",":
		top.all, top.branch = top.all && top.branch, false
	case "!", "-not":
		f.negated = !f.negated
	case "-a", "-and":
	default:
		return false
	}
	return true
}

// starts reads the options before the paths, and the paths.
func (f *finder) starts() {
	for ; f.at < len(f.words); f.at++ {
		w := f.words[f.at]
		text, prefix := "", w.Prefix()
		text, _ = w.Text()
		switch {
		case text == "-L":
			f.follows = true
		case text == "-H", text == "-P", text == "-O1", text == "-O2", text == "-O3":
		case strings.HasPrefix(prefix, "-"), text == "(", text == ")", text == "!", text == ",":
			return
		case w.Source() == grammar.Any && (prefix == "" || w.Many):
			f.m.Ask(".unknown", "where find starts is not known; write the folder out")
			return
		default:
			f.m.Use(grammar.List, w, "")
			f.paths = append(f.paths, w)
			f.outside = f.outside || leadsOut(w)
		}
	}
}

// step reads one test or action.
func (f *finder) step() {
	w := f.words[f.at]
	f.at++
	text, ok := w.Text()
	if !ok {
		f.m.Ask(".unknown", "a test of find contains unknown text; write it out")
		return
	}
	f.m.Flags[text] = grammar.Word{}
	if f.sign(text) {
		return
	}
	turned := f.negated
	f.negated = false
	switch text {
	case "-exec", "-execdir", "-ok", "-okdir":
		f.exec(text)
		return
	case "-delete":
		f.remove()
		return
	case "-fprint", "-fprint0", "-fprintf", "-fls", "-files0-from":
		f.m.Deny(".write", text+" of find writes or reads a file of its own; use a redirect")
		return
	case "-printf", "-ls":
		f.silenced = true
	case "-follow":
		f.follows = true
	case "-empty":
		f.names(!turned)
	}
	kind, known := findWords[text]
	if strings.HasPrefix(text, "-newer") && len(text) == 8 && !known {
		kind, known = grammar.List, true
		if text[7] == 't' {
			kind = grammar.Data
		}
	}
	if !known {
		f.m.Ask(".test", "find knows no harmless "+text+" here; leave it out, or let a person run it")
		return
	}
	if kind != "" {
		f.value(text, kind, turned)
	}
}

// names records a test that names what is found.
func (f *finder) names(yes bool) {
	if yes {
		f.groups[len(f.groups)-1].branch = true
	}
}

// value reads the word after a test.
func (f *finder) value(test string, kind grammar.Kind, turned bool) {
	if f.at >= len(f.words) {
		f.m.Ask(".test", test+" of find misses its value")
		return
	}
	w := f.words[f.at]
	f.at++
	if w.Many && w.Source() == grammar.Any {
		f.m.Ask(".unknown", "the value of "+test+" may become several words; put it in double quotes")
		return
	}
	f.m.Use(kind, w, test)
	switch test {
	case "-type", "-xtype":
		f.links = f.links || strings.Contains(w.Prefix(), "l")
	case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex":
		text, ok := w.Text()
		f.names(!turned && ok && strings.Trim(text, "*?.[]/^$+") != "")
	}
}
