package channel

// Block is one part of a text, such as a paragraph or a list item.
type Block struct {
	Kind  BlockKind
	Level int    // Item: nesting depth, from 0; Heading: 1 to 6
	Mark  string // Item: "•", "1.", "☑" or "☐"
	Spans []Span // for all kinds except Code and Rule
	Lang  string // Code: the language, may be empty
	Code  string // Code: without fences and trailing line ends
}

type BlockKind int

const (
	Paragraph BlockKind = iota
	Heading
	Item
	Quote
	Code
	Rule
)

// Span is a run of text in one style.
type Span struct {
	Text   string // plain, without markup
	Bold   bool
	Italic bool
	Strike bool
	Mono   bool
	Link   string // http or https address, or empty; the text contains it too, so it need not be shown
}
