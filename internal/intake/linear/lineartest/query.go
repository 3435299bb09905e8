package lineartest

import (
	"cmp"
	"fmt"
	"slices"
)

func (s *Server) query() object {
	return fields{
		"issues": func(args map[string]any) (any, error) { return s.issues(args) },
		"issue": func(args map[string]any) (any, error) {
			i := s.find(args["id"].(string))
			if i == nil {
				return nil, notFound("Issue - Could not find referenced Issue.")
			}
			return s.issue(i), nil
		},
		"team": func(args map[string]any) (any, error) {
			at := slices.IndexFunc(s.ws.teams, func(t *team) bool { return t.id == args["id"] })
			if at < 0 {
				return nil, notFound("Team")
			}
			t := s.ws.teams[at]
			return fields{"states": func(args map[string]any) (any, error) {
				all, err := keep(t.states, args, func(st *state) any { return known{"type": st.kind, "name": st.name, "id": st.id} })
				if err != nil {
					return nil, err
				}
				return connection("WorkflowStateConnection", args, all, func(st *state) string { return st.id }, showState)
			}}.object("Team"), nil
		},
		"viewer": s.show(s.ws.me),
	}.object("Query")
}

// issues lists the issues that are neither archived nor in the trash, newest first by default.
func (s *Server) issues(args map[string]any) (any, error) {
	ascending := false
	switch got := fmt.Sprint(args["sort"]); got {
	case "[map[createdAt:map[order:Ascending]]]":
		ascending = true
	case "<nil>":
	default:
		return nil, fmt.Errorf("the order %s is not played", got)
	}
	asked := fmt.Sprint(args["filter"], ascending)
	all, kept := s.ws.lists[asked]
	if !kept {
		var err error
		if all, err = s.sorted(args, ascending); err != nil {
			return nil, err
		}
		if s.ws.lists == nil {
			s.ws.lists = map[string][]*issue{}
		}
		s.ws.lists[asked] = all
	}
	return connection("IssueConnection", args, all, func(i *issue) string { return i.id }, s.issue)
}

func (s *Server) sorted(args map[string]any, ascending bool) ([]*issue, error) {
	all, err := keep(s.ws.issues, args, s.known)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(i *issue) bool { return i.trashed || !i.archived.IsZero() })
	slices.SortStableFunc(all, func(a, b *issue) int {
		c := cmp.Or(a.created.Compare(b.created), cmp.Compare(a.id, b.id))
		if !ascending {
			return -c
		}
		return c
	})
	return all, nil
}

func (s *Server) issue(i *issue) object {
	trashed := any(nil)
	if i.trashed {
		trashed = true
	}
	return fields{
		"id": i.id, "identifier": i.key, "number": i.number, "title": i.title, "description": i.body, "priority": i.priority,
		"url": "https://linear.app/acme/issue/" + i.key, "createdAt": i.created, "updatedAt": i.updated, "archivedAt": i.archived, "trashed": trashed,
		"state": showState(i.state), "assignee": s.show(i.assignee), "delegate": s.show(i.delegate), "creator": s.show(i.creator),
		"team": fields{"id": i.team.id, "key": i.team.key}.object("Team"),
		"labels": func(args map[string]any) (any, error) {
			return connection("IssueLabelConnection", args, i.labels, func(l string) string { return l }, showLabel)
		},
		"history": func(args map[string]any) (any, error) {
			type at struct {
				event
				n string
			}
			var all []at
			for n, e := range i.history {
				all = append(all, at{e, itoa(n)})
			}
			slices.Reverse(all)
			return connection("IssueHistoryConnection", args, all, func(e at) string { return e.n }, func(e at) object { return s.entry(e.event) })
		},
		"comments": func(args map[string]any) (any, error) {
			all, err := keep(i.comments, args, func(c *comment) any {
				var on []any
				for _, r := range c.reactions {
					on = append(on, known{"id": r.id, "emoji": r.emoji})
				}
				return known{"id": c.id, "reactions": on, "body": c.body}
			})
			if err != nil {
				return nil, err
			}
			return connection("CommentConnection", args, all, func(c *comment) string { return c.id }, s.comment)
		},
	}.object("Issue")
}

func (s *Server) comment(c *comment) object {
	reactions := []object{}
	for _, r := range c.reactions {
		reactions = append(reactions, fields{"id": r.id, "createdAt": r.at, "emoji": r.emoji}.object("Reaction"))
	}
	return fields{"id": c.id, "body": c.body, "user": s.show(c.by), "reactions": reactions}.object("Comment")
}

func (s *Server) entry(e event) object {
	f := fields{"createdAt": e.at, "actor": s.show(e.actor), "addedLabels": nil, "removedLabels": nil, "toDelegate": s.show(e.toDelegate),
		"fromDelegate": object(nil), "fromAssigneeId": nil, "toAssigneeId": nil, "toStateId": nil}
	if len(e.added) > 0 {
		f["addedLabels"] = []object{showLabel(e.added[0])}
	}
	if len(e.removed) > 0 {
		f["removedLabels"] = []object{showLabel(e.removed[0])}
	}
	if e.toAssignee != nil {
		f["toAssigneeId"] = e.toAssignee.id
	}
	if e.fromAssignee != nil {
		f["fromAssigneeId"] = e.fromAssignee.id
	}
	if e.toState != nil {
		f["toStateId"] = e.toState.id
	}
	return f.object("IssueHistory")
}

func (s *Server) show(u *user) object {
	if u == nil {
		return nil
	}
	return fields{"id": u.id, "displayName": u.handle, "name": "Person " + u.handle, "email": u.handle + "@example.com",
		"isMe": u == s.ws.me}.object("User")
}

func showState(st *state) object {
	return fields{"id": st.id, "name": st.name, "type": st.kind, "position": st.position}.object("WorkflowState")
}

func showLabel(name string) object { return fields{"name": name}.object("IssueLabel") }
