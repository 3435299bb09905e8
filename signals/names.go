package signals

// Task queues. DESIGN: control work, "who takes it", and two queues for each host.
const (
	Queue      = "longshift"       // workflows and control activities (forges, channels, intake)
	QueueHosts = "longshift-hosts" // polled by every host: who takes this task?
)

// HostQueue is the queue of one host's long work: agent sessions, setup, checks. Slots are the host's capacity.
func HostQueue(host string) string { return "longshift-host-" + host }

// HostControlQueue is the queue of one host's short work: git and probes. It has many slots.
func HostControlQueue(host string) string { return "longshift-host-" + host + "-ctl" }

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
)

// Attribute is a search attribute with its type's name on the server.
type Attribute struct{ Name, Type string }

// Attributes lists every search attribute a namespace must have.
func Attributes() []Attribute {
	return []Attribute{
		{AttrRepository, "Keyword"}, {AttrPhase, "Keyword"}, {AttrOutcome, "Keyword"}, {AttrHost, "Keyword"},
		{AttrAgent, "Keyword"}, {AttrPullRequest, "Keyword"}, {AttrNeedsHuman, "Bool"},
		{AttrCostUSD, "Double"}, {AttrWaitingUntil, "Datetime"},
	}
}
