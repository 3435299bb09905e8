package base

import (
	"fmt"
	"strings"
)

// slash reads a regular expression or a division.
func (s *awkScan) slash() {
	switch {
	case s.last == "++" || s.last == "--" || s.last == "getline" || s.last == "next" || s.last == "nextfile" || s.last == "break" ||
		s.last == "continue" || s.last == "BEGIN" || s.last == "END":
		s.unread("a slash that may be two things")
	case s.operand:
		s.next("/", 1, false)
	default:
		s.regex()
	}
}

// regex reads a regular expression. A slash inside brackets ends it for some awks and not for others.
func (s *awkScan) regex() {
	class := false
	for i := s.at + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '\\':
			i++
		case c == '\n':
			s.unread("a regular expression over two lines")
			return
		case c == '[' && !class:
			class = true
			if i+1 < len(s.text) && s.text[i+1] == '^' {
				i++
			}
			if i+1 < len(s.text) && s.text[i+1] == ']' {
				i++
			}
		case c == '[' && i+1 < len(s.text) && s.text[i+1] == ':':
			if end := strings.Index(s.text[i:], ":]"); end > 0 {
				i += end + 1
			}
		case c == ']':
			class = false
		case c == '/' && class:
			s.unread("a slash in brackets; write it as \\/ outside of them")
			return
		case c == '/':
			s.next("/re/", i+1-s.at, true)
			return
		}
	}
	s.unread("a regular expression without an end")
}

// operator reads an operator.
func (s *awkScan) operator(c byte) {
	two := s.text[s.at:min(s.at+2, len(s.text))]
	switch {
	case two == "||" || two == "&&" || two == "==" || two == "!=" || two == "<=" || two == "+=" || two == "-=" || two == "*=" ||
		two == "%=" || two == "^=" || two == "!~":
		s.next(two, 2, false)
	case two == "++" || two == "--":
		s.next(two, 2, s.operand)
	case c == '|':
		s.deny("| starts a program")
	case two == ">>":
		s.redirect(2)
	case two == ">=":
		if s.print > 0 && len(s.parens) == s.print-1 {
			s.unread("> in a print; put the comparison in parentheses")
		}
		s.next(two, 2, false)
	case c == '>' && s.print > 0 && len(s.parens) == s.print-1:
		s.redirect(1)
	case c == '<':
		s.less = true
		s.next("<", 1, false)
	case c == '(':
		s.parens = append(s.parens, s.last == "if" || s.last == "while" || s.last == "for" || s.last == "switch")
		s.next("(", 1, false)
	case c == ')':
		s.close()
	case c == '{' || c == '}':
		s.brace(c)
	case c == ']':
		s.next("]", 1, true)
	case strings.IndexByte("+-*%^!~?:,[=>$", c) >= 0:
		s.next(string(c), 1, false)
	default:
		s.unread(fmt.Sprintf("%q", c))
	}
}

// close ends a parenthesis. After those of if, while and for, a statement begins.
func (s *awkScan) close() {
	if len(s.parens) == 0 {
		s.unread("a ) too many")
		return
	}
	control := s.parens[len(s.parens)-1]
	s.parens = s.parens[:len(s.parens)-1]
	if s.print > 0 && len(s.parens) < s.print-1 {
		s.unread("a ) in a print")
		return
	}
	s.next(")", 1, !control)
}

func (s *awkScan) brace(c byte) {
	if len(s.parens) > 0 {
		s.unread("a brace in parentheses")
		return
	}
	s.print = 0
	s.next(string(c), 1, false)
}

// redirect judges the target of a print, which may only be one of the two streams.
func (s *awkScan) redirect(width int) {
	rest := strings.TrimLeft(s.text[s.at+width:], " \t")
	for _, stream := range []string{`"/dev/stderr"`, `"/dev/stdout"`} {
		if after, ok := strings.CutPrefix(rest, stream); ok {
			after = strings.TrimLeft(after, " \t")
			if after == "" || strings.IndexByte(";\n}", after[0]) >= 0 {
				s.next(stream, len(s.text)-len(after)-s.at, true)
				return
			}
		}
	}
	s.deny("> in a print writes files")
}
