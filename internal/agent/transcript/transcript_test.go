package transcript

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/task"
)

func add(t *testing.T, s Store, e Entry) string {
	t.Helper()
	name, err := s.Add(e)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// TestConversation reads a conversation by the name of its last entry, and what is still open in it.
func TestConversation(t *testing.T) {
	s := Store{filepath.Join(t.TempDir(), "deep", "folder")}
	at := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	first := add(t, s, Entry{At: at, Start: &Start{Model: "m", System: "s", Prompt: "p"}})
	said := add(t, s, Entry{Before: first, At: at, Said: &Said{Text: "x", Messages: 2}})
	answer := Answer{Calls: []Call{{ID: "1", Tool: "a"}, {ID: "2", Tool: "b"}, {ID: "3", Tool: "c"}}, Raw: json.RawMessage(`[]`)}
	asked := add(t, s, Entry{Before: said, At: at, Answer: &answer})
	made := add(t, s, Entry{Before: asked, At: at, Results: &Results{List: []Result{{Call: "1"}, {Call: "2"}}}})
	garbage := add(t, s, Entry{Before: asked, At: at.Add(time.Second), Results: &Results{List: []Result{{Call: "1"}}}})
	c, err := s.Load(made)
	if err != nil {
		t.Fatal(err)
	}
	open, of := c.Open()
	if len(c.Entries) != 4 || c.Start().Prompt != "p" || len(open) != 1 || open[0].ID != "3" || of == nil || c.Messages() != 2 || c.Answers() != 1 {
		t.Errorf("%+v, open %+v", c, open)
	}
	if done := c.Calls(); len(done) != 2 || done[1].Tool != "b" {
		t.Errorf("made %+v", done)
	}
	after, err := s.After(asked)
	if err != nil || len(after) != 2 || !slices.Contains(after, garbage) {
		t.Errorf("after it come %q, %v", after, err)
	}
	if again := add(t, s, Entry{At: at, Start: &Start{Model: "m", System: "s", Prompt: "p"}}); again != first {
		t.Errorf("the same entry has the names %s and %s", first, again)
	}
}

// TestDamage: an entry that is missing, damaged or named by something else is an error that says so.
func TestDamage(t *testing.T) {
	s := Store{t.TempDir()}
	name := add(t, s, Entry{Start: &Start{}})
	for what, c := range map[string]struct {
		name string
		do   func() error
		want string
	}{
		"missing":      {strings.Repeat("0", 64), nil, "not on this host"},
		"no name":      {"../../etc/passwd", nil, "no name"},
		"changed":      {name, func() error { return os.WriteFile(s.file(name), []byte(`{"start":{}}`), 0o600) }, "damaged"},
		"no beginning": {add(t, s, Entry{Said: &Said{Text: "x"}}), nil, "no beginning"},
	} {
		if c.do != nil {
			if err := c.do(); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Load(c.name); err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrMissing) != (what == "missing") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestSize takes the count of the API, estimates it where there is none, and begins anew with a summary.
func TestSize(t *testing.T) {
	t.Parallel()
	text := func(n int) string { return strings.Repeat("x", n) }
	answer := Entry{Answer: &Answer{Raw: json.RawMessage(text(400))}}
	told := Entry{Answer: &Answer{Raw: answer.Answer.Raw, Usage: task.Usage{Input: 5, CacheRead: 3, CacheWrite: 2, Output: 1}}}
	results := Entry{Results: &Results{List: []Result{{Content: text(4000)}}, Note: text(40)}}
	summary := Entry{Summary: &Summary{Text: text(80)}}
	for name, c := range map[string]struct {
		after []Entry
		want  int64
		grown bool
	}{
		"nothing answered":  {[]Entry{{Said: &Said{Text: "x"}}}, 0, false},
		"told":              {[]Entry{answer, results, told}, 11, true},
		"not told":          {[]Entry{answer, results, answer, {Said: &Said{Text: text(400)}}}, 10 + 100 + 1010 + 100, true},
		"summed up":         {[]Entry{answer, results, told, summary, {Said: &Said{Text: "x"}}}, 0, false},
		"answered after it": {[]Entry{answer, results, told, summary, answer}, 10 + 20 + 100, true},
	} {
		start := Entry{Start: &Start{System: text(20), Prompt: text(10), Tools: []Tool{{Name: text(2), Text: text(4), Schema: json.RawMessage(text(4))}}}}
		conversation := &Conversation{Entries: append([]Entry{start}, c.after...)}
		if got := conversation.Size(); got != c.want || conversation.Grown() != c.grown {
			t.Errorf("%s: %d tokens, grown: %v", name, got, conversation.Grown())
		}
	}
}

func TestOddArguments(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{`{"a":1}`: `{"a":1}`, `null`: `{}`, `[1]`: `{}`, `"x"`: `{}`, `{"a":`: `{}`, ``: `{}`} {
		if got := string(Arguments(json.RawMessage(in))); got != want {
			t.Errorf("%q becomes %q", in, got)
		}
	}
}
