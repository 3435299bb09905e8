package tools

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/excerpt"
)

var readLines = entry{
	name: "read_lines", class: Reads, path: thePath, read: (*Workspace).readLines,
	text: "Read at most 200 lines of a text file of any size. The first line is 1, and line `to` is included. Each line begins with its number.",
	schema: `{"type":"object","properties":{` +
		`"path":{"type":"string","description":"File, relative to the workspace."},` +
		`"from":{"type":"integer","minimum":1,"description":"First line."},` +
		`"to":{"type":"integer","minimum":1,"description":"Last line, at most from + 199."}},` +
		`"required":["path","from","to"],"additionalProperties":false}`,
	example: `{"path": "cmd/main.go", "from": 1, "to": 200}`,
	params:  []param{{"path", stringArg, true}, {"from", numberArg, true}, {"to", numberArg, true}},
}

// span is what read_lines answers.
type span struct {
	Content string `json:"content"`
	Lines   int    `json:"lines"`
	From    int    `json:"from"`
	To      int    `json:"to"`
	Note    string `json:"note,omitempty"`
}

func (w *Workspace) readLines(ctx context.Context, a arguments) (any, string, error) {
	from, to, l := a.numbers["from"], a.numbers["to"], w.limits()
	if from < 1 || to < from {
		return nil, "", fmt.Errorf("from %d to %d is no range of lines; from is at least 1, and to at least from", from, to)
	}
	p, err := w.readable(a.texts["path"])
	if err != nil {
		return nil, "", err
	}
	f, info, err := w.openNamed(p)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	last := min(to, from-1+l.Lines)
	s := scan{from: from, to: last, most: l.LineBytes}
	if err := s.all(ctx, io.LimitReader(f, l.ScanBytes)); err != nil {
		if errors.Is(err, errStopped) {
			return nil, "", err
		}
		return nil, "", cause("read", p.named, err)
	}
	cut := info.Size() > l.ScanBytes
	switch {
	case s.binary:
		return nil, "", fmt.Errorf("path %q is binary; use read_file with encoding base64", p.named)
	case from > s.lines && cut:
		return nil, "", fmt.Errorf("line %d of %q is behind the first %d bytes (%d lines), all that read_lines scans; read earlier lines",
			from, p.named, l.ScanBytes, s.lines)
	case from > s.lines:
		return nil, "", fmt.Errorf("path %q has %d lines, so there is no line %d; read from an earlier line", p.named, s.lines, from)
	}
	answer := span{s.out.String(), s.lines, from, min(last, s.lines), s.note(to > last && s.lines > last, cut, l)}
	return answer, fmt.Sprintf("%s %d-%d", p.named, from, answer.To), nil
}

// scan counts the lines of a file and keeps some of them, without holding the file.
type scan struct {
	from, to, most  int
	lines           int
	out             strings.Builder
	binary, invalid bool
}

func (s *scan) all(ctx context.Context, from io.Reader) error {
	r := bufio.NewReaderSize(from, 64<<10)
	begins, kept := true, []byte(nil) // kept is the start of the current line, if it is wanted
	for {
		if ctx.Err() != nil {
			return errStopped
		}
		part, err := r.ReadSlice('\n')
		if len(part) > 0 {
			if begins {
				s.lines++
				kept = kept[:0]
			}
			begins = err == nil
			if s.lines >= s.from && s.lines <= s.to {
				s.binary = s.binary || isBinary(part)
				kept = append(kept, part[:min(len(part), s.most+3-min(s.most+3, len(kept)))]...)
				s.keep(kept, begins || err == io.EOF)
			}
		}
		switch err {
		case nil, bufio.ErrBufferFull:
		case io.EOF:
			return nil
		default:
			return err
		}
	}
}

func (s *scan) keep(line []byte, ends bool) {
	if !ends {
		return
	}
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	show := string(line)
	if len(show) > s.most {
		show = excerpt.Cut(show, s.most) + " … (line cut)"
	}
	s.invalid = s.invalid || !utf8.ValidString(show)
	fmt.Fprintf(&s.out, "L%d: %s\n", s.lines, strings.ToValidUTF8(show, "�"))
}

func (s *scan) note(more, cut bool, l Limits) string {
	var notes []string
	if more {
		notes = append(notes, fmt.Sprintf("at most %d lines are read at once; go on from line %d", l.Lines, s.to+1))
	}
	if cut {
		notes = append(notes, fmt.Sprintf("lines counts only the first %d bytes of the file", l.ScanBytes))
	}
	if s.invalid {
		notes = append(notes, "bytes that are no UTF-8 are shown as \ufffd")
	}
	return strings.Join(notes, "; ")
}
