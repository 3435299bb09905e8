package project

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

const (
	OriginDefault    = "default"
	OriginRepository = FileName
	OriginTask       = "task"
	OriginOperator   = "operator limit"
)

type Origin struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

// Resolved is the configuration of one task, with the origin of every value, in the order of the documentation.
type Resolved struct {
	Settings Settings `json:"settings"`
	Origins  []Origin `json:"origins"`
	Warnings []string `json:"warnings,omitempty"`
}

// Resolve overlays the defaults, the repository's configuration and the task's; the later one wins. Then it reduces values to the
// operator's limits, each with a warning. It fails for values that a source may not set at all.
func Resolve(limits Limits, repo, job task.Config) (Resolved, error) {
	if err := limits.Validate(); err != nil {
		return Resolved{}, err
	}
	err := errors.Join(within(FileName, repo.Validate()), limits.checkSource(repo, FileName),
		within("config", job.Validate()), limits.checkSource(job, "config"))
	if err != nil {
		return Resolved{}, fault.New(fault.Input, "%w", err).WithHint("%s", fault.HintOf(first(err)))
	}
	base := defaults()
	base.Agent = &limits.allowed()[0]
	all := merge(merge(base, repo), job)
	if s := all.Settings(); s.AsksOpenAI(s.Agent) { // the names of Anthropic's models mean nothing there
		base.Model, base.PlanModel = new(task.DefaultOpenAIModel), new(task.DefaultOpenAIModel)
		all = merge(merge(base, repo), job)
	}
	r := Resolved{Settings: all.Settings()}
	for _, k := range task.ConfigKeys() {
		value, _ := all.Lookup(k.Path)
		if entries, is := value.(map[string]string); is && len(entries) > 0 {
			for _, name := range slices.Sorted(maps.Keys(entries)) {
				r.Origins = append(r.Origins, Origin{Key: k.Path + "." + name, Value: entries[name], Origin: originOf(k.Path+"."+name, repo, job)})
			}
			continue
		}
		r.Origins = append(r.Origins, Origin{Key: k.Path, Value: show(k, value), Origin: originOf(k.Path, repo, job)})
	}
	limits.narrow(&r)
	if r.Settings.Scenario != "" && r.Settings.Agent != task.AgentScript {
		r.warn("scenario is ignored: the agent is %s", r.Settings.Agent)
	}
	r.warnOfAgents()
	if job.Paths != nil && len(job.Paths.Write) > 0 && !slices.Equal(job.Paths.Write, r.Settings.Paths.Write) {
		o := r.at("paths.write")
		o.Origin = OriginRepository
		r.warn("%s: %s from %s is ignored: %s from %s counts", o.Key, strings.Join(job.Paths.Write, ", "), OriginTask, o.Value, o.Origin)
	}
	return r, nil
}

// warnOfAgents says which settings of agents do nothing.
func (r *Resolved) warnOfAgents() {
	s := r.Settings
	accounts := map[string]bool{}
	for _, w := range s.Workers(task.Implementer, "") {
		accounts[s.Account(w.Agent)] = true
	}
	switch {
	case s.Quota == task.QuotaNext && len(accounts) < 2:
		r.warn("quota is next, but fallback names no agent that uses another account: the task waits when its account is used up")
	case s.Quota != task.QuotaNext && s.Review != task.ReviewOther && len(s.Fallback) > 0:
		r.warn("fallback is ignored: quota is %s", s.Quota)
	}
	if others := s.Workers(task.Reviewer, s.Workers(task.Implementer, "")[0].Agent); s.Review == task.ReviewOther &&
		others[0].Agent == s.Workers(task.Implementer, "")[0].Agent {
		r.warn("review is other, but the settings name no other agent")
	}
}

func within(where string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", where, err)
}

// first unwraps a single joined error to keep its hint. With several errors, each text contains its own.
func first(err error) error {
	if all, ok := err.(interface{ Unwrap() []error }); ok && len(all.Unwrap()) == 1 {
		return all.Unwrap()[0]
	}
	return nil
}

func originOf(key string, repo, job task.Config) string {
	if _, set := job.Lookup(key); set {
		return OriginTask
	}
	if _, set := repo.Lookup(key); set {
		return OriginRepository
	}
	return OriginDefault
}

// cut records that a key was reduced to an operator limit.
func (r *Resolved) cut(key string) {
	o := r.at(key)
	was := *o
	o.Value, o.Origin = r.now(key), OriginOperator
	if was.Origin != OriginDefault {
		r.warn("%s: %s from %s is not allowed by the operator; %s is used", key, was.Value, was.Origin, o.Value)
	}
}

func (r *Resolved) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// follow records that a key was reduced to the value of another key.
func (r *Resolved) follow(key, other string) {
	o := r.at(key)
	was := *o
	o.Value, o.Origin = r.now(key), r.at(other).Origin
	if was.Origin != OriginDefault {
		r.warn("%s: %s from %s is more than %s; %s is used", key, was.Value, was.Origin, other, o.Value)
	}
}

func (r *Resolved) at(key string) *Origin {
	for i := range r.Origins {
		if r.Origins[i].Key == key {
			return &r.Origins[i]
		}
	}
	return &Origin{} // unreachable: callers pass known keys
}

// now returns the value of a key that limits can change.
func (r *Resolved) now(key string) string {
	s := r.Settings
	switch key {
	case "budget.cost":
		return number(s.Budget.Cost)
	case "budget.planCost":
		return number(s.Budget.PlanCost)
	case "budget.time":
		return s.Budget.Time.String()
	case "iterations":
		return strconv.Itoa(s.Iterations)
	case "commands.profiles":
		return strings.Join(s.Commands.Profiles, ", ")
	case "commands.allow", "commands.allowPlanner", "commands.allowImplementer", "commands.allowReviewer":
		return "none"
	case "tools.allow":
		return strings.Join(s.Tools.Allow, ", ")
	case "commands.destructive":
		return strconv.FormatBool(s.Commands.Destructive)
	case "approval.again":
		return strconv.FormatBool(s.Approval.Again)
	}
	return s.Approval.Mode
}

// show formats a value for people, durations in their shortest form.
func show(k task.ConfigKey, value any) string {
	switch v := value.(type) {
	case string:
		if d, err := time.ParseDuration(v); err == nil && k.Type == task.DurationKey {
			return task.Duration(d).String()
		}
		return v
	case float64:
		return number(v)
	case []string:
		return strings.Join(v, ", ")
	case map[string]string: // empty; other maps are shown entry by entry
		return ""
	}
	return fmt.Sprint(value)
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
