package transcript

// Conversation is a conversation up to one entry.
type Conversation struct {
	Head    string // name of the last entry
	Entries []Entry
}

// Start is its beginning.
func (c *Conversation) Start() *Start { return c.Entries[0].Start }

// Open returns the calls of the last answer that have no result yet, in their order, and the answer.
func (c *Conversation) Open() (calls []Call, of *Answer) {
	done := map[string]bool{}
	for i := len(c.Entries) - 1; i >= 0; i-- {
		switch e := c.Entries[i]; {
		case e.Results != nil:
			for _, r := range e.Results.List {
				done[r.Call] = true
			}
		case e.Answer != nil:
			for _, call := range e.Answer.Calls {
				if !done[call.ID] {
					calls = append(calls, call)
				}
			}
			return calls, e.Answer
		}
	}
	return nil, nil
}

// Messages returns how many messages of people the conversation holds.
func (c *Conversation) Messages() (n int) {
	for _, e := range c.Entries {
		if e.Said != nil {
			n = max(n, e.Said.Messages)
		}
	}
	return n
}

// Calls returns all calls so far that have a result, the oldest first.
func (c *Conversation) Calls() (calls []Call) {
	open, _ := c.Open()
	waiting := map[string]bool{}
	for _, call := range open {
		waiting[call.ID] = true
	}
	for _, e := range c.Entries {
		if e.Answer == nil {
			continue
		}
		for _, call := range e.Answer.Calls {
			if !waiting[call.ID] {
				calls = append(calls, call)
			}
		}
	}
	return calls
}

// Answers counts the answers of the model.
func (c *Conversation) Answers() (n int) {
	for _, e := range c.Entries {
		if e.Answer != nil {
			n++
		}
	}
	return n
}

// Failed tells by their ids which calls have failed.
func (c *Conversation) Failed() map[string]bool {
	failed := map[string]bool{}
	for _, e := range c.Entries {
		if e.Results == nil {
			continue
		}
		for _, r := range e.Results.List {
			failed[r.Call] = r.Failed
		}
	}
	return failed
}
