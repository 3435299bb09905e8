package intakes

import (
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func good() Spec {
	return Spec{Every: 15 * time.Minute, IntakeInput: signals.IntakeInput{Name: "web", Source: "github", Repository: "acme/web", Label: "longshift",
		Guard: task.Guard{Sessions: 1}, Queue: 10}}
}

func files() Spec {
	s := good()
	s.Source, s.Repository, s.Label = "backlog", "/srv/web", ""
	return s
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, s := range []func() Spec{good, files, func() Spec {
		s := files()
		s.Source, s.Path, s.Base = "heartbeat", "notes/HEARTBEAT.md", "main"
		return s
	},
		func() Spec { s := good(); s.Source, s.Label, s.Assignee, s.Team = "linear", "", "me", "ENG"; return s },
		func() Spec { s := good(); s.Source, s.Repository = "linear", "/srv/web"; return s }} {
		s := s()
		if err := s.Check(); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
	for want, change := range map[string]func(*Spec){
		`the name "Web App"`:          func(s *Spec) { s.Name = "Web App" },
		`the name is missing`:         func(s *Spec) { s.Name = "" },
		`--source "jira"`:             func(s *Spec) { s.Source = "jira" },
		`--source is missing`:         func(s *Spec) { s.Source = "" },
		`--repo "/srv/web"`:           func(s *Spec) { s.Repository = "/srv/web" },
		`--repo "nonsense"`:           func(s *Spec) { s.Repository = "nonsense" },
		`--label is missing`:          func(s *Spec) { s.Label = "" },
		`--label " x"`:                func(s *Spec) { s.Label = " x" },
		`--assignee "a b"`:            func(s *Spec) { s.Assignee = "a b" },
		`--team "ENG"`:                func(s *Spec) { s.Team = "ENG" },
		`--path "backlog"`:            func(s *Spec) { s.Path = "backlog" },
		`--every "29s"`:               func(s *Spec) { s.Every = 29 * time.Second },
		`--every "0s"`:                func(s *Spec) { s.Every = 0 },
		`--sessions "0"`:              func(s *Spec) { s.Guard.Sessions = 0 },
		`--daily-cost "-1"`:           func(s *Spec) { s.Guard.DailyCost = -1 },
		`--queue "101"`:               func(s *Spec) { s.Queue = 101 },
		`--label "longshift-claimed"`: func(s *Spec) { s.Label = "longshift-claimed" },
		`--label "a,b"`:               func(s *Spec) { s.Label = "a,b" },
		`--daily-cost "19"`:           func(s *Spec) { s.Guard.DailyCost = 19 },
		`--path "backlog/"`:           func(s *Spec) { *s = files(); s.Path = "backlog/" },
		`--base "a..b"`:               func(s *Spec) { s.Base = "a..b" },
		`--repo "acme/web"`:           func(s *Spec) { *s = files(); s.Repository = "acme/web" },
		`--label "x"`:                 func(s *Spec) { *s = files(); s.Label = "x" },
		`--path "../x"`:               func(s *Spec) { *s = files(); s.Path = "../x" },
		`--path "/etc"`:               func(s *Spec) { *s = files(); s.Path = "/etc" },
		`--path ".git/x"`:             func(s *Spec) { *s = files(); s.Path = ".git/x" },
		`--path "a//b"`:               func(s *Spec) { *s = files(); s.Path = "a//b" },
	} {
		s := good()
		change(&s)
		err := s.Check()
		if err == nil || fault.KindOf(err) != fault.Input || !strings.HasPrefix(err.Error(), want) || fault.HintOf(err) == "" || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v (%s)", want, err, fault.HintOf(err))
		}
	}
}
