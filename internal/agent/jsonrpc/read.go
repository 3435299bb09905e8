package jsonrpc

import (
	"encoding/json"
	"io"

	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
)

// lineMax is the longest line that is read, in bytes. Programs cut the outputs of commands, but an image is a line.
const lineMax = 32 << 20

// Read hands a program's messages to handle until they end, or handle returns an error, which Read returns. broken counts the lines that are
// no messages. A line that is too long is an error: a question or a call could be in it.
func Read(r io.Reader, program string, handle func(*Message) error) (broken int, err error) {
	lines := process.NewLineScanner(r, lineMax)
	for lines.Scan() {
		var m Message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			broken++
			continue
		}
		if err := handle(&m); err != nil {
			return broken, err
		}
	}
	if lines.Skipped() > 0 {
		return broken, fault.New(fault.Internal, "%s wrote %d messages of more than %d bytes", program, lines.Skipped(), lineMax)
	}
	if err := lines.Err(); err != nil {
		return broken, fault.New(fault.Infra, "read %s's output: %w", program, err)
	}
	return broken, nil
}
