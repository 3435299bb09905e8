package activities

import (
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/redact"
)

// hiddenWayOut is what a model does with a line of which it is shown a part only.
const hiddenWayOut = "change or copy such a line by a command such as sed, which leaves the hidden part as it is"

// inPlace is put in the place of redact.Mark for a try. It looks like a user with a password, and like a key: where it is found, the mark stands
// for a secret.
const inPlace = "x7Kq2pLd:Vb3nW9tZ5mR2cYf8"

// keepsHidden refuses a text with more of redact.Mark than the file has: the model was not shown what it stands for, and would write the mark in
// its place. Where nothing of the file is hidden, the mark may be text of the project, such as the selector of CSS.
func keepsHidden(r *redact.Redactor, path, before, after string) error {
	if strings.Count(after, redact.Mark) <= strings.Count(before, redact.Mark) {
		return nil
	}
	line := hiddenLine(r, before, after)
	if line == 0 {
		return nil
	}
	return fmt.Errorf("path %q: on line %d %q stands for a secret that you are not shown, and would be written in its place; "+hiddenWayOut,
		path, line, redact.Mark)
}

// hiddenLine is a line of the file that is about to lose its hidden part, or one of the new text with the mark where something would be hidden.
// It is 0 if there is none.
func hiddenLine(r *redact.Redactor, before, after string) int {
	for _, f := range r.Find(before) {
		secret := before[f.Offset : f.Offset+f.Length]
		if strings.Count(after, secret) < strings.Count(before, secret) {
			return f.Line
		}
	}
	filled := strings.ReplaceAll(after, redact.Mark, inPlace)
	for _, f := range r.Find(filled) {
		if strings.Contains(filled[f.Offset:f.Offset+f.Length], inPlace) {
			return f.Line
		}
	}
	return 0
}

// aboutHidden is why a change can't be planned. What it looks for is not in the file as the model was shown it, where a part of that is hidden.
func aboutHidden(c transcript.Call, err error) string {
	if text := err.Error(); strings.Contains(text, hiddenWayOut) || !strings.Contains(string(c.Arguments), redact.Mark) {
		return text
	}
	return fmt.Sprintf("%v; %q may stand for a secret that you are not shown: %s", err, redact.Mark, hiddenWayOut)
}
