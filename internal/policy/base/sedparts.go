package base

import "strings"

// addresses reads up to two addresses. It reports whether it could.
func (s *sedScan) addresses() bool {
	if !s.address(false) {
		return s.refuse == ""
	}
	s.skip(" \t")
	if s.peek() == ',' {
		s.at++
		s.skip(" \t")
		if !s.address(true) {
			if s.refuse == "" {
				s.unread("a comma without an address")
			}
			return false
		}
	}
	return true
}

// address reads one address if there is one.
func (s *sedScan) address(second bool) bool {
	switch c := s.peek(); {
	case c >= '0' && c <= '9':
		s.skip("0123456789")
		s.skip(" \t")
		if s.peek() == '~' {
			s.at++
			s.skip("0123456789")
		}
		return true
	case c == '$':
		s.at++
		return true
	case second && (c == '+' || c == '~'):
		s.at++
		s.skip("0123456789")
		return true
	case c == '/' || c == '\\':
		s.at++
		if c == '\\' {
			c = s.peek()
			s.at++
		}
		if !s.until(c, true) {
			s.unread("an address without an end")
			return false
		}
		s.skip("IM")
		return true
	}
	return false
}

// until reads up to after the next delimiter. It reports whether there was one.
func (s *sedScan) until(delim byte, regex bool) bool {
	if delim == 0 || delim == '\n' || delim == '\\' || delim >= 0x80 || delim == ' ' {
		return false
	}
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch {
		case c == delim:
			return true
		case c == '\\':
			s.at++
		case c == '\n' && regex:
			return false
		case c == '[' && regex && s.brackets:
			s.class()
		}
	}
	return false
}

// class reads a bracket expression that ends on the line.
func (s *sedScan) class() {
	i := s.at
	if i < len(s.text) && s.text[i] == '^' {
		i++
	}
	if i < len(s.text) && s.text[i] == ']' {
		i++
	}
	for ; i < len(s.text) && s.text[i] != '\n'; i++ {
		switch s.text[i] {
		case ']':
			s.at = i + 1
			return
		case '[':
			if i+1 < len(s.text) && strings.IndexByte(":.=", s.text[i+1]) >= 0 {
				if end := strings.Index(s.text[i+2:], s.text[i+1:i+2]+"]"); end >= 0 && !strings.Contains(s.text[i:i+2+end], "\n") {
					i += end + 3
				}
			}
		}
	}
}

// textBlock reads the text of a, i and c: to the end of the line, or further when a backslash ends it.
func (s *sedScan) textBlock() {
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		if c == '\\' {
			s.at++
		} else if c == '\n' {
			return
		}
	}
}

// label reads the name after : b t T.
func (s *sedScan) label(needed bool) {
	s.skip(" \t")
	start := s.at
	for s.at < len(s.text) && (isNameByte(s.text[s.at]) || strings.IndexByte("0123456789.-", s.text[s.at]) >= 0) {
		s.at++
	}
	if needed && s.at == start {
		s.unread("a label without a name")
		return
	}
	s.end()
}

// substitute reads s/regex/replacement/flags.
func (s *sedScan) substitute() {
	delim := s.peek()
	s.at++
	if !s.until(delim, true) || !s.until(delim, false) {
		s.unread("an s command without an end")
		return
	}
	for s.refuse == "" {
		switch c := s.peek(); c {
		case 'g', 'p', 'i', 'I', 'm', 'M', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			s.at++
		case 'e':
			s.deny("e flag runs programs")
		case 'w':
			s.at++
			s.write("w flag writes files")
			return
		default:
			s.end()
			return
		}
	}
}

// transliterate reads y/abc/xyz/.
func (s *sedScan) transliterate() {
	delim := s.peek()
	s.at++
	for range 2 {
		if !s.until(delim, false) {
			s.unread("a y command without an end")
			return
		}
	}
	s.end()
}
