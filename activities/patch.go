package activities

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// patch reads a diff as git writes it, of one commit or of several in a row. It does not trust the text: any line that begins with a plus
// and is not certainly a header counts as added.
type patch struct {
	scan    *leakScan
	signs   int    // number of signs before a line of a hunk: one, or one for each parent of a merge
	header  bool   // the current line is between the first line about a file and its first hunk
	file    string // the name after the change; "" when the file is deleted
	adding  bool   // the current line is an added one
	taking  bool   // it is a removed one
	partial bool   // the current line continues in the next piece
}

func (p *patch) read(in *bufio.Reader) error {
	for {
		piece, err := in.ReadSlice('\n')
		begins := !p.partial
		p.partial = err == bufio.ErrBufferFull
		switch {
		case err != nil && err != io.EOF && !p.partial:
			return err
		case begins && len(piece) > 0:
			if err := p.line(piece); err != nil {
				return err
			}
		case p.adding:
			p.scan.added.add(piece, p.scan.next)
		case p.taking:
			p.scan.removed.add(piece, 0)
		}
		if p.adding && !p.partial {
			p.scan.next++
		}
		if !p.partial {
			p.adding, p.taking = false, false
		}
		if err == io.EOF {
			p.named()
			p.scan.endFile()
			p.scan.endCommit()
			return nil
		}
	}
}

// line reads a line, or the first piece of a long one.
func (p *patch) line(line []byte) error {
	signs := line[:min(len(line), max(p.signs, 1))]
	switch text := string(line[:min(len(line), 24)]); {
	case strings.HasPrefix(text, "commit "):
		p.named()
		p.scan.endFile()
		p.scan.endCommit()
	case strings.HasPrefix(text, "diff --"):
		p.named()
		p.scan.endFile()
		p.header, p.file, p.signs = true, sameName(string(line)), 1
	case strings.HasPrefix(text, "@@"):
		p.named()
		p.signs = len(text) - len(strings.TrimLeft(text, "@")) - 1
		p.scan.file, p.scan.next = p.file, hunkLine(string(line))
	case p.header:
		return p.about(strings.TrimRight(string(line), "\t\r\n"))
	case bytes.IndexByte(signs, '+') >= 0:
		p.adding = true
		p.scan.added.add(line[len(signs):], p.scan.next)
	case bytes.IndexByte(signs, '-') >= 0 && p.signs > 0:
		p.taking = true
		p.scan.removed.add(line[len(signs):], 0)
	case text[0] == ' ':
		p.scan.next++
	}
	return nil
}

// about reads a line of a file's header.
func (p *patch) about(line string) error {
	for _, prefix := range []string{"+++ ", "rename to ", "copy to "} {
		if name, ok := strings.CutPrefix(line, prefix); ok {
			p.file = ""
			if name != "/dev/null" {
				p.file = plainName(name, prefix == "+++ ")
			}
		}
	}
	switch {
	case strings.HasPrefix(line, "deleted file mode "):
		p.file = ""
	case strings.HasPrefix(line, "GIT binary patch"), strings.HasPrefix(line, "Binary files ") && p.file != "":
		return fault.New(fault.Internal, "the diff has packed content, which can't be searched; make it with --text")
	}
	return nil
}

// named searches the name of the file whose header has ended.
func (p *patch) named() {
	if p.header {
		p.scan.file = p.file
		p.scan.name(p.file)
	}
	p.header = false
}

// sameName returns the name in "diff --git a/x b/x", or "" when the two names differ: later lines say them then.
func sameName(line string) string {
	_, names, _ := strings.Cut(strings.TrimPrefix(strings.TrimRight(line, "\r\n"), "diff --"), " ")
	if !strings.Contains(strings.TrimPrefix(line, "diff --"), "git ") {
		return plainName(names, false) // the diff of a merge has the name alone
	}
	half := (len(names) - 1) / 2
	before, after := names[:max(half, 0)], names[min(half+1, len(names)):]
	if plainName(after, true) == strings.TrimPrefix(plainName(before, false), "a/") {
		return plainName(after, true)
	}
	return ""
}

// plainName undoes git's quoting of names.
func plainName(name string, prefixed bool) string {
	if plain, err := strconv.Unquote(name); err == nil {
		name = plain
	}
	if prefixed {
		name = strings.TrimPrefix(name, "b/")
	}
	return name
}

// hunkLine returns the first line of the new file that a hunk's header names, or 0.
func hunkLine(header string) int {
	_, after, _ := strings.Cut(header, " +")
	digits := after[:len(after)-len(strings.TrimLeft(after, "0123456789"))]
	n, _ := strconv.Atoi(digits)
	return n
}
