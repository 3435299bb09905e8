package transcript

import "slices"

// answered returns the index of the last answer since the last summary, or -1.
func (c *Conversation) answered() int {
	for i := len(c.Entries) - 1; i >= 0 && c.Entries[i].Summary == nil; i-- {
		if c.Entries[i].Answer != nil {
			return i
		}
	}
	return -1
}

// Grown tells whether the model has answered since the last summary: without, another one would not make the conversation shorter.
func (c *Conversation) Grown() bool { return c.answered() >= 0 }

// Size is how many tokens the conversation had with its last answer, as the model's API has counted, or by its bytes where the API tells no
// usage; 0 when nothing was answered since the last summary.
func (c *Conversation) Size() int64 {
	at := c.answered()
	if at < 0 {
		return 0
	}
	u := c.Entries[at].Answer.Usage
	if told := u.Input + u.CacheRead + u.CacheWrite + u.Output; told > 0 {
		return told
	}
	return c.bytes(at) / tokenBytes
}

// tokenBytes is about how many bytes of text and code a token has.
const tokenBytes = 4

// bytes is the length of what the model was sent and has answered, up to an entry.
func (c *Conversation) bytes(last int) (n int64) {
	start := c.Start()
	n = int64(len(start.System) + len(start.Prompt))
	for _, t := range start.Tools {
		n += int64(len(t.Name) + len(t.Text) + len(t.Schema))
	}
	for i := last; i > 0; i-- {
		n += c.Entries[i].bytes()
		if c.Entries[i].Summary != nil {
			break
		}
	}
	return n
}

func (e Entry) bytes() (n int64) {
	switch {
	case e.Answer != nil:
		return int64(len(e.Answer.Raw))
	case e.Results != nil:
		n = int64(len(e.Results.Note))
		for _, r := range e.Results.List {
			n += int64(len(r.Content))
		}
	case e.Said != nil:
		return int64(len(e.Said.Text))
	case e.Summary != nil:
		return int64(len(e.Summary.Text))
	}
	return n
}

// lastTurns is how many answers the shortest form of a conversation keeps.
const lastTurns = 5

// Shorter returns the entries after the start in forms that become shorter: as they are, without what tools returned, and the last turns
// alone.
func (c *Conversation) Shorter() [][]Entry {
	whole := c.Entries[1:]
	bare := slices.Clone(whole)
	for i, e := range bare {
		if e.Results != nil {
			bare[i].Results = e.Results.withoutContent()
		}
	}
	answers, from := 0, 0
	for i := len(bare) - 1; i >= 0 && answers < lastTurns; i-- {
		if bare[i].Answer != nil {
			answers, from = answers+1, i
		}
	}
	if from == 0 {
		return [][]Entry{whole, bare}
	}
	return [][]Entry{whole, bare, append([]Entry{{Said: &Said{Text: "[what came before is left out here]"}}}, bare[from:]...)}
}

func (r *Results) withoutContent() *Results {
	short := &Results{Note: r.Note}
	for _, one := range r.List {
		one.Content = `{"left_out":true}`
		short.List = append(short.List, one)
	}
	return short
}
