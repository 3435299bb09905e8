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
	i.history, i.updated = append(i.history, e), e.at
}

// Move sets the state of an issue.
func (s *Server) Move(key, by, name string) {
	s.change(key, func(i *issue) {
		i.state = s.state(i.team, name)
		s.note(i, by, event{toState: i.state})
	})
}

func (s *Server) Label(key, by, name string) {
	s.change(key, func(i *issue) {
		i.labels = append(slices.Clone(i.labels), name)
		s.note(i, by, event{added: []string{name}})
	})
}

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

func (s *Server) Delegate(key, by, to string) {
	s.change(key, func(i *issue) {
		s.note(i, by, event{toDelegate: s.user(to)})
		i.delegate = s.user(to)
	})
}

func (s *Server) Edit(key, title, body string) {
	s.change(key, func(i *issue) { i.title, i.body, i.updated = title, body, s.Now() })
}

// Trash moves an issue to the trash, where it can still be read by its id for a while.
func (s *Server) Trash(key string) {
	s.change(key, func(i *issue) { i.trashed, i.archived = true, s.Now() })
}

func (s *Server) Archive(key string) { s.change(key, func(i *issue) { i.archived = s.Now() }) }

// Delete deletes an issue permanently.
func (s *Server) Delete(key string) {
	s.change(key, func(i *issue) {
		for _, k := range append(slices.Clone(i.former), i.key, i.id) {
			delete(s.ws.byKey, k)
		}
		s.ws.issues = slices.DeleteFunc(s.ws.issues, func(o *issue) bool { return o == i })
	})
}

// MoveTeam moves an issue to another team and returns its new identifier. The old one still finds it.
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

func (s *Server) State(key string) (name string) {
	s.change(key, func(i *issue) { name = i.state.name })
	return name
}

// Comments returns the texts of an issue's comments, oldest first.
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

// Say adds a person's comment.
func (s *Server) Say(key, by, text string) {
	s.change(key, func(i *issue) {
		i.comments = append(i.comments, &comment{id: s.id("comment"), body: text, by: s.user(by)})
	})
}

// Busy fills an issue's history with irrelevant entries.
func (s *Server) Busy(key, by string, entries int) {
	s.change(key, func(i *issue) {
		for range entries {
			s.note(i, by, event{})
		}
	})
}
