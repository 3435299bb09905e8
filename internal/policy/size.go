package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const maxFile = 1 << 30 // bytes of a file that one command may make without a person

// tooLarge reports whether a program is told to make a file that is larger than maxFile.
func tooLarge(m *grammar.Match) bool {
	size := int64(0)
	switch m.Rule {
	case "truncate":
		size = flagSize(m, "-s")
	case "fallocate":
		size = flagSize(m, "-l")
	case "dd":
		block, count := int64(512), int64(0)
		for _, w := range m.Words {
			text, _ := w.Text()
			key, val, _ := strings.Cut(text, "=")
			switch key {
			case "bs", "obs":
				block = sizeOf(val)
			case "count":
				count = sizeOf(val)
			case "seek", "oseek":
				size = max(size, sizeOf(val))
			}
		}
		if block > 0 && count > maxFile/block {
			size = maxFile + 1
		} else if size > 0 && block > 0 && size > maxFile/block {
			size = maxFile + 1
		} else {
			size = block * count
		}
	}
	return size > maxFile
}

func flagSize(m *grammar.Match, flag string) int64 {
	w, ok := m.Flags[flag]
	if !ok {
		return 0
	}
	text, ok := w.Text()
	if !ok {
		return maxFile + 1
	}
	return sizeOf(strings.TrimLeft(text, "+-<>/%"))
}

// sizeOf reads a number with a unit. One that it does not know is too large.
func sizeOf(text string) int64 {
	digits := text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
	if digits == "" || len(digits) > 12 {
		return maxFile + 1
	}
	n := int64(0)
	for _, c := range digits {
		n = n*10 + int64(c-'0')
	}
	switch unit := strings.ToUpper(text[len(digits):]); {
	case unit == "", unit == "B", unit == "C":
	case unit == "W":
		n *= 2
	case strings.HasPrefix(unit, "K"):
		n <<= 10
	case strings.HasPrefix(unit, "M"):
		n <<= 20
	case strings.HasPrefix(unit, "G") && n < 1<<20:
		n <<= 30
	default:
		return maxFile + 1
	}
	return n
}
