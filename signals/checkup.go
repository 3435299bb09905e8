package signals

import (
	"strconv"
	"strings"
	"time"
)

// Checkup is the workflow type that asks hosts what they need for tasks and lack. Its input is a CheckupInput, its result a CheckedUp.
const Checkup = "Checkup"

// CheckupWithin is how long a Checkup takes at most.
const CheckupWithin = 2 * time.Minute

// CheckupInput names the hosts to ask.
type CheckupInput struct {
	Hosts []string `json:"hosts"`
}

// CheckedUp is what the hosts found, in the order of the input.
type CheckedUp struct {
	Hosts []HostFindings `json:"hosts"`
}

// HostFindings is what one host found, or that it did not answer.
type HostFindings struct {
	Host     string        `json:"host"`
	Findings []HostFinding `json:"findings"`
}

// HostFinding is the result of one look at what tasks need of a host. It names no home directory and no secret.
type HostFinding struct {
	Check  string    `json:"check"`
	State  HostState `json:"state"`
	Detail string    `json:"detail"`
	Hint   string    `json:"hint,omitempty"` // the way out, when it is not ok
}

// HostState says what a finding means for tasks.
type HostState string

// The states of a finding.
const (
	HostOK   HostState = "ok"
	HostWarn HostState = "warn" // works, but something is missing that may be wanted
	HostFail HostState = "fail" // tasks will not work
)

const hostIdentity = "longshift-host:"

// HostIdentity is what the pollers of a host's process are called on the server, so that clients find out which hosts there are.
func HostIdentity(host string, pid int) string {
	return hostIdentity + host + ":" + strconv.Itoa(pid)
}

// HostOfIdentity returns the host of a poller. ok is false for a worker of an earlier release, whose pollers do not name it.
func HostOfIdentity(identity string) (host string, ok bool) {
	rest, ok := strings.CutPrefix(identity, hostIdentity)
	host, _, found := strings.Cut(rest, ":")
	return host, ok && found && host != ""
}
