package process

import (
	"bufio"
	"errors"
	"io"
)

// LineScanner reads lines in constant memory. Lines over the limit are skipped and counted, never truncated: half a JSON
// object is useless.
type LineScanner struct {
	r        *bufio.Reader
	max      int
	line     []byte
	long     []byte // buffer for lines that don't fit the reader's buffer
	skipped  int64
	complete bool
	err      error
}

// NewLineScanner reads lines of at most max bytes, not counting the newline.
func NewLineScanner(r io.Reader, max int) *LineScanner {
	return &LineScanner{r: bufio.NewReaderSize(r, 64<<10), max: max}
}

// Scan advances to the next line that fits. It returns false at the end of the input and after an error.
func (s *LineScanner) Scan() bool {
	for s.err == nil {
		if fits := s.next(); fits {
			return true
		}
	}
	return false
}

// next reads one line and reports whether it fits.
func (s *LineScanner) next() bool {
	s.long = s.long[:0]
	for size := 0; ; {
		part, err := s.r.ReadSlice('\n')
		size += len(part)
		s.complete = err == nil
		if s.complete {
			part, size = part[:len(part)-1], size-1
		}
		if size <= s.max {
			s.hold(part, size)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		s.err = err
		if size > s.max {
			s.skipped++
			return false
		}
		return s.complete || size > 0
	}
}

// hold appends part to the line. A line that fits the reader's buffer is not copied.
func (s *LineScanner) hold(part []byte, size int) {
	if len(part) == size && s.complete {
		s.line = part
		return
	}
	s.long = append(s.long, part...)
	s.line = s.long
}

// Bytes is the line without its newline. It is valid until the next Scan.
func (s *LineScanner) Bytes() []byte { return s.line }

// Skipped is the number of lines over the limit so far.
func (s *LineScanner) Skipped() int64 { return s.skipped }

// Err is the error that ended the scan, nil at the end of the input.
func (s *LineScanner) Err() error {
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}
