package process

import (
	"fmt"
	"strings"
	"sync"
)

// capture keeps the first and the last bytes written to it, in bounded memory.
type capture struct {
	mu         sync.Mutex
	head, tail []byte
	headMax    int
	tailMax    int
	total      int64
}

func newCapture(head, tail int) *capture { return &capture{headMax: head, tailMax: tail} }

// Write never fails.
func (c *capture) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(b)
	c.total += int64(n)
	if room := c.headMax - len(c.head); room > 0 {
		take := min(room, len(b))
		c.head = append(c.head, b[:take]...)
		b = b[take:]
	}
	if len(b) > c.tailMax {
		b = b[len(b)-c.tailMax:]
	}
	if over := len(c.tail) + len(b) - 2*c.tailMax; over > 0 { // move only now and then
		keep := c.tailMax - len(b)
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-keep:]...)
	}
	c.tail = append(c.tail, b...)
	return n, nil
}

// cut returns the number of bytes that are not kept.
func (c *capture) cut() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.left()
}

func (c *capture) left() int64 {
	return c.total - int64(len(c.head)) - int64(min(len(c.tail), c.tailMax))
}

// LeftOut is the line that stands for so many bytes of an output.
func LeftOut(bytes int64) string { return fmt.Sprintf("\n[%d bytes left out]\n", bytes) }

// String returns what was kept as valid UTF-8, with a line between head and tail that says how much is missing.
func (c *capture) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	tail := c.tail[max(0, len(c.tail)-c.tailMax):]
	gap := ""
	if left := c.left(); left > 0 && c.headMax > 0 {
		gap = LeftOut(left)
	}
	return strings.ToValidUTF8(string(c.head)+gap+string(tail), "\uFFFD")
}
