package local

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/forge"
)

// Record is a pull request in a repository on this machine.
// It is kept as a blob: this object as JSON, then a blank line, then the text as a person reads it.
type Record struct {
	Number     int         `json:"number"`
	Title      string      `json:"title"`
	State      forge.State `json:"state"` // as written; Read and List return merged when the base branch contains the head
	Task       string      `json:"task"`  // id of the task that opened it
	Fence      int         `json:"fence"` // attempt of the task that wrote last
	Head       string      `json:"head"`  // branch
	HeadCommit string      `json:"headCommit"`
	Base       string      `json:"base"`       // branch
	BaseCommit string      `json:"baseCommit"` // head of the base branch when it was written
	Draft      bool        `json:"draft,omitempty"`
	Labels     []string    `json:"labels,omitempty"`
	Reviewers  []string    `json:"reviewers,omitempty"`
	Created    time.Time   `json:"created"`
	Updated    time.Time   `json:"updated"`
	Body       string      `json:"-"` // Markdown, with the hidden mark
	URL        string      `json:"-"` // path and ref

	blob string // object id of the record as read
}

func ref(number int, part string) string { return fmt.Sprintf("%s%d/%s", refPrefix, number, part) }

const refPrefix = "refs/longshift/pulls/"

// encode formats a record for decode.
func (r *Record) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "\n%s\n", r.Body)
	return b.Bytes(), nil
}

func decode(data []byte) (*Record, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	r := &Record{}
	if err := dec.Decode(r); err != nil {
		return nil, err
	}
	if r.Number < 1 || r.Head == "" || r.Task == "" {
		return nil, errors.New("number, head or task is missing")
	}
	r.Body = strings.Trim(string(data[dec.InputOffset():]), "\n")
	return r, nil
}
