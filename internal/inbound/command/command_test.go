package command

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Command{
		"approve":                            {Verb: "approve"},
		" Approve \n":                        {Verb: "approve"},
		"approve x1y2z3":                     {Verb: "approve", Text: "x1y2z3"},
		"approve --task x1y2z3":              {Verb: "approve", Task: "x1y2z3"},
		"reject\nwe drop it":                 {Verb: "reject", Text: "we drop it", Marked: true},
		"reject: we drop it":                 {Verb: "reject", Text: "we drop it", Marked: true},
		"edit x1 'one commit'":               {Verb: "edit", Text: "x1 'one commit'"},
		"edit \"one commit\"":                {Verb: "edit", Text: "one commit"},
		"edit “one commit”":                  {Verb: "edit", Text: "one commit"},
		"tell use \"a\" and \"b\"":           {Verb: "tell", Text: "use \"a\" and \"b\""},
		"tell it's \"--force\"":              {Verb: "tell", Text: "it's \"--force\""},
		"resume --note=\"a b\" --add-cost=2": {Verb: "resume", Options: map[string]string{"note": "a b", "add-cost": "2"}},
		"run fix --json output now --base x": {Verb: "run", Text: "fix --json output now", Options: map[string]string{"base": "x"}},
		"run fix --label a --label b":        {Verb: "run", Text: "fix", Options: map[string]string{"label": "a,b"}},
		"run fix --draft --BUDGET 5":         {Verb: "run", Text: "fix", Options: map[string]string{"draft": "true", "budget": "5"}},
	} {
		if want.Options == nil {
			want.Options = map[string]string{}
		}
		got, err := Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": `"" is no command`, "please run it": `"please" is no command`, "running": `"running" is no command`, "run-it now": `"run-it" is no command`,
		"approve@bot": `"approve@bot" is no command`, strings.Repeat("x", 100): `"` + strings.Repeat("x", 37) + `…" is no command`,
		"list --all": "--all: list takes no options", "approve --x": "--x: unknown option of approve", "edit x --revision -1": "--revision -1: not a whole number",
		"resume --add-cost NaN": "--add-cost NaN: not an amount", "resume --add-cost -2": "--add-cost -2: not an amount",
		"resume --add-time 2":              "--add-time 2: not a duration",
		"resume --add-cost 1 --add-cost 2": "--add-cost appears twice", "run x --budget \"\"": "--budget: its value is missing",
		"tell use --force": "--force: unknown option of tell", "approve " + strings.Repeat("x", MaxLength): "the text has 40968 bytes",
	} {
		_, err := Parse(text)
		if err == nil || !strings.HasPrefix(err.Error(), want) || fault.HintOf(err) == "" {
			t.Errorf("%q: %v (%s)", excerpt.Clip(text, 50), err, fault.HintOf(err))
			continue
		}
		if kind := fault.KindOf(err); kind != fault.Input && !(kind == fault.NotFound && strings.Contains(want, "no command")) {
			t.Errorf("%q: kind %s", text, kind)
		}
	}
}

// TestHostileTextsCostLittle: everybody on the lists can send one, and on a forge everybody who may comment.
func TestHostileTextsCostLittle(t *testing.T) {
	for _, part := range []string{"\"", "\" ", "' “ ", "--a ", "--label a ", "“ ", "a\n", "—a=\" ", "--a=“x "} {
		text := "run " + strings.Repeat(part, (MaxLength-10)/len(part))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c, _ := Parse(text)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 || len(c.Options["label"]) > 2*maxOptions { // the square of the words would be gigabytes
			t.Errorf("%q takes %d bytes and has %d labels", part, used, len(c.Options["label"])/2)
		}
	}
}

func TestPayloadRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"edit": "the text is missing", "tell --task x1y2": "the text is missing", "approve: yes --comment no": "--comment: there is a text",
		"allow a b": "allow takes the id of one command",
		"tell " + strings.Repeat("x", signals.MaxText+1): "the text has 8001 bytes", "edit " + strings.Repeat("x", signals.MaxEdit+1): "the text has 32001 bytes",
		"run x": `"run" is no message`,
	} {
		c, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Payload(signals.Message{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", excerpt.Clip(text, 50), err)
		}
	}
}

func TestOptionsAreOfVerbs(t *testing.T) {
	t.Parallel()
	for verb := range verbOptions {
		if !slices.Contains(Verbs(), verb) && !IsCron(verb) {
			t.Errorf("%s has options but is no verb", verb)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"approve", "run acme/web fix it --budget 5 --time 60m", "edit x1y2z3 “one commit” —revision 2",
		"/tell@bot: 'a' \"b", "resume --note=\"a b",
		"reject\n", "`allow 4f2a`", "run --draft --label a,b --", "tell — – --\xff", "deny --reason='x' y",
		`cron create "0 9 * * 1-5" fix it —timezone Europe/Rome`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse(text)
		if err != nil {
			if kind := fault.KindOf(err); kind != fault.Input && kind != fault.NotFound || len(err.Error()) > 400 {
				t.Fatalf("kind %s: %v", kind, err)
			}
			return
		}
		if !slices.Contains(Verbs(), c.Verb) && !IsCron(c.Verb) || !strings.Contains(text, c.Text) || !strings.Contains(text, c.Task) ||
			c.Text != strings.TrimSpace(c.Text) {
			t.Fatalf("%q gives %+v", text, c)
		}
		for name, value := range c.Options {
			o, ok := optionOf(c.Verb, name)
			if !ok || o.kind != isList && o.check(value) != nil {
				t.Fatalf("%q gives option %s %q", text, name, value)
			}
		}
		if _, err := json.Marshal(c.Config()); err != nil {
			t.Fatal(err)
		}
		if again := c.Named().Named(); again.Task != c.Named().Task {
			t.Fatalf("%q names %q, then %q", text, c.Named().Task, again.Task)
		}
		switch c.Verb {
		case Run, Cron, CronCreate, CronList, CronDelete, Status, Logs, List, Cancel, Help, Start:
		default:
			if r, err := c.Payload(signals.Message{ID: "x"}); err == nil && r == nil || err != nil && fault.KindOf(err) != fault.Input {
				t.Fatalf("%q: %v", text, err)
			}
		}
	})
}
