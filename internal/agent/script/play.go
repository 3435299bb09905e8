package script

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
)

// performance is one attempt of a session.
type performance struct {
	agent    *Agent
	session  agent.Session
	scenario Scenario
	emit     func(agent.Event)
	file     string // file of the state
	state    state
	resumed  bool
}

// begin starts the session at its first step.
func (p *performance) begin() error {
	i, err := p.scenario.choose(p.session)
	if err != nil {
		return err
	}
	p.state = state{Entry: i, Steps: p.scenario.digest(i)}
	return p.save()
}

// resume continues after the last finished step. A session that has ended and gets a new prompt, for example to ask for its report, plays
// the entry that matches that prompt.
func (p *performance) resume() error {
	st := &p.state
	if st.Entry >= len(p.scenario.Sessions) || p.scenario.digest(st.Entry) != st.Steps {
		return fault.New(fault.Input, "the scenario was changed since session %s began", p.session.ID).
			WithHint("start the task again, or restore the scenario")
	}
	if st.Ended == nil {
		return nil
	}
	i, err := p.scenario.choose(p.session)
	if err == nil && i != st.Entry && p.scenario.Sessions[i].Match != "" {
		st.Entry, st.Steps, st.Next, st.Ended = i, p.scenario.digest(i), 0, nil
		return p.save()
	}
	return nil
}

func (sc Scenario) digest(i int) string {
	data, _ := json.Marshal(sc.Sessions[i]) // Parse has validated the answers
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// play runs the remaining steps.
func (p *performance) play(ctx context.Context) (agent.Outcome, error) {
	steps := p.scenario.Sessions[p.state.Entry].Steps
	if e := p.state.Ended; e != nil && (p.state.Next >= len(steps) || e.Kind == agent.Quota && p.agent.cfg.Now().Before(e.Reset)) {
		out := *e
		out.Resumed = true
		return out, nil
	}
	for p.state.Next < len(steps) {
		s := steps[p.state.Next]
		if ctx.Err() != nil {
			return agent.Outcome{}, ctx.Err()
		}
		if s.End != nil {
			p.state.Next++
			return p.end(*s.End)
		}
		err := p.step(ctx, s)
		if end, ok := errors.AsType[endError](err); ok {
			return p.end(End{Kind: end.kind, Text: end.reason}) // the step runs again when the session is resumed
		}
		if err != nil {
			return agent.Outcome{}, fmt.Errorf("step %d: %w", p.state.Next, err)
		}
		p.state.Next++
		p.state.Ended = nil
		if err := p.save(); err != nil {
			return agent.Outcome{}, err
		}
	}
	return p.end(End{Kind: agent.Completed})
}

// end saves the outcome, so that a later attempt returns the same.
func (p *performance) end(e End) (agent.Outcome, error) {
	out := p.outcome(e.Kind, e.Text)
	if e.In != "" {
		in, _ := time.ParseDuration(e.In) // validated by Parse
		out.Reset = p.agent.cfg.Now().Add(in).UTC()
	}
	if e.Kind == agent.Quota {
		p.tell(agent.Event{Kind: agent.Limit, Text: out.Text, Reset: out.Reset})
	}
	p.state.Ended = &out
	return out, p.save()
}

// outcome is the outcome at this point. Its default text is the last text that the agent said.
func (p *performance) outcome(kind agent.OutcomeKind, text string) agent.Outcome {
	out := agent.Outcome{Kind: kind, Text: p.state.Text, Usage: p.state.Usage, Turns: p.state.Turns,
		SessionID: p.session.ID, Resumed: p.resumed}
	switch {
	case kind == agent.Completed:
		out.Answer = p.state.Answer
	case text == "" && kind != agent.Interrupted:
		text = "the scenario ends the session: " + string(kind)
	}
	if text != "" {
		out.Text = text
	}
	return out
}

func (p *performance) save() error { return writeJSON(p.file, p.state) }

func (p *performance) tell(e agent.Event) {
	e.Time = p.agent.cfg.Now()
	p.emit(e)
}

// pause is the duration of a pause in the scenario.
func (p *performance) pause(text string) time.Duration {
	d, _ := time.ParseDuration(text) // validated by Parse
	pace := *p.agent.cfg.Pace
	if p.scenario.Pace != nil {
		pace *= *p.scenario.Pace
	}
	return time.Duration(float64(d) * max(pace, 0))
}
