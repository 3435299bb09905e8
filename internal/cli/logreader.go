package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
)

// logReader prints the logs of a task's sessions, each byte once, in the order of the sessions.
type logReader struct {
	printer   *term.Printer
	out       io.Writer
	clock     environ.Clock
	dir       string
	only      int    // session number, 0 for all
	host      string // whose data folder this is, if known
	files     map[int]*logFile
	elsewhere map[int]bool // sessions that were said to have run on another host
	current   int          // session whose lines were printed last
}

func newLogReader(p *term.Printer, out io.Writer, t environ.Clock, dir string) *logReader {
	return &logReader{printer: p, out: out, clock: t, dir: dir, files: map[int]*logFile{}, elsewhere: map[int]bool{}}
}

// logFile is how far one log has been read.
type logFile struct {
	n       int
	role    string
	path    string
	offset  int64
	partial []byte // a line that has not ended
}

// read prints what has been added since the last call. At the end, lines that have not ended are printed too.
func (r *logReader) read(end bool) error {
	entries, err := listLogs(r.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		n, role, ok := logName(e.Name())
		if ok && r.files[n] == nil && (r.only == 0 || r.only == n) {
			r.files[n] = &logFile{n: n, role: role, path: filepath.Join(r.dir, e.Name())}
		}
	}
	numbers := make([]int, 0, len(r.files))
	for n := range r.files {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		if err := r.readFile(r.files[n], end); err != nil {
			return err
		}
	}
	return nil
}

func (r *logReader) readFile(f *logFile, end bool) error {
	info, err := os.Stat(f.path)
	if os.IsNotExist(err) {
		return nil // cleaned away; what was read of it stays printed
	}
	if err != nil {
		return fmt.Errorf("read log: %w", err)
	}
	if info.Size() < f.offset { // written anew
		f.offset, f.partial = 0, nil
	}
	if info.Size() > f.offset {
		if err := r.readNew(f); err != nil {
			return err
		}
	}
	if end && len(f.partial) > 0 {
		line := f.partial
		f.partial = nil
		return r.line(f, line)
	}
	return nil
}

// readNew prints the whole lines behind the offset and keeps the rest.
func (r *logReader) readNew(f *logFile) error {
	file, err := os.Open(f.path)
	if err != nil {
		return fmt.Errorf("read log: %w", err)
	}
	defer file.Close()
	if _, err := file.Seek(f.offset, io.SeekStart); err != nil {
		return fmt.Errorf("read log: %w", err)
	}
	buffer := make([]byte, 64<<10)
	for {
		n, err := file.Read(buffer)
		f.offset += int64(n)
		f.partial = append(f.partial, buffer[:n]...)
		if failed := r.lines(f); failed != nil {
			return failed
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read log: %w", err)
		}
	}
}

func (r *logReader) lines(f *logFile) error {
	for {
		i := bytes.IndexByte(f.partial, '\n')
		if i < 0 && len(f.partial) < term.LongestLine {
			return nil
		}
		line, rest := f.partial, []byte(nil)
		if i >= 0 {
			line, rest = f.partial[:i], f.partial[i+1:]
		}
		f.partial = rest
		if err := r.line(f, line); err != nil {
			return err
		}
	}
}

// line prints one line of a log: as it is, or as a JSON object. The document of json would never end, so it is jsonl too.
func (r *logReader) line(f *logFile, line []byte) error {
	text := term.Plain(string(bytes.TrimSuffix(line, []byte("\r"))))
	if !r.printer.IsText() {
		return r.printer.Encode(map[string]any{"session": f.n, "role": f.role, "line": text}, "")
	}
	if r.current != f.n {
		r.current = f.n
		r.printer.Say("── session %d: %s ──", f.n, f.role)
	}
	if _, err := fmt.Fprintln(r.out, text); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}
