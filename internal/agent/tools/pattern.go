package tools

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
)

const (
	patternBytes = 1000
	patternSteps = 5000 // of the compiled program; each byte of a line can take as many
)

// compile refuses expressions that would take long on every line: x{1000} of x{1000} is short and means a million steps.
func compile(pattern string, ignoreCase bool) (*regexp.Regexp, error) {
	if pattern == "" || len(pattern) > patternBytes {
		return nil, fmt.Errorf("the pattern has %d bytes; give 1 to %d", len(pattern), patternBytes)
	}
	flags := syntax.Perl
	if ignoreCase {
		flags |= syntax.FoldCase
	}
	parsed, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, patternError(pattern, err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(program.Inst) > patternSteps {
		return nil, fmt.Errorf("the pattern %q repeats too much; use smaller counts, or * and +", excerpt.Line(pattern, 100))
	}
	if ignoreCase {
		pattern = "(?i)" + pattern
	}
	return regexp.Compile(pattern)
}

func patternError(pattern string, err error) error {
	var s *syntax.Error
	if !errors.As(err, &s) {
		return fmt.Errorf("the pattern is no regular expression: %w", err)
	}
	hint := `write characters that are meant literally with a \ before them: \( \[ \{ \. \* \+ \?`
	switch s.Code {
	case syntax.ErrInvalidPerlOp:
		hint = "this syntax has no look-around and no back-references; search for a simpler pattern"
	case syntax.ErrInvalidRepeatSize, syntax.ErrLarge, syntax.ErrNestingDepth:
		hint = "use smaller counts"
	case syntax.ErrInvalidEscape, syntax.ErrTrailingBackslash:
		hint = `a \ stands only before a character that is not a letter, or in \w \d \s \b and their like`
	}
	at := strings.Index(pattern, s.Expr)
	return fmt.Errorf("the pattern %q is no regular expression: %s at byte %d, %q; %s", excerpt.Line(pattern, 100), s.Code, max(at, 0),
		excerpt.Line(s.Expr, 60), hint)
}
