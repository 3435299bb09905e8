package lineartest

import (
	"fmt"
	"slices"
	"strings"
)

// known lists what filters can test of an entity: plain values, other known, and lists of them. Other filters are rejected.
type known map[string]any

func (s *Server) known(i *issue) any {
	var tags []any
	for _, l := range i.labels {
		tags = append(tags, known{"name": l})
	}
	return known{
		"state": known{"type": i.state.kind, "name": i.state.name}, "team": known{"key": i.team.key}, "priority": float64(i.priority),
		"labels": tags, "assignee": s.knownUser(i.assignee), "delegate": s.knownUser(i.delegate),
	}
}

func (s *Server) knownUser(u *user) any {
	if u == nil {
		return known(nil)
	}
	return known{"isMe": u == s.ws.me, "email": u.handle + "@example.com", "displayName": u.handle, "name": "Person " + u.handle}
}

// keep returns the entries that match the argument "filter".
func keep[T any](all []T, args map[string]any, about func(T) any) (kept []T, err error) {
	filter, _ := args["filter"].(map[string]any)
	for _, t := range all {
		ok, err := matches(filter, about(t))
		if err != nil {
			return nil, err
		}
		if ok {
			kept = append(kept, t)
		}
	}
	return kept, nil
}

func matches(filter map[string]any, about any) (bool, error) {
	all := true
	for name, want := range filter {
		ok, err := one(name, want, about)
		if err != nil {
			return false, err
		}
		all = all && ok
	}
	return all, nil
}

func one(name string, want, about any) (bool, error) {
	switch name {
	case "and", "or":
		some, all := false, true
		for _, f := range want.([]any) {
			ok, err := matches(f.(map[string]any), about)
			if err != nil {
				return false, err
			}
			some, all = some || ok, all && ok
		}
		return name == "and" && all || name == "or" && some, nil
	case "some":
		list, ok := about.([]any)
		if !ok && about != nil {
			return false, fmt.Errorf("filter %q is for lists", name)
		}
		for _, e := range list {
			if ok, err := matches(want.(map[string]any), e); err != nil || ok {
				return ok, err
			}
		}
		return false, nil
	case "eq":
		return fmt.Sprint(want) == fmt.Sprint(about), nil
	case "eqIgnoreCase":
		return strings.EqualFold(want.(string), fmt.Sprint(about)), nil
	case "in":
		return slices.ContainsFunc(want.([]any), func(w any) bool { return w == about }), nil
	}
	k, ok := about.(known)
	if !ok {
		return false, fmt.Errorf("filter %q is not played", name)
	}
	if k == nil {
		return false, nil
	}
	inner, ok := k[name]
	if !ok {
		return false, fmt.Errorf("filter %q is not played", name)
	}
	if l, isList := inner.([]any); isList && l == nil {
		inner = []any{}
	}
	return matches(want.(map[string]any), inner)
}
