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

// TestLook: an issue is left to an intake that takes it, and to no other. One that may take it looks in any case.
func TestLook(t *testing.T) {
	t.Parallel()
	by := func(label, assignee string) Spec {
		s := good()
		s.Label, s.Assignee = label, assignee
		return s
	}
	for name, c := range map[string]struct {
		intake   Spec
		assigned bool
		found    bool
		looks    int
	}{
		"its label":                       {by("longshift", ""), false, true, 1},
		"its label, and assigned":         {by("longshift", ""), true, true, 1},
		"another label":                   {by("bug", ""), false, false, 0},
		"by assignee, the issue labelled": {by("", "me"), false, false, 1},
		"by assignee, the issue assigned": {by("", "me"), true, true, 1},
	} {
		s := &schedules{t: t, all: []Spec{c.intake}}
		found, err := Look(t.Context(), s, "github.com", "acme", "web", "longshift", c.assigned)
		if err != nil || found != c.found || len(s.triggered) != c.looks {
			t.Errorf("%s: found %t, %d looks, %v", name, found, len(s.triggered), err)
		}
	}
}
