package intakes

import (
	"context"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
)

// schedules are intakes on a server, of which some are triggered.
type schedules struct {
	t         *testing.T
	all       []Spec
	triggered []string
}

func (s *schedules) ScheduleClient() client.ScheduleClient { return ofSchedules{of: s} }

type ofSchedules struct {
	client.ScheduleClient
	of *schedules
}

func (o ofSchedules) List(context.Context, client.ScheduleListOptions) (client.ScheduleListIterator, error) {
	return &listed{o.of.t, o.of.all}, nil
}

func (o ofSchedules) GetHandle(_ context.Context, id string) client.ScheduleHandle {
	return handle{id: id, of: o.of}
}

type listed struct {
	t    *testing.T
	left []Spec
}

func (l *listed) HasNext() bool { return len(l.left) > 0 }

func (l *listed) Next() (*client.ScheduleListEntry, error) {
	memo, err := converter.GetDefaultDataConverter().ToPayload(l.left[0])
	if err != nil {
		l.t.Fatal(err)
	}
	l.left = l.left[1:]
	return &client.ScheduleListEntry{Spec: &client.ScheduleSpec{}, Memo: &commonpb.Memo{Fields: map[string]*commonpb.Payload{memoSpec: memo}}}, nil
}

type handle struct {
	client.ScheduleHandle
	id string
	of *schedules
}

func (h handle) Trigger(context.Context, client.ScheduleTriggerOptions) error {
	h.of.triggered = append(h.of.triggered, h.id)
	return nil
}

// TestLook: an issue is left to an intake that takes it, and to no other.
func TestLook(t *testing.T) {
	t.Parallel()
	by := func(label, assignee string) Spec {
		s := good()
		s.Label, s.Assignee = label, assignee
		return s
	}
	overSSH := by("longshift", "")
	overSSH.Repository = "ssh://git@ssh.github.com:443/acme/web.git"
	nobody, ours := []string{}, []string{"bot", "me"}
	for name, c := range map[string]struct {
		intake    Spec
		label     string
		assignees []string
		found     bool
	}{
		"its label":                            {by("longshift", ""), "longshift", nobody, true},
		"its label, and assigned":              {by("longshift", ""), "longshift", ours, true},
		"named by its address over ssh":        {overSSH, "longshift", nobody, true},
		"another label":                        {by("bug", ""), "longshift", nobody, false},
		"by label, the issue assigned":         {by("longshift", ""), "", ours, false},
		"by assignee, the issue labelled":      {by("", "me"), "longshift", nobody, false},
		"by assignee, the issue has both":      {by("", "me"), "longshift", ours, true},
		"by both, the issue labelled":          {by("longshift", "me"), "longshift", nobody, false},
		"by both, the issue has both":          {by("longshift", "me"), "LONGSHIFT", ours, true},
		"by assignee, the issue is assigned":   {by("", "me"), "", ours, true},
		"by our account's name":                {by("", "bot"), "", ours, true},
		"by both, another person has it":       {by("longshift", "alice"), "longshift", []string{"carol", "Alice"}, true},
		"by assignee, another person has it":   {by("", "alice"), "longshift", []string{"alice"}, true},
		"by assignee, not the one who has it":  {by("", "alice"), "longshift", ours, false},
		"by assignee, nobody knows who has it": {by("longshift", "alice"), "longshift", nil, true},
	} {
		s := &schedules{t: t, all: []Spec{c.intake}}
		found, err := Look(t.Context(), s, "github.com", "acme", "web", c.label, c.assignees)
		if err != nil || found != c.found || len(s.triggered) > 0 != c.found {
			t.Errorf("%s: found %t, %d looks, %v", name, found, len(s.triggered), err)
		}
	}
}
