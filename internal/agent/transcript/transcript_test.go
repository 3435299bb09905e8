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

func TestOddArguments(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{`{"a":1}`: `{"a":1}`, `null`: `{}`, `[1]`: `{}`, `"x"`: `{}`, `{"a":`: `{}`, ``: `{}`} {
		if got := string(Arguments(json.RawMessage(in))); got != want {
			t.Errorf("%q becomes %q", in, got)
		}
	}
}
