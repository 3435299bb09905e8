package lineartest

import (
	"slices"
)

func (s *Server) change(key string, f func(i *issue)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ws.lists = nil
	i := s.find(key)
	if i == nil {
		panic("lineartest: no issue " + key)
	}
	f(i)
}

func (s *Server) note(i *issue, by string, e event) {
	e.at, e.actor = s.Now(), s.user(by)
	i.history = append(i.history, e)
}

// Move puts an issue into a state of its team.
func (s *Server) Move(key, by, name string) {
	s.change(key, func(i *issue) {
		i.state = s.state(i.team, name)
		s.note(i, by, event{toState: i.state})
	})
}

// Label gives an issue a label, Unlabel takes it away.
func (s *Server) Label(key, by, name string) {
	s.change(key, func(i *issue) {
		i.labels = append(slices.Clone(i.labels), name)
		s.note(i, by, event{added: []string{name}})
	})
}

// Unlabel takes a label away.
func (s *Server) Unlabel(key, by, name string) {
	s.change(key, func(i *issue) {
		i.labels = slices.DeleteFunc(slices.Clone(i.labels), func(l string) bool { return l == name })
		s.note(i, by, event{removed: []string{name}})
	})
}

// Assign assigns an issue, "" to nobody.
func (s *Server) Assign(key, by, to string) {
	s.change(key, func(i *issue) {
		s.note(i, by, event{toAssignee: s.user(to), fromAssignee: i.assignee})
		i.assignee = s.user(to)
	})
}

// Delegate hands an issue to an app.
func (s *Server) Delegate(key, by, to string) {
	s.change(key, func(i *issue) {
		s.note(i, by, event{toDelegate: s.user(to)})
		i.delegate = s.user(to)
	})
}

// Edit changes an issue's text.
func (s *Server) Edit(key, title, body string) {
	s.change(key, func(i *issue) { i.title, i.body = title, body })
}

// Trash throws an issue away; for a while it can be seen by who has its address.
func (s *Server) Trash(key string) {
	s.change(key, func(i *issue) { i.trashed, i.archived = true, s.Now() })
}

// Archive archives an issue.
func (s *Server) Archive(key string) { s.change(key, func(i *issue) { i.archived = s.Now() }) }

// Delete takes an issue away for good.
func (s *Server) Delete(key string) {
	s.change(key, func(i *issue) {
		for _, k := range append(slices.Clone(i.former), i.key, i.id) {
			delete(s.ws.byKey, k)
		}
		s.ws.issues = slices.DeleteFunc(s.ws.issues, func(o *issue) bool { return o == i })
	})
}

// MoveTeam moves an issue to another team, and gives its new identifier; the old one finds it as well.
func (s *Server) MoveTeam(key, to string) (now string) {
	s.change(key, func(i *issue) {
		t := s.team(to)
		t.last++
		i.former = append(i.former, i.key)
		i.team, i.number, i.key = t, t.last, t.key+"-"+itoa(t.last)
		i.state = s.state(t, i.state.name)
		s.ws.byKey[i.key] = i
		now = i.key
	})
	return now
}

// State names an issue's state.
func (s *Server) State(key string) (name string) {
	s.change(key, func(i *issue) { name = i.state.name })
	return name
}

// Comments gives the texts of an issue's comments, oldest first.
func (s *Server) Comments(key string) (all []string) {
	s.change(key, func(i *issue) {
		for _, c := range i.comments {
			all = append(all, c.body)
		}
	})
	return all
}

// Edits counts how often an issue's comments were edited.
func (s *Server) Edits(key string) (n int) {
	s.change(key, func(i *issue) {
		for _, c := range i.comments {
			n += c.edits
		}
	})
	return n
}

// Uncomment deletes all comments of an issue, as a person may. Their ids stay taken.
func (s *Server) Uncomment(key string) { s.change(key, func(i *issue) { i.comments = nil }) }

// Say lets somebody write a comment.
func (s *Server) Say(key, by, text string) {
	s.change(key, func(i *issue) {
		i.comments = append(i.comments, &comment{id: s.id("comment"), body: text, by: s.user(by)})
	})
}

// Busy fills an issue's history with entries that mean nothing.
func (s *Server) Busy(key, by string, entries int) {
	s.change(key, func(i *issue) {
		for range entries {
			s.note(i, by, event{})
		}
	})
}
