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
	c := newCalls("tool_use", "tool_result")
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

// calls pairs calls of tools with their results. A call without a result shows a badly resumed conversation.
type calls struct {
	call, result string // what the API calls them
	open, seen   map[string]bool
}

func newCalls(call, result string) calls {
	return calls{call, result, map[string]bool{}, map[string]bool{}}
}

func (c calls) begin(id string) error {
	if c.seen[id] || id == "" {
		return fmt.Errorf("the id %q of a %s is empty or not unique", id, c.call)
	}
	c.seen[id], c.open[id] = true, true
	return nil
}

func (c calls) end(id string) error {
	if !c.open[id] {
		return fmt.Errorf("%s %q answers no %s before it", c.result, id, c.call)
	}
	delete(c.open, id)
	return nil
}

func (c calls) uses(content blocks) error {
	for _, b := range content {
		if b.Type != "tool_use" {
			continue
		}
		if err := c.begin(b.ID); err != nil {
			return err
		}
	}
	return nil
}

// results closes the calls of the message before.
func (c calls) results(content blocks) error {
	for _, b := range content {
		if b.Type != "tool_result" {
			continue
		}
		if err := c.end(b.ToolUseID); err != nil {
			return err
		}
	}
	return c.closed()
}

func (c calls) closed() error {
	for id := range c.open {
		return fmt.Errorf("%s %q has no %s after it", c.call, id, c.result)
	}
	return nil
}
