package task

// Wants tells whether people want to see a line of this kind of the task's log as it happens. The log itself keeps every line.
func (n NotifySettings) Wants(kind string) bool {
	switch kind {
	case "plan":
		return n.PlanReady
	case "prepared", "host", "command", "note", "deliverable", "commit", "review":
		return n.Progress
	case "pull_request", "ended":
		return n.Complete
	case "error", "suspended", "waiting", "blocked":
		return n.Error
	}
	return true // what people themselves did, and what they must know
}
