package agent

import (
	"regexp"
	"strconv"
	"time"
)

// Failure is how a call of a model has ended that gave no answer, as far as it decides how the session goes on. What the network or the
// vendor's servers do for a moment is no Failure: such a call is made again.
type Failure struct {
	Kind  OutcomeKind // Quota, AuthFailed or Errored
	Text  string
	Reset time.Time // for Quota: when it is available again; zero if unknown

	// for Errored
	TooLong    bool // the conversation is longer than the model takes
	MostOutput int  // the longest answer that the model gives, in tokens, where a longer one was asked for; else 0
}

// MostOutput reads what an API says of a call that asked for too long an answer, in tokens; 0 where it says nothing of that.
func MostOutput(said string) int {
	for _, form := range tooMuchOutput {
		if m := form.FindStringSubmatch(said); m != nil {
			most, _ := strconv.Atoi(m[1])
			return most
		}
	}
	return 0
}

// tooMuchOutput are the ways in which APIs say it: Anthropic's, OpenAI's, and those of DeepSeek and Groq.
var tooMuchOutput = []*regexp.Regexp{
	regexp.MustCompile(`\d+ > (\d+), which is the maximum allowed number of output tokens`),
	regexp.MustCompile(`supports at most (\d+) completion tokens`),
	regexp.MustCompile(`valid range of max_tokens is \[1, ?(\d+)\]`),
	regexp.MustCompile("max_(?:completion_)?tokens`? must be less than or equal to `?(\\d+)"),
}

// Throttled is an answer of "too many requests" that says nothing of a quota. It may be over in a moment: who gets it again and again takes it for a
// quota that is used up.
type Throttled struct{ Err error }

func (t *Throttled) Error() string { return t.Err.Error() }

func (t *Throttled) Unwrap() error { return t.Err }

// Unfit is the error of an agent that can't work on its host, whatever the task is: it is not set up there, has no key, or asks for a
// model that is not served. Another agent may do the work.
type Unfit struct{ Err error }

func (u *Unfit) Error() string { return u.Err.Error() }

func (u *Unfit) Unwrap() error { return u.Err }

func (f *Failure) Error() string { return string(f.Kind) + ": " + f.Text }
