package watch

import (
	"context"
	"strings"

	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/schedule/intakes"
)

// schedule is the intake, if any, that polls the same folder by a schedule. While there is one, the watch does not poll.
type schedule struct {
	client  intakes.Client
	calls   *caller
	report  *reporter
	backlog backlog
	found   string // its name, with paused behind it when it is; "" for none
}

// paused follows the name of an intake that is.
const paused = " (paused)"

func (s *schedule) polls() bool { return s.found != "" }

// name is the intake's name, "" for none.
func (s *schedule) name() string { return strings.TrimSuffix(s.found, paused) }

// text says what the watch waits for while the intake polls.
func (s *schedule) text() string {
	return "for what intake " + s.found + " begins in " + s.backlog.path
}

// check asks the server for the intake, and reports when it came or went.
func (s *schedule) check(ctx context.Context) error {
	found := ""
	err := s.calls.call(ctx, func(call context.Context) error {
		found = ""
		all, err := intakes.List(call, s.client)
		for _, one := range all {
			if one.Source == string(intake.Backlog) && s.backlog.is(one.Repository, one.Path) {
				found = one.Name
				if one.Paused {
					found += paused
				}
				break
			}
		}
		return err
	})
	if err != nil || found == s.found {
		return err
	}
	s.found = found
	said := s.text() // the same in other words
	switch name := s.name(); {
	case found == "":
		said = ""
		s.report.event(event{Type: eventRecovered}, "the intake is gone; looking at "+s.backlog.path+" from here")
	case found != name:
		s.report.event(event{Type: eventError}, "intake "+name+" is there for this folder, and is paused: "+
			"nothing starts until `longshift intake resume "+name+"`, or `remove`")
	default:
		s.report.event(event{Type: eventWaiting}, "intake "+name+" watches this folder already; following the tasks it starts")
	}
	s.report.waitAgain(said)
	return nil
}
