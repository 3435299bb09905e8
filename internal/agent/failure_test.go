package agent

import "testing"

func TestMostOutput(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]int{
		"max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet-20241022 (HTTP 400)":                                      8192,
		"max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000. (HTTP 400)":                                   16384,
		"Invalid max_tokens value, the valid range of max_tokens is [1, 8192] (HTTP 400)":                                                                               8192,
		"`max_completion_tokens` must be less than or equal to `16384`, the maximum value for `max_completion_tokens` is less than the `context_window` for this model": 16384,
		"input length and `max_tokens` exceed context limit: 178959 + 32000 > 200000":                                                                                   0,
		"This model's maximum context length is 8192 tokens. However, you requested 8256 tokens":                                                                        0,
	} {
		if got := MostOutput(said); got != want {
			t.Errorf("%d of %q, want %d", got, said, want)
		}
	}
}
