package cli

import (
	"io"
	"strings"
	"sync"
	"time"
)

// eraseLine goes to the beginning of the terminal's line and empties it.
const eraseLine = "\r\x1b[K"

// screen shows permanent lines and, on a terminal, one live line below them. Without a terminal there is no live line
// and no escape code. It may be used by several goroutines.
type screen struct {
	mu    sync.Mutex
	out   io.Writer
	live  bool       // a terminal
	width func() int // may be nil
	shown string     // the live line as it stands
}

func (p *program) screen() *screen {
	return &screen{out: p.streams.Err, live: p.streams.ErrTTY && p.format == formatText, width: p.streams.Width}
}

// line writes permanent lines. The terminal may be in raw mode, so each begins at the left by itself.
func (s *screen) line(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text = strings.TrimSuffix(plain(text), "\n") + "\n"
	if !s.live {
		io.WriteString(s.out, text)
		return
	}
	io.WriteString(s.out, eraseLine+strings.ReplaceAll(text, "\n", "\r\n")+s.shown)
}

// set replaces the live line.
func (s *screen) set(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.live {
		return
	}
	s.shown = fit(oneLine(text), s.columns()-1)
	io.WriteString(s.out, eraseLine+s.shown)
}

// clear takes the live line away. It must be called before anything else writes to the terminal.
func (s *screen) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live && s.shown != "" {
		io.WriteString(s.out, eraseLine)
	}
	s.shown = ""
}

// bell rings the terminal's bell. It leaves the lines as they are.
func (s *screen) bell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	io.WriteString(s.out, "\a")
}

func (s *screen) columns() int {
	if s.width != nil {
		if n := s.width(); n > 1 {
			return n
		}
	}
	return 80
}

// sinceText is how long something has been going on.
func sinceText(now, since time.Time) string { return duration(now.Sub(since)) }
