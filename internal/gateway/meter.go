package gateway

import (
	"encoding/json"
	"mime"
	"net/http"
)

// reading is what a meter has learned from an answer.
type reading struct {
	model    string   // the model that answered; "" when the answer did not name it
	usage    apiUsage // as far as it was received
	seen     bool     // the answer contained usage
	complete bool     // the answer was received completely
	over     bool     // a stream has told its end, but maybe no usage
	text     int64    // bytes of output that passed, a lower bound
	failed   string   // the type of an error that occurred mid-stream
}

// meter reads an answer while it is relayed. Write never fails and never keeps its argument.
type meter interface {
	Write(p []byte) (int, error)
	ended() bool // a stream has announced its end; other answers end with their last byte and report false
	reading() reading
}

// newMeter returns the meter for an answer, by status and content type.
func (v vendor) newMeter(resp *http.Response) meter {
	if resp.StatusCode >= 300 {
		return &capture{limit: maxErrorBody}
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/event-stream" {
		return &streamMeter{event: v.events, longest: v.longest}
	}
	return &messageMeter{capture{limit: maxMessage}, v.usage}
}

const (
	maxMessage   = 16 << 20 // bytes of an answer in one piece that are read for its usage
	maxErrorBody = 16 << 10
)

// capture keeps the first bytes written to it.
type capture struct {
	limit int
	data  []byte
	total int64
}

func (c *capture) Write(p []byte) (int, error) {
	c.data = append(c.data, p[:min(len(p), c.limit-len(c.data))]...)
	c.total += int64(len(p))
	return len(p), nil
}

func (c *capture) cut() bool { return c.total > int64(len(c.data)) }

func (c *capture) ended() bool { return false }

func (c *capture) reading() reading { return reading{complete: true} }

// messageMeter reads an answer that is not streamed.
type messageMeter struct {
	capture
	usage func([]byte) (reading, bool)
}

func (m *messageMeter) reading() reading {
	if r, ok := m.usage(m.data); ok && !m.cut() {
		r.seen, r.complete = true, true
		return r
	}
	return reading{text: m.total}
}

// messageUsage reads the usage in an answer of the Messages API.
func messageUsage(answer []byte) (reading, bool) {
	var msg struct {
		Model string    `json:"model"`
		Usage *apiUsage `json:"usage"`
	}
	if json.Unmarshal(answer, &msg) != nil || msg.Usage == nil {
		return reading{}, false
	}
	return reading{model: msg.Model, usage: *msg.Usage}, true
}
