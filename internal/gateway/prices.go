package gateway

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"strings"
)

//go:embed prices.json
var listPrices []byte

//go:embed openaiprices.json
var openAIListPrices []byte

// Prices are the prices of models. A name is priced by the longest entry it begins with; see Prices.find.
type Prices struct {
	Source string // origin of the figures
	Date   string // when they were looked up
	search nanos  // per web search
	us     int64  // factor of inference bound to the US, in thousandths
	models map[string]model
	dear   string // the entry that prices unknown models
}

// model is the prices of one entry.
type model struct {
	rate
	above int64 // longer prompts are priced by long; 0 = no prompt is
	long  rate
	fast  *rate // with speed "fast", nil when the model has no such mode
}

// rate is the price of each kind of token.
type rate struct{ input, output, write5m, write1h, read nanos }

// DefaultPrices returns the list prices of Anthropic, which are embedded in the program.
func DefaultPrices() *Prices { return embedded(listPrices) }

// DefaultOpenAIPrices returns those of OpenAI.
func DefaultOpenAIPrices() *Prices { return embedded(openAIListPrices) }

func embedded(list []byte) *Prices {
	p, err := ParsePrices(list)
	if err != nil {
		panic(err) // the file is embedded, and a test parses it
	}
	return p
}

// ParsePrices parses the text of a price file.
func ParsePrices(data []byte) (*Prices, error) {
	var f priceFile
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("more than one JSON value")
	}
	if len(f.Models) == 0 {
		return nil, fmt.Errorf("no models")
	}
	p := &Prices{Source: f.Source, Date: f.Date, models: map[string]model{}}
	p.search, p.us = nanos(math.Round(f.WebSearch*1e9)), int64(math.Round(max(f.USInference, 1)*1000))
	for name, e := range f.Models {
		m, err := e.model()
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", name, err)
		}
		p.models[strings.ToLower(name)] = m
	}
	p.dear = p.dearest()
	return p, nil
}

// With returns prices with those of a price file added, which take the place of entries of the same name. Models that cost nothing, such as
// those on one's own machines, have prices of 0.
func (p *Prices) With(data []byte) (*Prices, error) {
	more, err := ParsePrices(data)
	if err != nil {
		return nil, err
	}
	all := *p
	all.models = maps.Clone(p.models)
	maps.Copy(all.models, more.models)
	all.dear = all.dearest()
	return &all, nil
}

type priceFile struct {
	Source      string               `json:"source"`
	Date        string               `json:"date"`
	WebSearch   float64              `json:"webSearch"`
	USInference float64              `json:"usInference"`
	Models      map[string]fileModel `json:"models"`
}

type fileModel struct {
	fileRate
	Fast *fileRate `json:"fast"`
	Long *struct {
		Above int64 `json:"above"`
		fileRate
	} `json:"longPrompt"`
}

type fileRate struct {
	Input   *float64 `json:"input"`
	Output  *float64 `json:"output"`
	Write5m *float64 `json:"cacheWrite5m"`
	Write1h *float64 `json:"cacheWrite1h"`
	Read    *float64 `json:"cacheRead"`
}

func (e fileModel) model() (m model, err error) {
	if m.rate, err = e.rate(); err != nil {
		return m, err
	}
	if e.Fast != nil {
		fast, err := e.Fast.rate()
		if err != nil {
			return m, fmt.Errorf("fast: %w", err)
		}
		m.fast = &fast
	}
	if e.Long != nil {
		if m.above = e.Long.Above; m.above <= 0 {
			return m, fmt.Errorf("longPrompt: above is %d, not a number of tokens", m.above)
		}
		if m.long, err = e.Long.rate(); err != nil {
			return m, fmt.Errorf("longPrompt: %w", err)
		}
	}
	return m, nil
}

// rate converts dollars per million tokens to whole nanos per token.
func (e fileRate) rate() (r rate, err error) {
	for _, f := range []struct {
		name string
		from *float64
		to   *nanos
	}{
		{"input", e.Input, &r.input}, {"output", e.Output, &r.output}, {"cacheWrite5m", e.Write5m, &r.write5m},
		{"cacheWrite1h", e.Write1h, &r.write1h}, {"cacheRead", e.Read, &r.read},
	} {
		if f.from == nil && strings.HasPrefix(f.name, "cacheWrite") { // not every vendor has a price for it
			f.from = e.Input
		}
		if f.from == nil {
			return r, fmt.Errorf("%s is missing", f.name)
		}
		n := math.Round(*f.from * 1000)
		if *f.from < 0 || *f.from > 100_000 || math.Abs(n-*f.from*1000) > 1e-6 {
			return r, fmt.Errorf("%s is %v, not a price in steps of $0.001 per million tokens", f.name, *f.from)
		}
		*f.to = nanos(n)
	}
	return r, nil
}
