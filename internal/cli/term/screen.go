package term

import (
	"io"
	"strings"
	"sync"
)

// EraseLine goes to the beginning of the terminal's line and empties it.
const EraseLine = "\r\x1b[K"

// Screen shows permanent lines and, on a terminal, one live line below them. Without a terminal there is no live line
// and no escape code. It may be used by several goroutines.
type Screen struct {
	mu    sync.Mutex
	out   io.Writer
	live  bool       // out is a terminal
	color bool       // lines may have colours
	width func() int // may be nil
	shown string     // the live line as it stands
}

// IsLive tells whether there is a live line.
func (s *Screen) IsLive() bool { return s.live }

// Line writes permanent lines.
func (s *Screen) Line(text string) { s.Entry("", text) }

// Entry writes permanent lines with a mark before the first one, such as a time, that is less to be seen than the text. The terminal
// may be in raw mode, so each line sets its own beginning.
func (s *Screen) Entry(mark, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text = strings.TrimSuffix(Plain(text), "\n")
	if s.live && mark != "" {
		first, rest, more := strings.Cut(text, "\n")
		text = strings.TrimPrefix(wrap(mark+first, s.Columns(), Cells(mark)), mark)
		if more {
			text += "\n" + rest
		}
	}
	text = paint(s.color, Faint, mark) + text + "\n"
	if !s.live {
		io.WriteString(s.out, text)
		return
	}
	io.WriteString(s.out, EraseLine+strings.ReplaceAll(text, "\n", "\r\n")+s.shown)
}

// Set replaces the live line.
func (s *Screen) Set(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.live {
		return
	}
	s.shown = fit(OneLine(text), s.Columns()-1)
	io.WriteString(s.out, EraseLine+s.shown)
}

// Clear takes the live line away. It must be called before anything else writes to the terminal.
func (s *Screen) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live && s.shown != "" {
		io.WriteString(s.out, EraseLine)
	}
	s.shown = ""
}

// Bell rings the terminal's bell. It leaves the lines as they are.
func (s *Screen) Bell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	io.WriteString(s.out, "\a")
}

func (s *Screen) Columns() int {
	if s.width != nil {
		if n := s.width(); n > 1 {
			return n
		}
	}
	return 80
}
