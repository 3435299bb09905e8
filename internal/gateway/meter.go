package gateway

import (
	"encoding/json"
	"mime"
	"net/http"
)

// reading is what a meter has seen of an answer.
type reading struct {
	model    string   // the one that answered, "" when it was not said
	usage    apiUsage // as far as it was seen
	seen     bool     // some usage was
	complete bool     // the answer came to its end
	text     int64    // bytes of output that went by, a lower bound
	failed   string   // the type of an error that came in mid-stream
}

// meter reads an answer while it passes. Write never fails and never keeps its argument.
type meter interface {
	Write(p []byte) (int, error)
	ended() bool // the answer has said that it is over; one in one piece never does, it ends with its last byte
	reading() reading
}

// newMeter gives the meter for an answer: by its content type when it is a good one, and one for errors otherwise.
func newMeter(resp *http.Response) meter {
	if resp.StatusCode >= 300 {
		return &capture{limit: maxErrorBody}
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/event-stream" {
		return &streamMeter{}
	}
	return &messageMeter{capture{limit: maxMessage}}
}

const (
	maxMessage   = 16 << 20 // bytes of an answer in one piece that are read for its usage
	maxErrorBody = 16 << 10
)

// capture keeps the first bytes of what passes.
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

// messageMeter reads an answer in one piece.
type messageMeter struct{ capture }

func (m *messageMeter) reading() reading {
	var msg struct {
		Model string    `json:"model"`
		Usage *apiUsage `json:"usage"`
	}
	if m.cut() || json.Unmarshal(m.data, &msg) != nil || msg.Usage == nil {
		return reading{text: m.total}
	}
	return reading{model: msg.Model, usage: *msg.Usage, seen: true, complete: true}
}
