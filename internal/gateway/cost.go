package gateway

import (
	"cmp"
	"strings"
)

// find returns the prices of a model. An entry matches when the name equals it, or begins with it and goes on with a
// date, a tag or a suffix like [1m]; the longest match wins. A version number does not match: claude-opus-5-9 is another
// model than claude-opus-5, and its price is unknown. Unknown models are priced as the dearest one, so that budgets
// hold.
func (p *Prices) find(name string) (m model, known bool) {
	name = strings.ToLower(name)
	for n := len(name); n > 0; n-- {
		if m, ok := p.models[name[:n]]; ok && !otherVersion(name[n:]) {
			return m, true
		}
	}
	return p.models[p.dear], false
}

// otherVersion reports whether the rest of a name continues with a version number: one or two digits, or a point.
func otherVersion(rest string) bool {
	if strings.HasPrefix(rest, ".") {
		return true
	}
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

// dearest returns the entry with the highest output price; ties are broken by input price, then by name.
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

// in returns the rate for a prompt of this many tokens.
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

// geo applies the factor for the inference region, rounding to the nearest.
func (p *Prices) geo(n nanos, where string) nanos {
	if where != "us" {
		return n
	}
	return (n*nanos(p.us) + 500) / 1000
}

// cost prices a usage by the model named in the answer, or by the one in the request when the answer's is unknown.
func (p *Prices) cost(u apiUsage, asked, answered string) (total counts, sum nanos, unknown string) {
	own := cmp.Or(answered, asked)
	if _, known := p.find(own); !known {
		if _, known := p.find(asked); known {
			own = asked
		}
	}
	for _, part := range u.parts() {
		name := cmp.Or(part.model, own)
		m, known := p.find(name)
		if !known {
			unknown = name
		}
		sum += m.in(part.counts.prompt(), u.Speed).cost(part.counts)
		total = total.add(part.counts)
	}
	return total, p.geo(sum, u.Geo) + nanos(total.Searches)*p.search, unknown
}
