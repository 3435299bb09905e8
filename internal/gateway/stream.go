package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
)

// maxEvent is the longest line of a stream of the Messages API that is parsed. Events with usage are far shorter; longer
// ones are the model's output, of which only the size matters.
const maxEvent = 256 << 10

// frame is the approximate size of a content event of the Messages API without its content.
const frame = 90

// streamMeter reads a stream of server-sent events in constant memory.
type streamMeter struct {
	event   func(*streamMeter, []byte) // handles the data of one event
	longest int                        // line that is kept, in bytes
	read    reading
	partial []byte // a line whose end has not arrived
	skipped int    // length so far of a line that is too long to keep, else 0
}

func (m *streamMeter) reading() reading { return m.read }

func (m *streamMeter) ended() bool { return m.read.complete }

func (m *streamMeter) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			m.hold(p)
			return n, nil
		}
		switch {
		case m.skipped+len(m.partial)+i > m.longest:
			m.output(m.skipped + len(m.partial) + i)
			m.skipped, m.partial = 0, m.partial[:0]
		case len(m.partial) > 0:
			m.partial = append(m.partial, p[:i]...)
			m.line(m.partial)
			m.partial = m.partial[:0]
		default:
			m.line(p[:i])
		}
		p = p[i+1:]
	}
}

// hold keeps the beginning of an unfinished line.
func (m *streamMeter) hold(p []byte) {
	switch {
	case m.skipped > 0:
		m.skipped += len(p)
	case len(m.partial)+len(p) > m.longest:
		m.skipped = len(m.partial) + len(p)
		m.partial = m.partial[:0]
	default:
		m.partial = append(m.partial, p...)
	}
}

var (
	dataField   = []byte("data:")
	messageWord = []byte(`"message_`)
	errorWord   = []byte(`"error"`)
	switchWord  = []byte(`"fallback"`)
	deltaWord   = []byte(`"content_block_delta"`)
)

// line handles one line.
func (m *streamMeter) line(text []byte) {
	if data, ok := bytes.CutPrefix(text, dataField); ok {
		m.event(m, data)
	}
}

// messageEvent reads an event of the Messages API. Output is only measured; possible usage is parsed. The model cannot
// forge an event in its text: quotes in it are escaped, and the type is checked after parsing.
func messageEvent(m *streamMeter, data []byte) {
	if bytes.Contains(data, deltaWord) {
		m.output(len(dataField) + len(data))
		return
	}
	if bytes.Contains(data, messageWord) || bytes.Contains(data, errorWord) || bytes.Contains(data, switchWord) {
		m.messageEvent(data)
	}
}

// output counts a line of output.
func (m *streamMeter) output(length int) { m.read.text += int64(max(length-frame, 1)) }

type streamEvent struct {
	Type    string `json:"type"`
	Message struct {
		Model string    `json:"model"`
		Usage *apiUsage `json:"usage"`
	} `json:"message"`
	Usage *apiUsage `json:"usage"`
	Block struct {
		Type string `json:"type"`
		To   struct {
			Model string `json:"model"`
		} `json:"to"`
	} `json:"content_block"`
	Error struct {
		Type string `json:"type"`
	} `json:"error"`
}

func (m *streamMeter) messageEvent(data []byte) {
	var e streamEvent
	if json.Unmarshal(data, &e) != nil {
		return
	}
	switch e.Type {
	case "message_start":
		m.read.model = e.Message.Model
		m.merge(e.Message.Usage)
	case "message_delta":
		m.merge(e.Usage)
	case "content_block_start":
		if e.Block.Type == "fallback" && e.Block.To.Model != "" {
			m.read.model = e.Block.To.Model // another model continues the answer
		}
	case "message_stop":
		m.read.complete = true
	case "error":
		m.read.failed = cmp.Or(e.Error.Type, "error")
	}
}

func (m *streamMeter) merge(u *apiUsage) {
	if u != nil {
		m.read.usage.merge(*u)
		m.read.seen = true
	}
}
