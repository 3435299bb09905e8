package activities

import (
	"context"
	"errors"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/transcript"
)

// modelCall is a call of the model that is being made.
type modelCall struct {
	of      *Acts
	in      AskInput
	c       *transcript.Conversation
	to      agent.Endpoint
	ends    *endpoints
	log     *sessionLog
	context int // tokens that the model takes
}

// answer asks the model for an answer of so many tokens at most. An API that refuses to give as many, and says how many it gives, is asked
// once more for these.
func (k *modelCall) answer(ctx context.Context, entries []transcript.Entry, most int) (transcript.Answer, error) {
	start := *k.c.Start()
	start.Thinking = k.thinking()
	q := transcript.Query{Session: k.in.Session, Start: &start, Entries: entries, Context: k.context}
	q.MaxOutput = k.of.longest(q.Start.Model, min(most, k.context/4))
	answer, err := k.of.model.Answer(ctx, k.to, q)
	why, ok := errors.AsType[*agent.Failure](err)
	if !ok || why.MostOutput == 0 || why.MostOutput >= q.MaxOutput {
		return answer, err
	}
	k.of.outputs.Store(q.Start.Model, why.MostOutput)
	q.MaxOutput = why.MostOutput
	return k.of.model.Answer(ctx, k.to, q)
}

// thinking is how many tokens the model may think for, the same in all its answers: where the number changes, the API finds nothing in its
// cache.
func (k *modelCall) thinking() int {
	start := k.c.Start()
	return min(start.Thinking, k.of.longest(start.Model, min(mostOutput, k.context/4))-1)
}

// longest is how many tokens an answer of the model may have: most, or fewer where its API has said so.
func (a *Acts) longest(model string, most int) int {
	if said, ok := a.outputs.Load(model); ok {
		return min(most, said.(int))
	}
	return most
}

// full tells whether the conversation leaves too little room for another answer.
func (k *modelCall) full() bool {
	return k.c.Size() > int64(k.context-min(k.context/5, mostOutput+8000))
}

// mostSummary limits a summary, in tokens.
const mostSummary = 8_000

// summarise has the model write down what it needs to go on, and puts that in the place of the conversation so far. What does not fit is
// asked for again without what tools returned, and then for the last turns alone.
func (k *modelCall) summarise(ctx context.Context) (ActResult, error) {
	k.log.activity("Summarising", 0)
	answer, err := k.summary(ctx)
	if err == nil && strings.TrimSpace(answer.Text) == "" {
		err = &agent.Failure{Kind: agent.Errored, Text: "the conversation is too long to go on, and the model gives no summary of it"}
	}
	if err != nil {
		return k.of.unanswered(ctx, k.c, k.ends, k.log, err)
	}
	summary := &transcript.Summary{Text: summaryHead + answer.Text, Total: k.ends.close()}
	k.log.line("! the conversation had become too long: a summary of %d bytes stands for it", len(answer.Text))
	if k.c, err = k.of.add(k.in.Act, k.c, transcript.Entry{Summary: summary}); err != nil {
		return ActResult{}, err
	}
	return ActResult{Head: k.c.Head, Summed: true, Usage: summary.Total}, nil
}

// summary asks for the summary. One that reached the limit of its length lacks its end, and is asked for once more with twice the room.
func (k *modelCall) summary(ctx context.Context) (answer transcript.Answer, err error) {
	most := mostSummary
	ask := func(entries []transcript.Entry) (transcript.Answer, error) {
		request := transcript.Entry{Said: &transcript.Said{Text: askSummary}}
		return k.answer(ctx, append(entries[:len(entries):len(entries)], request), k.thinking()+most)
	}
	for _, entries := range k.c.Shorter() {
		if answer, err = ask(entries); err == nil && answer.Cut && most == mostSummary {
			most = 2 * mostSummary
			if longer, err := ask(entries); err == nil {
				answer = longer
			}
		}
		if why, ok := errors.AsType[*agent.Failure](err); err == nil && strings.TrimSpace(answer.Text) != "" || err != nil && !(ok && why.TooLong) {
			break
		}
	}
	return answer, err
}

const askSummary = `This conversation has become too long to go on with. Write down what you need to go on without it; only what you write now is kept.
- what was asked for, and what people have said since
- what you have found out and decided, and why
- what you have changed, by file, and where in it
- commands that worked, and those that failed with what they said, as far as it still matters
- what is left to do, in order, with the checklist as it stands
Call no tool in this answer.`

const summaryHead = "What you have done on this so far, in your own words, because the conversation had become too long:\n\n"
