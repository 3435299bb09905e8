package task

// Wants reports whether people want to be notified of a log entry of this kind. The log itself keeps every entry.
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
	return true // people's own actions, and what they must know
}
