package signals

import "time"

// Task queues: control work, "who takes it", and two queues for each host.
const (
	Queue      = "longshift"       // workflows and control activities (forges, channels, intake)
	QueueHosts = "longshift-hosts" // polled by every host: who takes this task?
)

// HostQueue is the queue of one host's long work: agent sessions, setup, checks. Slots are the host's capacity.
func HostQueue(host string) string { return "longshift-host-" + host }

// HostControlQueue is the queue of one host's short work: git and probes. It has many slots.
func HostControlQueue(host string) string { return "longshift-host-" + host + "-ctl" }

// WorkflowTaskTimeout is what starters should set: how long a step of the workflow itself may take. It is also how long a task
// stands still when its worker is killed in the middle of one; the server's own default is ten seconds.
const WorkflowTaskTimeout = 4 * time.Second

// Search attributes and their types, as the server names them.
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
	AttrWaitsFor     = "LongshiftWaitsFor" // of a queued task: a Wait
)

// Attribute is a search attribute with its type's name on the server.
type Attribute struct{ Name, Type string }

// Attributes lists every search attribute a namespace must have.
func Attributes() []Attribute {
	return []Attribute{
		{AttrRepository, "Keyword"}, {AttrPhase, "Keyword"}, {AttrOutcome, "Keyword"}, {AttrHost, "Keyword"},
		{AttrAgent, "Keyword"}, {AttrPullRequest, "Keyword"}, {AttrWaitsFor, "Keyword"}, {AttrNeedsHuman, "Bool"},
		{AttrCostUSD, "Double"}, {AttrWaitingUntil, "Datetime"}, {AttrThread, "KeywordList"},
	}
}
