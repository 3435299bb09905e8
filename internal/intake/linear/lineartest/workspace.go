package lineartest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Issue describes an issue for Add.
type Issue struct {
	Team        string // key; empty for the first one
	Title, Body string
	State       string // name; empty for "Todo"
	Labels      []string
	Assignee    string // handle
	Delegate    string
	Creator     string
	Priority    int
	Created     time.Time
}

type workspace struct {
	me     *user
	users  []*user
	teams  []*team
	issues []*issue
	byKey  map[string]*issue
	taken  map[string]bool     // ids of all comments and reactions that ever existed
	lists  map[string][]*issue // by filter; cleared by each change
	count  int
}

type user struct{ id, handle string }

type team struct {
	id, key string
	states  []*state
	last    int
}

type state struct {
	id, name, kind string
	position       float64
}

type issue struct {
	id, key, title, body string
	former               []string
	number, priority     int
	team                 *team
	state                *state
	labels               []string
	assignee, delegate   *user
	creator              *user
	created, updated     time.Time
	archived             time.Time
	trashed              bool
	comments             []*comment
	history              []event
}

type comment struct {
	id, body  string
	by        *user
	edits     int
	reactions []reaction
}

type reaction struct {
	id, emoji string
	at        time.Time
}

type event struct {
	at                       time.Time
	actor                    *user
	added, removed           []string
	toAssignee, fromAssignee *user
	toDelegate               *user
	toState                  *state
}

func (s *Server) id(kind string) string {
	s.ws.count++
	return fmt.Sprintf("%08x-0000-4000-8000-%012x", len(kind), s.ws.count)
}

// AddUser adds an account with a handle and the email address HANDLE@example.com.
func (s *Server) AddUser(handle string) *user {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := &user{id: s.id("user"), handle: handle}
	s.ws.users = append(s.ws.users, u)
	return u
}

// AddTeam adds a team with Linear's usual states. The started states are not listed in the order of their positions.
func (s *Server) AddTeam(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &team{id: s.id("team"), key: key}
	for _, st := range []state{{name: "Triage", kind: "triage"}, {name: "Backlog", kind: "backlog"},
		{name: "Todo", kind: "unstarted", position: 1}, {name: "Ready", kind: "unstarted", position: 2},
		{name: "In Review", kind: "started", position: 4},
		{name: "In Progress", kind: "started", position: 3}, {name: "Done", kind: "completed", position: 5},
		{name: "Canceled", kind: "canceled", position: 6}} {
		st.id = s.id("state")
		t.states = append(t.states, &st)
	}
	s.ws.teams = append(s.ws.teams, t)
}

// Add adds an issue and returns its identifier.
func (s *Server) Add(i Issue) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.ws.teams[0]
	if i.Team != "" {
		t = s.team(i.Team)
	}
	i.State = cmp.Or(i.State, "Todo")
	if i.Created.IsZero() {
		i.Created = s.Now().Add(time.Duration(len(s.ws.issues)) * time.Millisecond)
	}
	t.last++
	n := &issue{id: s.id("issue"), key: fmt.Sprintf("%s-%d", t.key, t.last), number: t.last, title: i.Title, body: i.Body, team: t,
		state: s.state(t, i.State), labels: i.Labels, priority: i.Priority, created: i.Created, updated: i.Created, creator: s.user(i.Creator)}
	n.assignee, n.delegate = s.user(i.Assignee), s.user(i.Delegate)
	s.ws.issues, s.ws.lists = append(s.ws.issues, n), nil
	if s.ws.byKey == nil {
		s.ws.byKey = map[string]*issue{}
	}
	s.ws.byKey[n.key], s.ws.byKey[n.id] = n, n
	return n.key
}

func (s *Server) team(key string) *team {
	i := slices.IndexFunc(s.ws.teams, func(t *team) bool { return t.key == key || t.id == key })
	if i < 0 {
		panic("lineartest: no team " + key)
	}
	return s.ws.teams[i]
}

func (s *Server) state(t *team, name string) *state {
	i := slices.IndexFunc(t.states, func(st *state) bool { return st.name == name || st.id == name })
	if i < 0 {
		panic("lineartest: no state " + name)
	}
	return t.states[i]
}

// user finds an account by its handle; "" is nobody.
func (s *Server) user(handle string) *user {
	if handle == "" {
		return nil
	}
	i := slices.IndexFunc(s.ws.users, func(u *user) bool { return u.handle == handle })
	if i < 0 {
		panic("lineartest: no user " + handle)
	}
	return s.ws.users[i]
}

// find finds an issue by its current or former identifier, or its id.
func (s *Server) find(key string) *issue {
	if i := s.ws.byKey[key]; i != nil {
		return i
	}
	return s.ws.byKey[strings.ToUpper(key)]
}
