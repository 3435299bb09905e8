package signals

import (
	"net/url"
	"strings"
	"time"
)

// Task queues: control work, assignment, and two queues for each host.
const (
	Queue      = "longshift"       // workflows and control activities (forges, channels, intake)
	QueueHosts = "longshift-hosts" // polled by every host for assignments
)

// HostQueue is the queue of a host's long activities: agent sessions, setup, checks. Slots limit how many run.
func HostQueue(host string) string { return "longshift-host-" + host }

// HostControlQueue is the queue of a host's short activities: git and probes. Many run at once.
func HostControlQueue(host string) string { return "longshift-host-" + host + "-ctl" }

// WorkflowTaskTimeout is what starters should set: the time limit of a workflow task. It is also how long a task is blocked when its
// worker is killed during one. The server's default is ten seconds.
const WorkflowTaskTimeout = 4 * time.Second

// Search attributes. Their types are named as on the server.
const (
	AttrRepository   = "LongshiftRepository"
	AttrPhase        = "LongshiftPhase"
	AttrOutcome      = "LongshiftOutcome"
	AttrHost         = "LongshiftHost"
	AttrAgent        = "LongshiftAgent"
	AttrPullRequest  = "LongshiftPullRequest"
	AttrNeedsHuman   = "LongshiftNeedsHuman"
	AttrCostUSD      = "LongshiftCostUSD"
	AttrWaitingUntil = "LongshiftWaitingUntil"
	AttrWaitsFor     = "LongshiftWaitsFor" // what a waiting task waits for: a Wait
)

// Attribute is a search attribute and its type's name on the server.
type Attribute struct{ Name, Type string }

// Attributes lists every search attribute that a namespace must have.
func Attributes() []Attribute {
	return []Attribute{
		{AttrRepository, "Keyword"}, {AttrPhase, "Keyword"}, {AttrOutcome, "Keyword"}, {AttrHost, "Keyword"},
		{AttrAgent, "Keyword"}, {AttrPullRequest, "Keyword"}, {AttrWaitsFor, "Keyword"}, {AttrNeedsHuman, "Bool"},
		{AttrCostUSD, "Double"}, {AttrWaitingUntil, "Datetime"}, {AttrThread, "KeywordList"},
	}
}

// WebURL is the page of a workflow in Temporal Web at base. An empty run means the newest. It is "" if base is not configured. Every part
// is escaped, because whoever starts a task chooses its id.
func WebURL(base, namespace, id, run string) string {
	if base == "" {
		return ""
	}
	page := strings.TrimRight(base, "/") + "/namespaces/" + url.PathEscape(namespace) + "/workflows/" + url.PathEscape(id)
	if run != "" {
		page += "/" + url.PathEscape(run)
	}
	return page
}
