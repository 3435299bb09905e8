package base

import (
	"fmt"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// awkScan reads the text of an awk program, token by token, just enough to distinguish regular expressions from
// divisions and redirections from comparisons. It stops at what it can't read and at what reaches beyond the input.
type awkScan struct {
	text    string
	at      int
	operand bool   // the last token ends an operand: "/" divides
	last    string // the last token
	parens  []bool // open parentheses; true for those of if, while and for
	print   int    // 1 + the number of parentheses open where a print began; 0 outside of one
	getline bool
	less    bool // a "<" has been seen
	refuse  grammar.Class
	why     string
}

// scanAwk judges a program. "" means that it only works on its input.
func scanAwk(text string) (grammar.Class, string) {
	s := &awkScan{text: text}
	for s.refuse == "" && s.at < len(s.text) {
		s.token()
	}
	if s.refuse == "" && s.getline && s.less {
		s.deny("getline from a file reads what is not its input")
	}
	return s.refuse, s.why
}

func (s *awkScan) unread(what string) {
	if s.refuse == "" {
		s.refuse, s.why = grammar.Ask, fmt.Sprintf("this awk program is not understood (%s); make it simpler, or put it in a script of the "+
			"project", what)
	}
}

func (s *awkScan) deny(what string) {
	s.refuse, s.why = grammar.Deny, fmt.Sprintf("awk's %s; print, and let the shell's own pipe or redirect do the rest", what)
}

// token reads one token.
func (s *awkScan) token() {
	c := s.text[s.at]
	switch {
	case c == ' ' || c == '\t':
		s.at++
	case c == '\\' && s.at+1 < len(s.text) && s.text[s.at+1] == '\n':
		s.at += 2
	case c == '#':
		for s.at < len(s.text) && s.text[s.at] != '\n' {
			s.at++
		}
	case c == '\n' || c == ';':
		s.statement()
		s.next(string(c), 1, false)
	case c == '"':
		s.str()
	case isNameByte(c):
		s.name()
	case c >= '0' && c <= '9' || c == '.':
		s.number()
	case c == '/':
		s.slash()
	default:
		s.operator(c)
	}
}

// next records the token just read.
func (s *awkScan) next(token string, width int, operand bool) {
	s.at += width
	s.last, s.operand = token, operand
}

// statement ends a print, unless a parenthesis is open.
func (s *awkScan) statement() {
	if s.print > 0 && len(s.parens) <= s.print-1 {
		s.print = 0
	}
}

// str reads a string.
func (s *awkScan) str() {
	for i := s.at + 1; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			i++
		case '\n':
			s.unread("a string over two lines")
			return
		case '"':
			s.last, s.operand = s.text[s.at:i+1], true
			s.at = i + 1
			return
		}
	}
	s.unread("a string without an end")
}

// number reads a number. A letter right after it may begin a name or be part of it: awks differ.
func (s *awkScan) number() {
	digits := func() {
		for s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9' {
			s.at++
		}
	}
	digits()
	if s.at < len(s.text) && s.text[s.at] == '.' {
		s.at++
		digits()
	}
	if rest := s.text[s.at:]; len(rest) > 2 && rest[0]|0x20 == 'e' && (rest[1] == '-' || rest[1] == '+') && rest[2] >= '0' && rest[2] <= '9' {
		s.at += 2
		digits()
	} else if len(rest) > 1 && rest[0]|0x20 == 'e' && rest[1] >= '0' && rest[1] <= '9' {
		s.at++
		digits()
	}
	if s.at < len(s.text) && (isNameByte(s.text[s.at]) || s.text[s.at] == '.') {
		s.unread("a number that runs into a name; put a space between them")
		return
	}
	s.next("0", 0, true)
}

// name reads a word: a variable, a function, a keyword.
func (s *awkScan) name() {
	start := s.at
	for s.at < len(s.text) && (isNameByte(s.text[s.at]) || s.text[s.at] >= '0' && s.text[s.at] <= '9') {
		s.at++
	}
	switch word := s.text[start:s.at]; word {
	case "system":
		s.deny("system() runs programs")
	case "ENVIRON":
		s.deny("ENVIRON reads the environment")
	case "ARGV", "ARGC", "SYMTAB", "FUNCTAB", "extension", "load":
		s.unread(word)
	case "getline":
		s.getline = true
		s.next(word, 0, true)
	case "print", "printf":
		s.print = 1 + len(s.parens)
		s.next(word, 0, false)
	case "return", "exit", "in", "else", "do", "case", "delete", "if", "while", "for", "switch", "BEGIN", "END", "BEGINFILE", "ENDFILE",
		"function", "func":
		s.next(word, 0, false)
	case "next", "nextfile", "break", "continue", "default":
		s.next(word, 0, false)
	default:
		s.next(word, 0, true)
	}
}
