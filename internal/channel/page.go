package channel

import "github.com/longshift/longshift/task"

// Page is what a person sees in Longshift's own place on a channel, which only they see.
type Page struct {
	Parts []Part
}

// Part is a list with a title.
type Part struct {
	Title   string // without markup
	Entries []Entry
}

// Entry is one paragraph of a page.
type Entry struct {
	Text string           // Markdown
	At   *task.MessageRef // the message to go on from, which is linked; nil for none
}
