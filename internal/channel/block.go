package channel

// Block is one part of a text, from top to bottom.
type Block struct {
	Kind  BlockKind
	Level int    // Item: depth of the list, from 0; Heading: 1 to 6
	Mark  string // Item: "•", "1.", "☑" or "☐"
	Spans []Span // of all kinds but Code and Rule
	Lang  string // Code: the language, may be empty
	Code  string // Code: without the fence, no line end at the end
}

// BlockKind is the kind of a block.
type BlockKind int

// The kinds.
const (
	Paragraph BlockKind = iota
	Heading
	Item
	Quote
	Code
	Rule
)

// Span is a run of text that looks the same.
type Span struct {
	Text   string // plain: no markup is left in it
	Bold   bool
	Italic bool
	Strike bool
	Mono   bool
	Link   string // http or https address, empty for none; it is to be read in the text too, so it needs no showing
}
