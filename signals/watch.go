package signals

import "github.com/longshift/longshift/task"

// Watch is the workflow type of what asks a forge for news of one repository, beside its webhooks. Its input is a WatchInput.
const Watch = "Watch"

// WatchInput says which repository, and from where.
type WatchInput struct {
	Repository string `json:"repository"` // owner/name
	Cursor     string `json:"cursor,omitempty"`
}

// WatchID is the workflow id of the one Watch of a repository.
func WatchID(host string, r task.Repository) string {
	return forgeID("watch", host, r.Owner, r.Name, 0)
}
