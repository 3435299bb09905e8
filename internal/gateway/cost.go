package gateway

import (
	"strings"
)

// find gives the prices of a model. The longest entry wins that the name is or begins with, when what follows is a date,
// a tag or a suffix like [1m] - but not a version number: claude-opus-5-9 is another model than claude-opus-5, and nobody
// knows its price. An unknown model is priced as the dearest one, so that a budget holds.
func (p *Prices) find(name string) (m model, known bool) {
	name = strings.ToLower(name)
	for n := len(name); n > 0; n-- {
		if m, ok := p.models[name[:n]]; ok && !otherVersion(name[n:]) {
			return m, true
		}
	}
	return p.models[p.dear], false
}

// otherVersion tells whether the rest of a name goes on with a version number: one or two digits.
func otherVersion(rest string) bool {
	rest, ok := strings.CutPrefix(rest, "-")
	if !ok {
		return rest != "" && isDigit(rest[0])
	}
	digits := 0
	for digits < len(rest) && isDigit(rest[digits]) {
		digits++
	}
	return digits == 1 || digits == 2
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// dearest gives the entry with the highest price of output, then of input; by name when they are the same.
func (p *Prices) dearest() string {
	best := ""
	for name, m := range p.models {
		b := p.models[best]
		switch {
		case best == "", m.output > b.output,
			m.output == b.output && m.input > b.input,
			m.output == b.output && m.input == b.input && name < best:
			best = name
		}
	}
	return best
}

// in gives the rate for a prompt of so many tokens.
func (m model) in(prompt int64, speed string) rate {
	switch {
	case speed == "fast" && m.fast != nil:
		return *m.fast
	case m.above > 0 && prompt > m.above:
		return m.long
	}
	return m.rate
}

func (r rate) cost(c counts) nanos {
	return nanos(c.Input)*r.input + nanos(c.Output)*r.output + nanos(c.CacheRead)*r.read +
		nanos(c.Write5m)*r.write5m + nanos(c.Write1h)*r.write1h
}

// geo applies the factor for where the model runs, rounding to the nearest.
func (p *Prices) geo(n nanos, where string) nanos {
	if where != "us" {
		return n
	}
	return (n*nanos(p.us) + 500) / 1000
}

// cost prices a usage. asked is the model of the request, answered the one of the answer, which decides when it is known.
func (p *Prices) cost(u apiUsage, asked, answered string) (total counts, sum nanos, unknown string) {
	own := orElse(answered, asked)
	if _, known := p.find(own); !known {
		if _, known := p.find(asked); known {
			own = asked
		}
	}
	for _, part := range u.parts() {
		name := orElse(part.model, own)
		m, known := p.find(name)
		if !known {
			unknown = name
		}
		sum += m.in(part.counts.prompt(), u.Speed).cost(part.counts)
		total = total.add(part.counts)
	}
	return total, p.geo(sum, u.Geo) + nanos(total.Searches)*p.search, unknown
}
