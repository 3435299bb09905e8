package watch

import (
	"context"
	"strings"

	"github.com/longshift/longshift/internal/fault"
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
	adapts  bool   // it looks less often while nothing comes
}

// paused follows the name of an intake that is.
const paused = " (paused)"

func (s *schedule) polls() bool { return s.found != "" }

// name is the intake's name, "" for none.
func (s *schedule) name() string { return strings.TrimSuffix(s.found, paused) }

// look has the intake look now, if it may have become slow. A paused one stays paused; one that is gone is noticed by check.
func (s *schedule) look(ctx context.Context) error {
	if !s.adapts || s.found != s.name() {
		return nil
	}
	err := s.calls.call(ctx, func(call context.Context) error { return intakes.Run(call, s.client, s.name()) })
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	return err
}

// text says what the watch waits for while the intake polls.
func (s *schedule) text() string {
	return "for what intake " + s.found + " begins in " + s.backlog.path
}

// check asks the server for the intake, and reports when it came or went.
func (s *schedule) check(ctx context.Context) error {
	found, adapts := "", false
	err := s.calls.call(ctx, func(call context.Context) error {
		found, adapts = "", false
		all, err := intakes.List(call, s.client)
		for _, one := range all {
			if one.Source == string(intake.Backlog) && s.backlog.is(one.Repository, one.Path) {
				found, adapts = one.Name, one.Adaptive
				if one.Paused {
					found += paused
				}
				break
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	s.adapts = adapts
	if found == s.found {
		return nil
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
