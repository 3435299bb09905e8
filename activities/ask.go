package activities

import (
	"context"
	"fmt"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/prompt"
	"github.com/longshift/longshift/internal/task"
)

// session turns the input into what the agent is asked.
func (r *sessionRun) session(ctx context.Context) (agent.Session, error) {
	s, err := r.host.standing(ctx, r.in, r.rec)
	if err != nil {
		return agent.Session{}, err
	}
	data := r.in.Prompt
	data.Resumed, data.Structured = s.Resume, r.in.structured()
	if r.in.Role == task.Reviewer {
		diff, err := r.tree.Diff(ctx, data.BaseCommit)
		if err != nil {
			return agent.Session{}, fmt.Errorf("diff for the review: %w", err)
		}
		data.Diff = diff.Text
	}
	user := prompt.User
	if r.in.Nudge && s.Resume { // on another host the session begins anew
		user = prompt.Nudge
	}
	if s.Prompt, err = user(r.in.Role, data); err != nil {
		return agent.Session{}, err
	}
	if err := r.rec.begin(r.in.Ask); err != nil {
		return agent.Session{}, err
	}
	s.Wall = max(r.in.Wall-r.rec.state.Spent, min(r.in.Wall, time.Minute)) // earlier attempts count
	return s, nil
}

// standing is the part of a session that is known before its prompt.
func (h *Host) standing(ctx context.Context, in SessionInput, rec *record) (agent.Session, error) {
	system, err := h.system(ctx, in)
	if err != nil {
		return agent.Session{}, err
	}
	s := agent.Session{
		ID: in.ID, Role: in.Role, Dir: system.dir, StateDir: rec.stateDir(), System: system.text,
		Model: in.Model, Thinking: in.Thinking, ReadOnly: in.Role.ReadOnly(), Resume: rec.begun(),
		Env: h.AgentEnv(h.dirs(system.place, in.TaskID)), Scenario: in.Scenario,
	}
	if s.Scenario == "" {
		s.Scenario = h.Scenario
	}
	if in.structured() {
		s.Schema = []byte(schemas[in.Role])
	}
	return s, nil
}

// structured tells whether the session gives its answer by a schema.
func (in SessionInput) structured() bool {
	return in.Role.ReadOnly() && in.Agent == task.AgentClaude
}

// schemas are what the structured answers of roles must fit.
var schemas = map[task.Role]string{task.Planner: task.PlanSchema, task.Reviewer: task.ReviewSchema}
