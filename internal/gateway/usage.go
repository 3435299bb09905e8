package gateway

import (
	"cmp"
	"encoding/json"
)

// counts are tokens by billing category.
type counts struct {
	Input     int64 `json:"input,omitempty"` // uncached
	Output    int64 `json:"output,omitempty"`
	CacheRead int64 `json:"cacheRead,omitempty"`
	Write5m   int64 `json:"cacheWrite5m,omitempty"`
	Write1h   int64 `json:"cacheWrite1h,omitempty"`
	Searches  int64 `json:"webSearches,omitempty"` // requests; other server tools are free or not billed per use
}

func (c counts) add(d counts) counts {
	return counts{c.Input + d.Input, c.Output + d.Output, c.CacheRead + d.CacheRead,
		c.Write5m + d.Write5m, c.Write1h + d.Write1h, c.Searches + d.Searches}
}

// prompt is the prompt size by which prices are chosen.
func (c counts) prompt() int64 { return c.Input + c.CacheRead + c.Write5m + c.Write1h }

// apiUsage is the usage object of the Messages API. In a stream its numbers are running totals, and each event may omit
// some.
type apiUsage struct {
	Type          string        `json:"type"`  // of an iteration
	Model         string        `json:"model"` // of an iteration by another model
	Input         *int64        `json:"input_tokens"`
	Output        *int64        `json:"output_tokens"`
	CacheRead     *int64        `json:"cache_read_input_tokens"`
	CacheCreation *int64        `json:"cache_creation_input_tokens"`
	Tiers         *cacheTiers   `json:"cache_creation"`
	ServerTools   *serverTools  `json:"server_tool_use"`
	Speed         string        `json:"speed"`
	Geo           string        `json:"inference_geo"`
	Iterations    lenientUsages `json:"iterations"`
}

type cacheTiers struct {
	Write5m int64 `json:"ephemeral_5m_input_tokens"`
	Write1h int64 `json:"ephemeral_1h_input_tokens"`
}

type serverTools struct {
	Searches int64 `json:"web_search_requests"`
}

// lenientUsages decodes an unknown format as an empty list, so that the totals beside it are still read.
type lenientUsages []apiUsage

// UnmarshalJSON never fails.
func (l *lenientUsages) UnmarshalJSON(text []byte) error {
	var list []apiUsage
	if json.Unmarshal(text, &list) == nil {
		*l = list
	}
	return nil
}

// merge applies the numbers of a later event.
func (u *apiUsage) merge(v apiUsage) {
	for _, f := range []struct{ to, from **int64 }{
		{&u.Input, &v.Input}, {&u.Output, &v.Output}, {&u.CacheRead, &v.CacheRead}, {&u.CacheCreation, &v.CacheCreation},
	} {
		if *f.from != nil {
			*f.to = *f.from
		}
	}
	if v.Tiers != nil {
		u.Tiers = v.Tiers
	}
	if v.ServerTools != nil {
		u.ServerTools = v.ServerTools
	}
	if v.Iterations != nil {
		u.Iterations = v.Iterations
	}
	u.Speed, u.Geo = cmp.Or(v.Speed, u.Speed), cmp.Or(v.Geo, u.Geo)
}

// counts returns the totals. Cache writes without a tier count as five-minute writes, the API's default.
func (u apiUsage) counts() counts {
	c := counts{Input: amount(u.Input), Output: amount(u.Output), CacheRead: amount(u.CacheRead)}
	written := amount(u.CacheCreation)
	if u.Tiers != nil {
		if u.CacheCreation == nil {
			written = clamp(u.Tiers.Write5m) + clamp(u.Tiers.Write1h)
		}
		c.Write1h = min(clamp(u.Tiers.Write1h), written)
	}
	c.Write5m = written - c.Write1h
	if u.ServerTools != nil {
		c.Searches = clamp(u.ServerTools.Searches)
	}
	return c
}

func amount(p *int64) int64 {
	if p == nil {
		return 0
	}
	return clamp(*p)
}

// clamp keeps a number from outside in a range that sums cannot overflow.
func clamp(n int64) int64 { return min(max(n, 0), 1e10) }

// part is the usage of one model within a call.
type part struct {
	model  string // "" for the model of the call
	counts counts
}

// parts splits the usage by what is priced separately. The totals are the sum of the ordinary iterations; the advisor
// model and compaction are charged on top.
func (u apiUsage) parts() []part {
	totals := u.counts()
	var ordinary, extra []part
	var sum counts
	for _, it := range u.Iterations {
		p := part{it.Model, it.counts()}
		if it.Type == "advisor_message" || it.Type == "compaction" {
			extra = append(extra, p)
			continue
		}
		ordinary = append(ordinary, p)
		sum = sum.add(p.counts)
	}
	long := totals.Write1h - sum.Write1h // of iterations that don't name their tier
	sum.Write5m, sum.Write1h, sum.Searches = sum.Write5m-long, sum.Write1h+long, totals.Searches
	if len(ordinary) == 0 || sum != totals {
		return append([]part{{"", totals}}, extra...)
	}
	for i := range ordinary {
		c := &ordinary[i].counts
		moved := min(max(long, 0), c.Write5m)
		c.Write5m, c.Write1h, long = c.Write5m-moved, c.Write1h+moved, long-moved
		c.Searches = 0
	}
	ordinary[0].counts.Searches = totals.Searches
	return append(ordinary, extra...)
}
