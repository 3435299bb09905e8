package tools

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Line is a call as people read it, on one line: the tool, and those of its arguments that say most. It knows arguments of tools of other
// packages too. What hides characters or secrets is not taken out.
func Line(tool string, arguments json.RawMessage) string {
	var in struct {
		Command string `json:"command"`
		Path    string `json:"path"`
		Pattern string `json:"pattern"`
		Status  string `json:"status"`
		ID      string `json:"id"`
		Verdict string `json:"verdict"`
		Text    string `json:"text"`
		Ask     string `json:"question"`
		From    any    `json:"from"`
		To      any    `json:"to"`
	}
	_ = json.Unmarshal(arguments, &in) // what does not fit is not shown
	parts := []string{tool, in.ID, in.Status, in.Verdict, in.Ask, in.Command, in.Pattern, in.Path}
	if in.From != nil && in.To != nil {
		parts = append(parts, fmt.Sprintf("%v-%v", in.From, in.To))
	}
	if len(strings.Join(parts[1:], "")) == 0 {
		parts = append(parts, in.Text)
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}
