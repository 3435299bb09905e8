package activities

import (
	"context"
	"errors"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// AskInput asks the model for its next answer.
type AskInput struct {
	Act
	Said *Said `json:"said,omitempty"` // what the model is told first
}

// LongestAct is how long an act may take, beside its wait for a slot.
const LongestAct = longestAnswer + Overtime

const (
	// longestAnswer is how long one call of the model may take, with the tries that the API's client makes by itself.
	longestAnswer = 30 * time.Minute
	// mostOutput limits an answer, in tokens.
	mostOutput = 32_000
	// lastWords is how long an answer that is on its way has to arrive when the worker stops.
	lastWords = 20 * time.Second
)

// AskModel asks the model for the next answer of a session. An answer that has arrived as a whole is on disk before the act ends, and is
// not asked for again.
func (a *Acts) AskModel(ctx context.Context, in AskInput) (ActResult, error) {
	return a.fly(ctx, in.Act, transcript.Ask, func(ctx context.Context, begin func()) (ActResult, error) {
		kept, err := a.openAct(in.Act, transcript.Ask, in.Said)
		if err != nil || kept.Result != nil {
			return kept.result(), err
		}
		s, err := a.started(in.Act)
		if err != nil {
			return ActResult{}, err
		}
		over, err := a.leases.hold(ctx, in.Session, s.Precedence)
		if err != nil {
			return ActResult{}, err
		}
		defer over()
		begin()
		start := a.of.now()
		ctx, stop := untilStoppingIn(ctx, lastWords)
		defer stop()
		res, err := a.ask(ctx, in, s, kept)
		if err != nil {
			return res, orInterrupted(ctx, err)
		}
		res.Took = a.of.now().Sub(start)
		if res, err = kept.end(res); err != nil || res.Kind != "" {
			return res, err
		}
		return res, a.bringAnswer(ctx, in.Act, s, res.Head)
	})
}

func (k *keptAct) result() ActResult {
	if k == nil || k.Result == nil {
		return ActResult{}
	}
	return *k.Result
}

func (a *Acts) ask(ctx context.Context, in AskInput, s Started, kept *keptAct) (ActResult, error) {
	c, err := a.conversation(in.Act)
	if err != nil {
		return ActResult{}, err
	}
	if len(kept.Begun) > 0 {
		if res, ok, err := a.arrived(in, c); ok || err != nil {
			return res, err
		}
	} else if err := kept.begin("asked"); err != nil {
		return ActResult{}, err
	}
	log, err := a.log(in.Act, s)
	if err != nil {
		return ActResult{}, err
	}
	defer log.close()
	log.activity("Thinking", len(c.Calls()))
	ends := &endpoints{}
	if ends.model.endpoint, err = a.of.launcher.openModel(s.SessionInput, a.recordOf(in.Act), ""); err != nil {
		return ActResult{}, err
	}
	defer ends.close()
	log.usage = ends.model.usage
	showSoon(ctx, log.heartbeat)
	var to agent.Session
	ends.show(ctx, &to)
	ctx, cancel := context.WithTimeout(ctx, longestAnswer)
	defer cancel()
	ask := modelCall{of: a, in: in, c: c, to: to.Endpoint, ends: ends, log: log, context: limitsOf(s.Native).context}
	if ask.full() {
		return ask.summarise(ctx)
	}
	if in.Said != nil {
		if ask.c, err = a.add(in.Act, c, transcript.Entry{Said: in.Said}); err != nil {
			return ActResult{}, err
		}
	}
	c = ask.c
	answer, err := ask.answer(ctx, c.Entries[1:], mostOutput)
	if why, ok := errors.AsType[*agent.Failure](err); ok && why.TooLong && c.Grown() {
		ask.c, err = a.conversation(in.Act)
		if err != nil {
			return ActResult{}, err
		}
		return ask.summarise(ctx)
	}
	if err != nil {
		return a.unanswered(ctx, c, ends, log, err)
	}
	if u := ends.model.unwritten(); u != nil {
		return ActResult{}, u
	}
	return a.answered(in.Act, c, ends, log, answer)
}

// arrived looks for an answer that an earlier attempt has kept before it died.
func (a *Acts) arrived(in AskInput, c *transcript.Conversation) (res ActResult, ok bool, err error) {
	store := a.store(in.Act)
	from := []string{c.Head}
	if in.Said != nil {
		said, err := store.After(c.Head)
		if err != nil {
			return res, false, fault.New(fault.Infra, "%w", err)
		}
		from = append(from, said...)
	}
	for _, head := range from {
		after, err := store.After(head)
		if err != nil {
			return res, false, fault.New(fault.Infra, "%w", err)
		}
		for _, name := range after {
			longer, err := store.Load(name)
			if err != nil {
				return res, false, fault.New(fault.Infra, "%w", err)
			}
			last := longer.Entries[len(longer.Entries)-1]
			if last.Summary != nil {
				a.remember(in.Session, longer)
				return ActResult{Head: name, Summed: true, Usage: last.Summary.Total}, true, nil
			}
			if last.Answer != nil {
				a.remember(in.Session, longer)
				return ActResult{Head: name, Calls: a.plannedCalls(last.Answer.Calls), Empty: len(last.Answer.Calls) == 0, Usage: last.Answer.Total}, true, nil
			}
		}
	}
	return res, false, nil
}

// answered keeps an answer, and says what the model wants to do.
func (a *Acts) answered(
	act Act, c *transcript.Conversation, ends *endpoints, log *sessionLog, answer transcript.Answer,
) (res ActResult, err error) {
	if answer.Text != "" {
		log.event(agent.Event{Kind: agent.Text, Text: answer.Text})
	}
	answer.Total = ends.close()
	res = ActResult{Usage: answer.Total, Text: excerpt.Line(log.hide(answer.Text), 200), Empty: len(answer.Calls) == 0}
	if answer.Refused {
		res.Kind, res.Text = agent.Errored, "the model declines to go on: "+res.Text
	}
	if answer.Text != "" || len(answer.Calls) > 0 { // the API takes no message without content
		if c, err = a.add(act, c, transcript.Entry{Answer: &answer}); err != nil {
			return res, err
		}
	}
	res.Head, res.Calls = c.Head, a.plannedCalls(answer.Calls)
	return res, nil
}

// mostThrottled is the last attempt, each with the tries of the API's client, at which a throttled call is made again. At a later one the quota counts as
// used up, whatever the attempts before have failed with.
const mostThrottled = 3

// unanswered tells a failure that decides how the session goes on from one of the moment.
func (a *Acts) unanswered(
	ctx context.Context, c *transcript.Conversation, ends *endpoints, log *sessionLog, err error,
) (ActResult, error) {
	var why *agent.Failure
	if throttled, ok := errors.AsType[*agent.Throttled](err); ok && heartbeatOf(ctx).info.Attempt > mostThrottled {
		used := &agent.Failure{Kind: agent.Quota, Text: throttled.Error()}
		if later, ok := errors.AsType[*fault.Later](err); ok { // the task waits for that time, and not for a person
			used.Reset = a.of.now().Add(later.After)
		}
		err = used
	}
	if !errors.As(err, &why) {
		if ends.model.endpoint == nil || !ends.model.endpoint.State().BudgetRefused {
			return ActResult{}, fault.New(fault.Infra, "ask the model: %w", err)
		}
		why = &agent.Failure{Kind: agent.Budget, Text: err.Error()}
	}
	if u := ends.model.unwritten(); u != nil {
		return ActResult{}, u
	}
	said := SessionResult{Kind: why.Kind, Reset: why.Reset}
	ends.model.judge(&said, agent.Outcome{Kind: why.Kind})
	log.line("! %s: %s", said.Kind, excerpt.Line(log.hide(why.Text), 400))
	return ActResult{Head: c.Head, Kind: said.Kind, Reset: said.Reset, Text: excerpt.Tail(log.hide(why.Text), 1000), Usage: ends.close()}, nil
}

// log opens the log of the session of an act.
func (a *Acts) log(act Act, s Started) (*sessionLog, error) {
	return openSessionLog(&sessionRun{of: a.of, in: s.SessionInput, rec: a.recordOf(act), start: s.At})
}
