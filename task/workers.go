package task

import (
	"slices"
	"strings"
)

// Models that are asked unless the settings name one, by the API.
const (
	DefaultModel       = "sonnet"
	DefaultPlanModel   = "opus"
	DefaultOpenAIModel = "gpt-5.5"
)

// Worker is an agent and the model that it asks. In settings it is written as AGENT or AGENT/MODEL.
type Worker struct{ Agent, Model string }

// Worker returns whom the settings name for a session in a role. Without a model it is that of the role, or the usual one when the agent asks
// another API than the task's own agent does.
func (s Settings) Worker(role Role, named string) Worker {
	agent, model, _ := strings.Cut(named, "/")
	openAI := s.AsksOpenAI(agent)
	switch {
	case model != "":
	case openAI == s.AsksOpenAI(s.Agent) && role == Planner:
		model = s.PlanModel
	case openAI == s.AsksOpenAI(s.Agent):
		model = s.Model
	case openAI:
		model = DefaultOpenAIModel
	case role == Planner:
		model = DefaultPlanModel
	default:
		model = DefaultModel
	}
	return Worker{agent, model}
}

// Workers returns who may work in a session of a role, the preferred one first. wrote is the agent that wrote what a reviewer reads, "" when
// nobody has; with `review: other` another one is preferred.
func (s Settings) Workers(role Role, wrote string) (list []Worker) {
	add := func(named string) {
		if w := s.Worker(role, named); named != "" && !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	first := s.Agent
	if own := s.Agents.of(role); own != "" {
		first = own
	}
	add(first)
	others := s.Review == ReviewOther && role == Reviewer && wrote != ""
	if others || s.Quota == QuotaNext {
		for _, named := range s.Fallback {
			add(named)
		}
	}
	if !others {
		return list
	}
	for _, named := range []string{s.Agent, s.Agents.Planner, s.Agents.Implementer} {
		add(named)
	}
	slices.SortStableFunc(list, func(a, b Worker) int { return same(a, wrote) - same(b, wrote) })
	if s.Quota != QuotaNext {
		return list[:1]
	}
	return list
}

func same(w Worker, agent string) int {
	if w.Agent == agent {
		return 1
	}
	return 0
}

// of is what is set for a role.
func (a AgentSettings) of(role Role) string {
	return map[Role]string{Planner: a.Planner, Implementer: a.Implementer, Reviewer: a.Reviewer}[role]
}

// Account names the account that an agent's model calls are charged to: all agents that ask one API share one.
func (s Settings) Account(agent string) string {
	if s.AsksOpenAI(agent) {
		return APIOpenAI
	}
	return APIAnthropic
}

// AgentsNamed are the agents that a configuration names, without their models, by the keys that name them.
func (c Config) AgentsNamed() map[string][]string {
	all := map[string][]string{}
	add := func(key string, named ...string) {
		for _, n := range named {
			if agent, _, _ := strings.Cut(n, "/"); n != "" {
				all[key] = append(all[key], agent)
			}
		}
	}
	roles := or(c.Agents)
	add("agent", or(c.Agent))
	add("agents.planner", or(roles.Planner))
	add("agents.implementer", or(roles.Implementer))
	add("agents.reviewer", or(roles.Reviewer))
	add("fallback", c.Fallback...)
	return all
}
