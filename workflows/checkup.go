package workflows

import (
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
)

// Checkup asks hosts, all at the same time, what they have and lack for tasks. A host that does not answer has a finding that says so.
func Checkup(ctx workflow.Context, in signals.CheckupInput) (signals.CheckedUp, error) {
	var asked []workflow.Future
	for _, host := range in.Hosts {
		asked = append(asked, workflow.ExecuteActivity(examination(ctx, host), examiner.Examine))
	}
	out := signals.CheckedUp{Hosts: []signals.HostFindings{}}
	for i, host := range in.Hosts {
		found := signals.HostFindings{Host: host}
		if err := asked[i].Get(ctx, &found.Findings); err != nil {
			if ctx.Err() != nil {
				return out, ctx.Err()
			}
			found.Findings = []signals.HostFinding{unexamined(err)}
		}
		out.Hosts = append(out.Hosts, found)
	}
	return out, nil
}

// unexamined says why a host has not told how it is.
func unexamined(err error) signals.HostFinding {
	f := signals.HostFinding{Check: "worker", State: signals.HostFail, Hint: "see the log of longshift-worker on that host"}
	var timeout *temporal.TimeoutError
	var failed *temporal.ApplicationError
	switch {
	case asError(err, &timeout) && timeout.TimeoutType() == enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START:
		f.Detail = fmt.Sprintf("does not answer: it took no work within %s", hostAnswersWithin)
		f.Hint = "see that longshift-worker runs on that host and reaches this server; its tasks go to another host meanwhile"
	case asError(err, &timeout) && timeout.TimeoutType() == enumspb.TIMEOUT_TYPE_HEARTBEAT:
		f.Detail = "stopped answering during its checks"
	case asError(err, &timeout):
		f.Detail = fmt.Sprintf("did not finish its checks within %s", examinedWithin)
	case asError(err, &failed) && failed.Type() == notRegistered:
		f.Detail, f.Hint = "its release is older than this check", "install the release of this command on that host, and start its worker again"
	default:
		f.Detail = "its checks failed: " + excerpt.Line(err.Error(), 300)
	}
	return f
}

// notRegistered is the SDK's type of the error of a worker that does not know an activity.
const notRegistered = "ActivityNotRegisteredError"

const (
	hostAnswersWithin = 10 * time.Second
	examinedWithin    = 90 * time.Second
)
