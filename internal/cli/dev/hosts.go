package dev

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/signals"
)

// hostsCheck has hosts check themselves, through the server.
type hostsCheck struct {
	server  *server.Connector
	version string // of this command
}

// all checks every host that is connected. The worker of this machine is one of them: its release, its environment and its keys may
// differ from those of this command.
func (h *hostsCheck) all(ctx context.Context, c client.Client) []finding {
	hosts, old := h.connected(ctx, c)
	if len(hosts) == 0 {
		return old
	}
	return append(old, h.ask(ctx, c, hosts)...)
}

// named checks one host. A name that is the beginning of one connected host's id means that one.
func (h *hostsCheck) named(ctx context.Context, c client.Client, name string) []finding {
	hosts, _ := h.connected(ctx, c)
	begin := slices.DeleteFunc(hosts, func(host string) bool { return !strings.HasPrefix(host, name) })
	if len(begin) == 1 {
		name = begin[0]
	}
	return h.ask(ctx, c, []string{name})
}

// connected returns the hosts that have asked for work in the last minutes, and findings on workers that do not tell which host they are.
// Nobody is connected where the server does not answer; then its own check has said so.
func (h *hostsCheck) connected(ctx context.Context, c client.Client) (hosts []string, old []finding) {
	all, err := server.Pollers(ctx, c, signals.QueueHosts, enumspb.TASK_QUEUE_TYPE_ACTIVITY)
	if err != nil {
		return nil, nil
	}
	for who := range all {
		host, ok := signals.HostOfIdentity(who)
		switch {
		case !ok:
			old = append(old, finding{who, checkup.Finding{Check: "worker", State: signals.HostWarn, Detail: "its release is older than this check",
				Hint: "install the release of this command there, and start the worker again"}})
		case !slices.Contains(hosts, host): // a worker that was started again has polled as two
			hosts = append(hosts, host)
		}
	}
	slices.Sort(hosts)
	slices.SortFunc(old, func(a, b finding) int { return strings.Compare(a.Host, b.Host) })
	return hosts, old
}

// ask has hosts check themselves, all at the same time.
func (h *hostsCheck) ask(ctx context.Context, c client.Client, hosts []string) []finding {
	var out signals.CheckedUp
	err := h.checkup(ctx, c, hosts, &out)
	if err != nil {
		f := failed(h.server, "workers", err)
		f.Detail = "can't be asked: " + f.Detail
		if f.Hint == "" {
			f.Hint = "see that a longshift-worker of this release runs with LONGSHIFT_ROLE=control or all"
		}
		return here(f)
	}
	var findings []finding
	for _, found := range out.Hosts {
		for _, f := range found.Findings {
			findings = append(findings, finding{found.Host, h.compared(f)})
		}
	}
	return findings
}

func (h *hostsCheck) checkup(ctx context.Context, c client.Client, hosts []string, out *signals.CheckedUp) error {
	call, cancel := server.Answer(ctx)
	defer cancel()
	run, err := c.ExecuteWorkflow(call, client.StartWorkflowOptions{ID: "checkup-" + strings.ToLower(rand.Text()[:12]),
		TaskQueue: signals.Queue, WorkflowTaskTimeout: signals.WorkflowTaskTimeout, WorkflowExecutionTimeout: signals.CheckupWithin},
		signals.Checkup, signals.CheckupInput{Hosts: hosts})
	if err != nil {
		return err
	}
	return run.Get(ctx, out)
}

// compared doubts a worker that is not of this command's version.
func (h *hostsCheck) compared(f checkup.Finding) checkup.Finding {
	if f.Check != checkup.OfVersion || f.Detail == h.version {
		return f
	}
	f.State, f.Detail = signals.HostWarn, f.Detail+", and this command is "+h.version
	f.Hint = "install the same release on both; an image knows its own if it is built with BUILD_VERSION"
	return f
}
