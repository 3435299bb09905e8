package transcript

import "slices"

// Size is how many tokens the conversation had with its last answer, as the model's API has counted; 0 when nothing was answered since the
// last summary.
func (c *Conversation) Size() int64 {
	for i := len(c.Entries) - 1; i >= 0 && c.Entries[i].Summary == nil; i-- {
		if a := c.Entries[i].Answer; a != nil {
			return a.Usage.Input + a.Usage.CacheRead + a.Usage.CacheWrite + a.Usage.Output
		}
	}
	return 0
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
