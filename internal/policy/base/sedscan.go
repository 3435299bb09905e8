package base

import (
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// sedVerdict is what a script of sed does beyond editing its input.
type sedVerdict struct {
	refuse grammar.Class // "", Ask, Deny
	why    string
	reads  []string
}

// sedScan reads a script of GNU sed. It stops at what it can't read.
type sedScan struct {
	text     string
	at       int
	brackets bool // a delimiter inside [...] does not end an expression: seds differ
	depth    int
	sedVerdict
}

// scanSed judges a script. It knows the commands that only edit; everything else is a question.
func scanSed(text string, brackets bool) sedVerdict {
	s := &sedScan{text: text, brackets: brackets}
	for s.refuse == "" && s.at < len(s.text) {
		s.command()
	}
	if s.refuse == "" && s.depth != 0 {
		s.unread("an unclosed {")
	}
	return s.sedVerdict
}

func (s *sedScan) unread(what string) {
	s.refuse, s.why = grammar.Ask, fmt.Sprintf("this sed script is not understood (%s); make it simpler, or use the Edit tool", what)
}

func (s *sedScan) deny(what string) {
	s.refuse, s.why = grammar.Deny, fmt.Sprintf("sed's %s; print, and let the shell's own redirect or command do the rest", what)
}

// peek returns the next byte, 0 at the end.
func (s *sedScan) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *sedScan) skip(set string) {
	for s.at < len(s.text) && strings.IndexByte(set, s.text[s.at]) >= 0 {
		s.at++
	}
}

// command reads one command with its addresses.
func (s *sedScan) command() {
	s.skip(" \t\n;")
	if s.at >= len(s.text) {
		return
	}
	if !s.addresses() {
		return
	}
	s.skip(" \t!")
	c := s.peek()
	s.at++
	switch c {
	case 0:
		s.unread("an address without a command")
	case '{':
		s.depth++
	case '}':
		s.depth--
		if s.depth < 0 {
			s.unread("a } too many")
			return
		}
		s.end()
	case '#':
		s.line()
	case '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
		s.end()
	case 'l', 'q', 'Q', 'L':
		s.skip(" \t")
		s.skip("0123456789")
		s.end()
	case 'a', 'i', 'c':
		s.textBlock()
	case ':', 'b', 't', 'T':
		s.label(c == ':')
	case 's':
		s.substitute()
	case 'y':
		s.transliterate()
	case 'r', 'R':
		s.skip(" \t")
		if name := s.line(); name != "/dev/stdin" {
			s.reads = append(s.reads, name)
		}
	case 'w', 'W':
		s.write(string(c) + " command writes files")
	case 'e':
		s.deny("e command runs programs")
	default:
		s.unread(fmt.Sprintf("command %q", c))
	}
}

// write judges the file name of w.
func (s *sedScan) write(what string) {
	s.skip(" \t")
	if name := s.line(); name != "/dev/stdout" && name != "/dev/stderr" {
		s.deny(what)
	}
}

// line returns the rest of the line.
func (s *sedScan) line() string {
	rest := s.text[min(s.at, len(s.text)):]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	s.at += len(rest)
	return rest
}

// end reads what may follow a command.
func (s *sedScan) end() {
	s.skip(" \t")
	switch s.peek() {
	case 0, '\n', ';':
		s.at++
	case '}', '#':
	default:
		s.unread("text behind a command")
	}
}
