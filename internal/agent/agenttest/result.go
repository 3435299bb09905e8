package agenttest

import "fmt"

// Result is what a tool call of the model has come back with.
type Result struct {
	Rule   string
	Turn   int
	Input  string // of the call, as JSON
	Text   string
	Failed bool // the agent program marked it as an error
}

// Results reads what the tool calls of the conversation so far have come back with, in their order. It needs Script.KeepBodies.
func (c *Call) Results() ([]Result, error) {
	q, err := c.api.read(c.Header, c.Body)
	if err != nil {
		return nil, fmt.Errorf("read the body of a call (is KeepBodies set?): %w", err)
	}
	var all []Result
	inputs := map[string]string{}
	for _, m := range q.Messages {
		for _, b := range m.Content {
			switch b.Type {
			case "tool_use":
				inputs[b.ID] = string(b.Input)
			case "tool_result":
				if rule, turn, ok := parseToolID(b.ToolUseID); ok {
					all = append(all, Result{Rule: rule, Turn: turn, Input: inputs[b.ToolUseID], Text: b.Content.text(), Failed: b.IsError})
				}
			}
		}
	}
	return all, nil
}
