package tools

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
)

var readFile = entry{
	name: "read_file", class: Reads, path: thePath, read: (*Workspace).readFile,
	text: "Read a whole file of at most 512 KiB. Use read_lines for a part of a large file, and encoding base64 for a binary file.",
	schema: `{"type":"object","properties":{` +
		`"path":{"type":"string","description":"File, relative to the workspace."},` +
		`"encoding":{"type":"string","enum":["utf-8","base64"],"description":"How content is given; utf-8 if left out."}},` +
		`"required":["path"],"additionalProperties":false}`,
	example: `{"path": "cmd/main.go"}`,
	params:  []param{{"path", stringArg, true}, {"encoding", stringArg, false}},
}

func (w *Workspace) readFile(_ context.Context, a arguments) (any, string, error) {
	encoding := a.texts["encoding"]
	if encoding != "" && encoding != "utf-8" && encoding != "base64" {
		return nil, "", fmt.Errorf(`encoding is %q; give "utf-8" or "base64", or leave it out`, encoding)
	}
	p, err := w.readable(a.texts["path"])
	if err != nil {
		return nil, "", err
	}
	most := w.limits().ReadBytes
	content, info, err := w.slurp(p, most)
	switch {
	case err != nil:
		return nil, "", err
	case content == nil:
		return nil, "", fmt.Errorf("path %q has %d bytes, more than the %d that read_file returns; use read_lines", p.named, info.Size(), most)
	}
	answer := struct {
		Content string `json:"content"`
		Lines   *int   `json:"lines,omitempty"`
		Bytes   int    `json:"bytes"`
	}{Content: string(content), Bytes: len(content)}
	if encoding == "base64" {
		answer.Content = base64.StdEncoding.EncodeToString(content)
		return answer, p.named, nil
	}
	if !isText(content) {
		return nil, "", fmt.Errorf("path %q is binary (%d bytes, no UTF-8 text); use encoding base64", p.named, len(content))
	}
	lines := countLines(content)
	answer.Lines = &lines
	return answer, p.named, nil
}

// countLines counts a last line without an end too.
func countLines(b []byte) int {
	n := bytes.Count(b, []byte("\n"))
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}
