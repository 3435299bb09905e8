package cron

import (
	"strings"
	"time"
	_ "time/tzdata" // the programs run in images without a time zone database, too

	"github.com/longshift/longshift/internal/fault"
)

// UTC is the zone of a job for which none is named.
const UTC = "UTC"

// Zone gives the time zone of a name, such as Europe/Rome; an empty one is UTC. Errors are faults of kind Input.
func Zone(name string) (*time.Location, error) {
	const way = "give a name such as Europe/Rome or UTC"
	if name == "" {
		return time.UTC, nil
	}
	if strings.EqualFold(name, "local") { // of whom: the one who types, the worker, the server?
		return nil, fault.New(fault.Input, "time zone %s: it is another one on every machine", shown(name)).WithHint(way)
	}
	zone, err := time.LoadLocation(name)
	if err != nil || len(name) > 100 {
		return nil, fault.New(fault.Input, "time zone %s: unknown", shown(name)).WithHint(way)
	}
	return zone, nil
}

// zoneIn gives the zone that stands before the fields, for a hint.
func zoneIn(text string) string {
	first, _, _ := strings.Cut(text, " ")
	_, name, _ := strings.Cut(first, "=")
	if _, err := Zone(name); err != nil || name == "" {
		return "Europe/Rome"
	}
	return name
}
