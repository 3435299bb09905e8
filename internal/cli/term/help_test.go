package term

import (
	"bytes"
	"testing"
)

// Help and messages fit the terminal; what people copy is left as it is, and so is everything by pipe.
func TestFitsTheTerminal(t *testing.T) {
	const about = "One sentence that goes over\ntwo lines.\n\n  kept as it is\nEnd."
	const usage = "Usage:\n  longshift x\n\nExamples:\n  longshift x --with \"a long text that somebody copies\"\n\nFlags:\n  -n, --number n   how many of them there are to be at most\n"
	var errs bytes.Buffer
	p := NewPrinter(Streams{Err: &errs, OutTTY: true, ErrTTY: true, Width: func() int { return 40 }})
	want := "One sentence that goes over two lines.\n\n  kept as it is\nEnd.\n\nUsage:\n  longshift x\n\nExamples:\n" +
		"  longshift x --with \"a long text that somebody copies\"\n\nFlags:\n  -n, --number n   how many of them\n                   there are to be at\n                   most\n"
	if got := p.Help(about, usage); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	p.Say("a message that is longer than a terminal of forty columns\n  longshift status -f and-a-long-name-of-a-task   # follow it")
	want = "a message that is longer than a terminal\n  of forty columns\n  longshift status -f and-a-long-name-of-a-task   # follow it\n"
	if errs.String() != want {
		t.Errorf("got\n%s\nwant\n%s", errs.String(), want)
	}
	if got, want := p.Facts("", "Rule", "x", "Reason", "because it would be longer than the line"), "  Rule    x\n  Reason  because it would be longer\n          than the line\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	piped := NewPrinter(Streams{Err: &errs, Width: func() int { return 40 }})
	if got := piped.Help(about, usage); got != about+"\n\n"+usage {
		t.Errorf("by pipe:\n%s", got)
	}
}
