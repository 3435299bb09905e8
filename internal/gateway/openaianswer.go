package gateway

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/httpclient"
)

// boundAnswer reads how much output a request asks for. One that names no bound gets what models give at most. It also sees to it that the
// answer tells its usage, and that nothing is kept at the vendor.
func boundAnswer(q *request) error {
	q.key = "max_output_tokens"
	if q.body.get("messages") != nil {
		q.key = "max_completion_tokens"
		if q.body.get("max_tokens") != nil { // older, and all that many servers know
			if q.body.get(q.key) != nil { // servers differ in which of the two they obey
				return within(q.key, refuse("is a second limit beside max_tokens; give one of the two"))
			}
			q.key = "max_tokens"
		}
		if q.stream {
			q.countUsage()
		}
	} else {
		q.body.set("store", false)
	}
	q.text = encodeJSON(q.body)
	given := q.body.get(q.key)
	if given == nil {
		q.output = answerTokens
		return nil
	}
	asked, ok := whole(given)
	if !ok || asked == 0 {
		return within(q.key, refuse("is not a number above 0"))
	}
	q.shorten(min(asked, maxOutput))
	return nil
}

// countUsage has a stream end with its usage.
func (q *request) countUsage() {
	options, _ := q.body.get("stream_options").(*dict)
	if options == nil {
		options = &dict{}
		q.body.set("stream_options", options)
	}
	options.set("include_usage", true)
}

// openAIUsage is the usage object of both APIs. The input contains what was read from the cache.
type openAIUsage struct {
	Input        *int64  `json:"input_tokens"`
	Output       *int64  `json:"output_tokens"`
	InputDetails *cached `json:"input_tokens_details"`

	Prompt        *int64  `json:"prompt_tokens"`
	Completion    *int64  `json:"completion_tokens"`
	PromptDetails *cached `json:"prompt_tokens_details"`
}

type cached struct {
	Tokens int64 `json:"cached_tokens"`
}

func (u *openAIUsage) common() apiUsage {
	input, output := amount(cmp.Or(u.Input, u.Prompt)), amount(cmp.Or(u.Output, u.Completion))
	read := min(clamp(cmp.Or(u.InputDetails, u.PromptDetails, &cached{}).Tokens), input)
	input -= read
	return apiUsage{Input: &input, Output: &output, CacheRead: &read}
}

// openAIAnswer is an answer, as far as it tells its usage.
type openAIAnswer struct {
	Model string       `json:"model"`
	Usage *openAIUsage `json:"usage"`
	Error *openAIError `json:"error"`
}

type openAIError struct {
	Type string `json:"type"`
	Code any    `json:"code"` // text, or a number at some servers
}

func (e *openAIError) name() string {
	code, _ := e.Code.(string)
	return cmp.Or(code, e.Type, "error")
}

func openAIUsageOf(answer []byte) (reading, bool) {
	var a openAIAnswer
	if json.Unmarshal(answer, &a) != nil || a.Usage == nil {
		return reading{}, false
	}
	return reading{model: a.Model, usage: a.Usage.common()}, true
}

// The headers by which OpenAI's API tells of its rate limits: how long until there is the whole amount again.
var resetHeaders = []string{"X-Ratelimit-Reset-Requests", "X-Ratelimit-Reset-Tokens"}

// openAILimit returns the limit behind an answer with status 429, as anthropicLimit does. What is used up for longer is told in the body; see
// problem.
func openAILimit(h http.Header, now time.Time, persists bool) *Limit {
	now = httpclient.Now(h, now)
	pause, hasPause := httpclient.RetryAfter(h, now)
	l := &Limit{Status: http.StatusTooManyRequests}
	switch {
	case hasPause && pause > shortPause:
		l.Claim = claimRetryAfter
	case persists:
		l.Claim = claimThrottled
	default:
		return nil
	}
	for _, name := range resetHeaders {
		if d, err := time.ParseDuration(strings.TrimSpace(h.Get(name))); err == nil {
			pause = max(pause, d)
		}
	}
	if pause > 0 {
		l.Reset = now.Add(pause).Round(0).UTC()
	}
	return l
}

// openAIModels is the list of models as OpenAI's API gives it.
func openAIModels(p *Prices) any {
	type entry struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int64  `json:"created"`
		Owner   string `json:"owned_by"`
	}
	list := []entry{}
	for _, name := range slices.Sorted(maps.Keys(p.models)) {
		list = append(list, entry{ID: name, Object: "model", Owner: "longshift"})
	}
	return map[string]any{"object": "list", "data": list}
}
