package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/fault"
)

// mostLine is how long an answer may be, in bytes.
const mostLine = 64 << 10

// lines asks in plain lines: questions on stderr, one line of stdin for each answer.
type lines struct {
	p    *program
	read chan string // closed at the end of the input
	err  error       // why it ended; to be read after that
}

// lines is the one reader of stdin's lines: a second one would miss what the first has buffered.
func (p *program) lines() *lines {
	if p.answers == nil {
		p.answers = &lines{p: p, read: make(chan string)}
		go p.answers.scan(p.streams.In)
	}
	return p.answers
}

// scan reads for as long as the program runs: a read of a terminal can't be called off.
func (l *lines) scan(in io.Reader) {
	defer close(l.read)
	s := bufio.NewScanner(in)
	s.Buffer(nil, mostLine)
	for s.Scan() {
		select {
		case l.read <- s.Text():
		case <-l.p.closed:
			return
		}
	}
	l.err = s.Err()
}

// line gives the next line; more is false at the end of the input.
func (l *lines) line(ctx context.Context) (line string, more bool, err error) {
	select {
	case <-ctx.Done():
		return "", false, errInterrupted
	case line, more = <-l.read:
	}
	if ctx.Err() != nil {
		return "", false, errInterrupted
	}
	if !more && l.err != nil {
		return "", false, fault.New(fault.Input, "read standard input: %w", l.err).WithHint("give one line for each answer, at most %d bytes long", mostLine)
	}
	if !utf8.ValidString(line) {
		return "", false, fault.New(fault.Input, "standard input is not UTF-8").WithHint("give plain text")
	}
	if !l.p.streams.InTTY {
		fmt.Fprintln(l.p.streams.Err) // nobody has pressed enter
	}
	return line, more, nil
}

func (l *lines) ask(ctx context.Context, questions []question) (answers []string, err error) {
	for _, q := range questions {
		for {
			fmt.Fprintf(l.p.streams.Err, "%d/%d %s: %s [%s]: ", q.number, q.of, q.key.Path, q.about(), q.shown())
			line, more, err := l.line(ctx)
			if err != nil || !more {
				return answers, err
			}
			answer := q.text()
			switch line = strings.TrimSpace(line); line {
			case "":
			case `""`, "''":
				answer = ""
			default:
				answer = line
			}
			if _, err := q.value(answer); err == nil {
				answers = append(answers, answer)
				break
			} else if !l.p.streams.InTTY { // asking again would take the answer of the next question for this one
				return nil, err
			} else {
				l.p.say("%s", mistake(err))
			}
		}
	}
	return answers, nil
}

// confirm takes the end of the input for a no.
func (l *lines) confirm(ctx context.Context, what string) (bool, error) {
	for {
		fmt.Fprint(l.p.streams.Err, plain(what)+" [Y/n]: ")
		line, more, err := l.line(ctx)
		if err != nil || !more {
			return false, err
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "", "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
	}
}
