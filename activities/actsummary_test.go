package activities

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/task"
)

// filling is a model that has room for so many entries, and counts a thousand tokens for each.
type filling struct {
	saying
	room    int
	cutAt   int  // tokens below which a summary does not fit; 0 for none
	silent  bool // it tells no usage
	queries []transcript.Query
}

func (m *filling) Answer(ctx context.Context, e agent.Endpoint, q transcript.Query) (transcript.Answer, error) {
	m.queries = append(m.queries, q)
	live := 0
	for _, e := range q.Entries {
		if live++; e.Summary != nil {
			live = 0
		}
		if e.Results != nil && strings.Contains(e.Results.List[0].Content, "left_out") {
			live-- // results without content take no room
		}
	}
	if live > m.room {
		return transcript.Answer{}, &agent.Failure{Kind: agent.Errored, Text: "prompt is too long", TooLong: true}
	}
	last := q.Entries[len(q.Entries)-1]
	if last.Said != nil && last.Said.Text == askSummary {
		if q.MaxOutput < m.cutAt {
			return transcript.Answer{Text: "Half of", Cut: true}, nil
		}
		return transcript.Answer{Text: "Half of it is done."}, nil
	}
	a, err := m.saying.Answer(ctx, e, q)
	if a.Usage.Input = int64(1000 * live); m.silent {
		a.Usage = task.Usage{}
	}
	return a, err
}

// TestNativeConversationIsSummarised: a conversation that has become too long, by the count of the API or by its refusal, goes on with a
// summary of it, and what people say meanwhile is not lost.
func TestNativeConversationIsSummarised(t *testing.T) {
	for name, c := range map[string]struct {
		context, room, asked int // asked: for a summary, until it fitted
		cutAt                int
		silent               bool
		thinking             int
	}{
		"before it is full": {10_000, 100, 1, 0, false, 8192}, "refused": {200_000, 8, 2, 0, false, 8192},
		"refused without results too": {200_000, 5, 3, 0, false, 8192}, "cut off": {200_000, 8, 3, 18_192, false, 8192},
		"refused, and no usage is told": {200_000, 8, 2, 0, true, 8192}, "thinks for longer than its answers are": {200_000, 8, 2, 0, false, 40_000},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.prepare()
			var answers [][]transcript.Call
			for range 6 {
				answers = append(answers, []transcript.Call{calling("list_dir", `{}`)})
			}
			m := &filling{saying: saying{answers: append(answers, []transcript.Call{calling("deliverable_set_status", reportsDone)})}, room: c.room, cutAt: c.cutAt, silent: c.silent}
			r := b.begins(task.Implementer)
			r.in.Native, r.in.Thinking = task.NativeSettings{Context: c.context}, c.thinking
			b.Model = m
			b.start()
			r.open()
			told := false
			for range 12 {
				in := AskInput{Act: r.act(), Said: &Said{Text: "ann says: go on", Messages: 1}}
				var out ActResult
				must(t, r.attempt().run(r.host.Acts.AskModel, in, &out))
				if r.head = out.Head; out.Summed {
					if again := out; r.attempt().run(r.host.Acts.AskModel, in, &again) != nil || again.Head != out.Head {
						t.Errorf("an attempt that comes again makes another summary")
					}
					told = true
					break
				}
				r.makes()
			}
			if !told {
				t.Fatal("no summary was made")
			}
			asked, budget := 0, min(m.queries[0].Start.Thinking, m.queries[0].MaxOutput-1)
			for _, q := range m.queries {
				if min(q.Start.Thinking, q.MaxOutput-1) != budget {
					t.Errorf("%d of %d tokens are for thinking, and %d before: the cache of the API is lost", min(q.Start.Thinking, q.MaxOutput-1), q.MaxOutput, budget)
				}
				if e := q.Entries[len(q.Entries)-1]; e.Said != nil && e.Said.Text == askSummary {
					asked++
				}
			}
			if asked != c.asked {
				t.Errorf("asked %d times for a summary, want %d", asked, c.asked)
			}
			var out ActResult
			must(t, r.attempt().run(r.host.Acts.AskModel, AskInput{Act: r.act(), Said: &Said{Text: "ann says: hurry"}}, &out))
			last := m.queries[len(m.queries)-1].Entries
			if n := len(last); last[n-2].Summary == nil || !strings.HasSuffix(last[n-2].Summary.Text, "Half of it is done.") || last[n-1].Said.Text != "ann says: hurry" || len(out.Calls) != 1 {
				t.Errorf("goes on with %+v", last[n-2:])
			}
		})
	}
}

// terse is a model that gives short answers, and whose API refuses to be asked for longer ones.
type terse struct {
	saying
	asked []int // for how many tokens
}

func (m *terse) Answer(ctx context.Context, e agent.Endpoint, q transcript.Query) (transcript.Answer, error) {
	if m.asked = append(m.asked, q.MaxOutput); q.MaxOutput > 8192 {
		return transcript.Answer{}, &agent.Failure{Kind: agent.Errored, Text: "at most 8192", MostOutput: 8192}
	}
	return m.saying.Answer(ctx, e, q)
}

// TestNativeAsksForWhatTheModelGives: an API that gives shorter answers than it was asked for is asked once more, and then for these alone.
func TestNativeAsksForWhatTheModelGives(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	r := b.begins(task.Implementer)
	m := &terse{saying: saying{answers: [][]transcript.Call{{calling("list_dir", `{}`)}, {calling("list_dir", `{}`)}}}}
	b.Model = m
	b.start()
	r.open()
	for range 2 {
		if asked := r.turn(1); asked.Kind != "" {
			t.Fatalf("%s: %s", asked.Kind, asked.Text)
		}
	}
	if want := []int{32_000, 8192, 8192}; !slices.Equal(m.asked, want) {
		t.Errorf("asked for %d tokens, want %d", m.asked, want)
	}
}
