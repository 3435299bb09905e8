package setup

import (
	"context"
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/cli/term"
)

// lineAsker asks in plain lines: questions on stderr, one line of stdin for each answer.
type lineAsker struct {
	lines   *term.Lines
	streams term.Streams
}

func (l lineAsker) ask(ctx context.Context, questions []question) (answers []string, err error) {
	for _, q := range questions {
		for {
			fmt.Fprintf(l.streams.Err, "%d/%d %s: %s [%s]: ", q.number, q.of, q.key.Path, q.about(), q.shown())
			line, more, err := l.lines.Next(ctx)
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
			} else if !l.streams.InTTY { // asking again would take the answer of the next question for this one
				return nil, err
			} else {
				fmt.Fprintln(l.streams.Err, term.Plain(mistake(err)))
			}
		}
	}
	return answers, nil
}

// confirm takes the end of the input for a no.
func (l lineAsker) confirm(ctx context.Context, what string) (bool, error) {
	for {
		fmt.Fprint(l.streams.Err, term.Plain(what)+" [Y/n]: ")
		line, more, err := l.lines.Next(ctx)
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
