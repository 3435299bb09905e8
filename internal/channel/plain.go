package channel

import "strings"

// Plain gives blocks as text without markup, for notifications and where a channel shows none. A link's address stands in
// brackets behind its words.
func Plain(blocks []Block) string {
	var s strings.Builder
	for i, b := range blocks {
		switch {
		case i == 0:
		case b.Kind == Item && blocks[i-1].Kind == Item:
			s.WriteString("\n")
		default:
			s.WriteString("\n\n")
		}
		s.WriteString(plainBlock(b))
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
	for i, sp := range spans {
		s.WriteString(sp.Text)
		last := i == len(spans)-1 || spans[i+1].Link != sp.Link // a link may have several spans
		if sp.Link != "" && last && !sameAddress(sp.Text, sp.Link) {
			s.WriteString(" (" + sp.Link + ")")
		}
	}
	return s.String()
}
