package cli

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/log"

	"github.com/longshift/longshift/internal/fault"
)

const (
	connectWithin = 5 * time.Second  // to reach the server
	answerWithin  = 10 * time.Second // for one answer of the server, or of a worker through it
)

// clientOptions are Temporal's own: TEMPORAL_ADDRESS and the rest, and the profile file of its command line.
func (p *program) clientOptions() (client.Options, error) {
	o, err := envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{EnvLookup: temporalEnv{p.env}})
	if err != nil {
		return o, fault.New(fault.Input, "read Temporal's configuration: %w", err).WithHint("check the TEMPORAL_* variables and the profile file")
	}
	o.HostPort = cmp.Or(o.HostPort, client.DefaultHostPort)
	o.Namespace = cmp.Or(o.Namespace, client.DefaultNamespace)
	return p.signed(o), nil
}

// localOptions reach a server that we have started: no profile, no TLS, no key.
func (p *program) localOptions(port int, namespace string) client.Options {
	return p.signed(client.Options{HostPort: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Namespace: namespace})
}

// signed puts the user's name on what the client does, and silences it: errors come back to us, and the SDK must not
// print over the live line.
func (p *program) signed(o client.Options) client.Options {
	o.Identity = p.by() + "@longshift"
	o.Logger = log.NewStructuredLogger(slog.New(slog.DiscardHandler))
	return o
}

// temporalEnv lets Temporal's configuration read our environment.
type temporalEnv struct{ env Environ }

func (t temporalEnv) Environ() []string                    { return t.env.Vars }
func (t temporalEnv) LookupEnv(name string) (string, bool) { return t.env.Lookup(name) }

// client connects to the server, once.
func (p *program) client(ctx context.Context) (client.Client, error) {
	if p.connected != nil {
		return p.connected, nil
	}
	o, err := p.clientOptions()
	if err != nil {
		return nil, err
	}
	p.address, p.namespace = o.HostPort, o.Namespace
	c, err := dial(ctx, o)
	if err != nil {
		return nil, err
	}
	p.connected = c
	return c, nil
}

func dial(ctx context.Context, o client.Options) (client.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	c, err := client.DialContext(ctx, o)
	if err == nil {
		return c, nil
	}
	if errors.Is(err, context.Canceled) {
		return nil, err
	}
	var denied *serviceerror.PermissionDenied
	if errors.As(err, &denied) {
		return nil, fault.New(fault.Denied, "Temporal at %s refuses this client: %w", o.HostPort, err).WithHint("check TEMPORAL_API_KEY and the TLS settings")
	}
	if strings.Contains(err.Error(), "handshake") {
		return nil, fault.New(fault.Infra, "the server at %s and this client disagree on TLS", shownAddress(o.HostPort)).WithHint("check TEMPORAL_TLS and TEMPORAL_API_KEY")
	}
	return nil, fault.New(fault.Infra, "no Temporal server at %s", shownAddress(o.HostPort)).
		WithHint("start one with `longshift dev` or set TEMPORAL_ADDRESS")
}

// shownAddress is the address as people write it.
func shownAddress(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err == nil && host == "127.0.0.1" {
		return net.JoinHostPort("localhost", port)
	}
	return address
}

// answer is one call's time to be answered.
func answer(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, answerWithin)
}

// explain gives an error of the server a kind and a way out. what names the task or the thing asked for.
func (p *program) explain(err error, what string) error {
	var (
		notFound  *serviceerror.NotFound
		namespace *serviceerror.NamespaceNotFound
		denied    *serviceerror.PermissionDenied
		invalid   *serviceerror.InvalidArgument
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &namespace):
		return fault.New(fault.NotFound, "no namespace %q on the server at %s", p.namespace, shownAddress(p.address)).WithHint("create it, or set TEMPORAL_NAMESPACE")
	case errors.As(err, &notFound):
		return fault.New(fault.NotFound, "no task %q", what).WithHint("see `longshift list`")
	case errors.As(err, &denied):
		return fault.New(fault.Denied, "the server refuses: %s", denied.Message).WithHint("check TEMPORAL_API_KEY and the namespace's permissions")
	case errors.As(err, &invalid) && strings.Contains(invalid.Message, attributePrefix):
		return missingAttributes()
	case unreachable(err):
		return fault.New(fault.Infra, "the Temporal server at %s does not answer", shownAddress(p.address)).WithHint("try again, or see `longshift doctor`")
	}
	return err
}

// attributePrefix is what all of our search attributes begin with.
const attributePrefix = "Longshift"

func missingAttributes() error {
	return fault.New(fault.Infra, "the server does not know Longshift's search attributes").WithHint("register them with `longshift doctor --fix`")
}

// unreachable tells whether the error means that nobody answered.
func unreachable(err error) bool {
	var unavailable *serviceerror.Unavailable
	var deadline *serviceerror.DeadlineExceeded
	var exhausted *serviceerror.ResourceExhausted
	return errors.As(err, &unavailable) || errors.As(err, &deadline) || errors.As(err, &exhausted) || errors.Is(err, context.DeadlineExceeded)
}
