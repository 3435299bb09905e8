package signals

import (
	"github.com/longshift/longshift/task"
)

// Watch is the workflow type that polls a forge for events of one repository, in addition to webhooks. Its input is a WatchInput.
const Watch = "Watch"

// WatchInput names a repository and the starting point.
type WatchInput struct {
	Repository string `json:"repository"` // owner/name
	Cursor     string `json:"cursor,omitempty"`
}

// WatchID is the workflow id of the one Watch of a repository.
func WatchID(host string, r task.Repository) string {
	return forgeID("watch", host, r.Owner, r.Name, 0)
}

// Arrival is the workflow type that handles one event of a forge: an issue that is wanted, or a command in a comment. Its input is a
// forge.Event as JSON.
const Arrival = "Arrival"

// ArrivalID is the workflow id for a forge's event. A redelivered event gets the same one.
func ArrivalID(event string) string { return "arrival:" + event }
