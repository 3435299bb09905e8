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

// HostActsQueue is the queue of what sessions of Longshift's own agent do on a host: calls of models and of tools. No session holds it up.
func HostActsQueue(host string) string { return "longshift-host-" + host + "-acts" }

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

// stateTab is the tab of Temporal Web that shows Current Details: how a workflow stands, in words. Without a tab in its address a run opens
// at the timeline of its history, which does not show them.
const stateTab = "/user-metadata"

// WebURL is the page of a workflow in Temporal Web at base, at the tab that shows how it stands. An empty run means the newest, which
// Temporal Web opens at its timeline. It is "" if base is not configured. Every part is escaped: whoever starts a task chooses its id.
func WebURL(base, namespace, id, run string) string {
	if base == "" {
		return ""
	}
	page := webWorkflows(base, namespace) + "/" + url.PathEscape(id)
	if run != "" {
		page += "/" + url.PathEscape(run) + stateTab
	}
	return page
}

// NeedsPeople is the filter, in the server's list, of what waits for a person.
const NeedsPeople = AttrNeedsHuman + " = true AND ExecutionStatus = 'Running'"

// WebListURL is the page of Temporal Web that lists what a filter selects. It is "" if base is not configured.
func WebListURL(base, namespace, filter string) string {
	if base == "" {
		return ""
	}
	return webWorkflows(base, namespace) + "?" + url.Values{"query": {filter}}.Encode()
}

func webWorkflows(base, namespace string) string {
	return strings.TrimRight(base, "/") + "/namespaces/" + url.PathEscape(namespace) + "/workflows"
}
