package agenttest

import "fmt"

// validate refuses what the API would refuse and its description cannot say.
func (r *request) validate() error {
	switch {
	case r.MaxTokens < 1:
		return fmt.Errorf("max_tokens: %d is not a positive number", r.MaxTokens)
	case len(r.Messages) == 0:
		return fmt.Errorf("messages: at least one message is required")
	case r.Messages[0].Role != "user":
		return fmt.Errorf("messages: the first message must have the user role")
	}
	c := calls{open: map[string]bool{}, seen: map[string]bool{}}
	for i, m := range r.Messages {
		var err error
		switch m.Role {
		case "user":
			err = c.results(m.Content)
		case "assistant":
			err = c.uses(m.Content)
		}
		if err != nil {
			return fmt.Errorf("messages.%d: %w", i, err)
		}
	}
	return c.closed()
}

// calls pairs tool calls with their results. A call without a result shows a badly resumed conversation.
type calls struct{ open, seen map[string]bool }

func (c calls) uses(content blocks) error {
	for _, b := range content {
		if b.Type != "tool_use" {
			continue
		}
		if c.seen[b.ID] || b.ID == "" {
			return fmt.Errorf("tool_use id %q is empty or not unique", b.ID)
		}
		c.seen[b.ID], c.open[b.ID] = true, true
	}
	return nil
}

// results closes the calls of the message before.
func (c calls) results(content blocks) error {
	for _, b := range content {
		if b.Type != "tool_result" {
			continue
		}
		if !c.open[b.ToolUseID] {
			return fmt.Errorf("tool_result %q answers no tool_use of the message before it", b.ToolUseID)
		}
		delete(c.open, b.ToolUseID)
	}
	return c.closed()
}

func (c calls) closed() error {
	for id := range c.open {
		return fmt.Errorf("tool_use %q has no tool_result right after it", id)
	}
	return nil
}
