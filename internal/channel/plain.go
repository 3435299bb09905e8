package channel

import "strings"

// Plain returns blocks as text without markup, for notifications and channels without formatting.
func Plain(blocks []Block) string { return Join(blocks, plainBlock) }

// Join renders blocks one below the other: list items directly, others separated by an empty line.
func Join(blocks []Block, write func(Block) string) string {
	var s strings.Builder
	for i, b := range blocks {
		switch {
		case i == 0:
		case b.Kind == Item && blocks[i-1].Kind == Item:
			s.WriteString("\n")
		default:
			s.WriteString("\n\n")
		}
		s.WriteString(write(b))
	}
	return s.String()
}

func plainBlock(b Block) string {
	switch b.Kind {
	case Code:
		return b.Code
	case Rule:
		return "———"
	case Quote:
		return "> " + strings.ReplaceAll(plainSpans(b.Spans), "\n", "\n> ")
	case Item:
		indent := strings.Repeat("  ", b.Level)
		return indent + b.Mark + " " + strings.ReplaceAll(plainSpans(b.Spans), "\n", "\n"+indent+"  ")
	}
	return plainSpans(b.Spans)
}

func plainSpans(spans []Span) string {
	var s strings.Builder
	for _, sp := range spans {
		s.WriteString(sp.Text)
	}
	return s.String()
}
