package project

import (
	"cmp"
	"strings"
)

// closing returns the offset after the quote that closes the one at from.
func (s *source) closing(from int, quote byte) (int, error) {
	if s.text[from] != quote {
		return 0, errForm
	}
	for i := from + 1; i < len(s.text); i++ {
		switch {
		case quote == '"' && s.text[i] == '\\':
			i++
		case s.text[i] != quote:
		case quote == '\'' && strings.HasPrefix(s.text[i+1:], "'"): // a doubled quote is an escaped one
			i++
		default:
			return i + 1, nil
		}
	}
	return 0, errForm
}

// endOfFlow returns the offset after the bracket that closes the one at from.
func (s *source) endOfFlow(from int) (int, error) {
	depth := 0
	for i := from; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return i + 1, nil
			}
		case (c == '"' || c == '\'') && strings.ContainsRune(" \t\n[{,:", rune(s.text[max(i-1, 0)])):
			end, err := s.closing(i, c)
			if err != nil {
				return 0, err
			}
			i = end - 1
		case c == '#' && i > 0 && strings.ContainsRune(" \t\n", rune(s.text[i-1])):
			i = s.lineEnd(i)
		}
	}
	return 0, errForm
}

// endOfPlain returns the offset after an unquoted value. The value may span lines, which YAML folds into spaces.
func (s *source) endOfPlain(from int, value string, flow bool) (int, error) {
	folded, blank := "", 0
	for at := from; at < len(s.text); {
		end := s.lineEnd(at)
		line := strings.TrimLeft(s.text[at:end], " \t")
		part := plainPart(line, flow)
		if part == "" {
			blank++
		} else {
			switch {
			case folded == "":
			case blank > 0:
				folded += strings.Repeat("\n", blank)
			default:
				folded += " "
			}
			folded, blank = folded+part, 0
			if folded == value {
				return end - len(line) + len(part), nil
			}
		}
		next := strings.IndexByte(s.text[end:], '\n')
		if next < 0 || len(folded) > len(value) || part != strings.TrimRight(line, " \t") {
			break
		}
		at = end + next + 1
	}
	return 0, errForm
}

// plainPart returns the part of a line that belongs to an unquoted value: up to a comment or a colon, and inside braces also up to a
// comma or bracket.
func plainPart(line string, flow bool) string {
	end := len(line)
	for i := range len(line) {
		c, spaceNext := line[i], i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t'
		if c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') || c == ':' && spaceNext || flow && strings.IndexByte(",[]{}", c) >= 0 {
			end = i
			break
		}
	}
	return strings.TrimRight(line[:end], " \t")
}

// endOfLines returns the offset after the last line of a block scalar, before its line end. The block is indented more than the mapping
// around it.
func (s *source) endOfLines(from, parent int) (int, error) {
	if s.text[from] != '|' && s.text[from] != '>' {
		return 0, errForm
	}
	end := s.lineEnd(from)
	for at, depth := end, 0; ; {
		next := strings.IndexByte(s.text[at:], '\n')
		if next < 0 {
			return end, nil
		}
		begin := at + next + 1
		at = s.lineEnd(begin)
		line := s.text[begin:at]
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if indent == len(line) {
			continue // whether it belongs depends on what follows
		}
		depth = cmp.Or(depth, indent)
		if indent <= parent || indent < depth {
			return end, nil
		}
		end = at
	}
}
