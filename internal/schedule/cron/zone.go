package cron

import (
	"strings"
	"time"
	_ "time/tzdata" // embedded, because container images may lack a time zone database

	"github.com/longshift/longshift/internal/fault"
)

// UTC is the time zone of a job that names none.
const UTC = "UTC"

// Zone loads a time zone by name, such as Europe/Rome; "" is UTC. Errors are faults of kind Input.
func Zone(name string) (*time.Location, error) {
	const way = "give a name such as Europe/Rome or UTC"
	if name == "" {
		return time.UTC, nil
	}
	if strings.EqualFold(name, "local") { // ambiguous: that of the user, the worker or the server?
		return nil, fault.New(fault.Input, "time zone %s: it is another one on every machine", shown(name)).WithHint(way)
	}
	zone, err := time.LoadLocation(name)
	if err != nil || len(name) > 100 {
		return nil, fault.New(fault.Input, "time zone %s: unknown", shown(name)).WithHint(way)
	}
	return zone, nil
}

// zoneIn returns a time zone written before the fields, for a hint.
func zoneIn(text string) string {
	first, _, _ := strings.Cut(text, " ")
	_, name, _ := strings.Cut(first, "=")
	if _, err := Zone(name); err != nil || name == "" {
		return "Europe/Rome"
	}
	return name
}
