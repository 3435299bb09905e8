// Package server connects to Temporal, and makes the errors of its server readable.
package server

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

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/reach"
)

const (
	connectWithin = 5 * time.Second  // to reach the server
	AnswerWithin  = 10 * time.Second // for one answer of the server, or of a worker through it
)

// Connector opens one client of the Temporal server, when a command first asks for it, and knows where that server is.
type Connector struct {
	Env       environ.Environ
	config    *environ.Config
	connected client.Client
	address   string
	namespace string
	web       string // Temporal Web of a server that this program has started; "" takes the configured one
}

func NewConnector(env environ.Environ, config *environ.Config) *Connector {
	return &Connector{Env: env, config: config}
}

func (s *Connector) Close() {
	if s.connected != nil {
		s.connected.Close()
	}
}

// Options are Temporal's own: TEMPORAL_ADDRESS and the rest, and the profile file of its command line.
func (s *Connector) Options() (client.Options, error) {
	o, err := envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{EnvLookup: temporalEnv{s.Env}})
	if err != nil {
		return o, fault.New(fault.Input, "read Temporal's configuration: %w", err).WithHint("check the TEMPORAL_* variables and the profile file")
	}
	if err := config.CheckServer(o.HostPort); err != nil {
		return o, err
	}
	o.HostPort = cmp.Or(o.HostPort, client.DefaultHostPort)
	o.Namespace = cmp.Or(o.Namespace, client.DefaultNamespace)
	return s.signed(o), nil
}

// LocalOptions reach a server that this program has started: no profile, no TLS, no key.
func (s *Connector) LocalOptions(port int, namespace string) client.Options {
	return s.signed(client.Options{HostPort: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Namespace: namespace})
}

// signed puts the user's name on what the client does, and silences it: commands report errors themselves, and the SDK must not
// print over the live line.
func (s *Connector) signed(o client.Options) client.Options {
	o.Identity = s.Env.User() + "@longshift"
	o.Logger = log.NewStructuredLogger(slog.New(slog.DiscardHandler))
	return o
}

// Connect returns the client of the configured server.
func (s *Connector) Connect(ctx context.Context) (client.Client, error) {
	if s.connected != nil {
		return s.connected, nil
	}
	o, err := s.Options()
	if err != nil {
		return nil, err
	}
	s.At(o)
	c, err := Dial(ctx, o)
	if err != nil {
		return nil, err
	}
	s.connected = c
	return c, nil
}

// Namespace is the namespace.
func (s *Connector) Namespace() string { return s.namespace }

// Address is the server's address as people write it.
func (s *Connector) Address() string { return ShownAddress(s.address) }

// At notes which server is meant, for messages and links.
func (s *Connector) At(o client.Options) { s.address, s.namespace = o.HostPort, o.Namespace }

// Use takes a server that this program has started in place of the configured one.
func (s *Connector) Use(c client.Client, o client.Options, web string) {
	s.connected, s.web = c, web
	s.At(o)
}

// temporalEnv lets Temporal's configuration read our environment.
type temporalEnv struct{ env environ.Environ }

func (t temporalEnv) Environ() []string                    { return t.env.Vars }
func (t temporalEnv) LookupEnv(name string) (string, bool) { return t.env.Lookup(name) }

// Dial connects to a server. The error is of the kind fault.Infra when there is none.
func Dial(ctx context.Context, o client.Options) (client.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	c, err := client.DialContext(ctx, o)
	if err == nil {
		return c, nil
	}
	if errors.Is(err, context.Canceled) {
		return nil, err
	}
	if refusal := reach.Refusal(ctx, o, "this client", err); refusal != nil {
		return nil, refusal
	}
	return nil, fault.New(fault.Infra, "no Temporal server at %s", ShownAddress(o.HostPort)).
		WithHint("start one with `longshift dev` or set TEMPORAL_ADDRESS")
}

// ShownAddress is the address as people write it.
func ShownAddress(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err == nil && host == "127.0.0.1" {
		return net.JoinHostPort("localhost", port)
	}
	return address
}

// Answer is one call's time to be answered.
func Answer(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, AnswerWithin)
}

// Explain turns an error of the server into a fault with a kind and a hint. what names the task or the thing asked for.
func (s *Connector) Explain(err error, what string) error {
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
		return fault.New(fault.Input, "no namespace %q on the server at %s", s.namespace, s.Address()).
			WithHint("create it, or set TEMPORAL_NAMESPACE")
	case errors.As(err, &notFound):
		return fault.New(fault.NotFound, "no task %q", what).WithHint("see `longshift list`")
	case errors.As(err, &denied):
		return fault.New(fault.Denied, "the server refuses: %s", denied.Message).
			WithHint("check TEMPORAL_API_KEY and the namespace's permissions")
	case errors.As(err, &invalid) && strings.Contains(invalid.Message, AttributePrefix):
		return MissingAttributes()
	case Unreachable(err):
		return fault.New(fault.Infra, "the Temporal server at %s does not answer", s.Address()).WithHint("try again, or see `longshift doctor`")
	}
	return err
}

// AttributePrefix is what all of our search attributes begin with.
const AttributePrefix = "Longshift"

func MissingAttributes() error {
	return fault.New(fault.Infra, "the server does not know Longshift's search attributes").
		WithHint("register them with `longshift doctor --fix`")
}

// Unreachable tells whether the error means that the server did not answer.
func Unreachable(err error) bool {
	var unavailable *serviceerror.Unavailable
	var deadline *serviceerror.DeadlineExceeded
	var exhausted *serviceerror.ResourceExhausted
	return errors.As(err, &unavailable) || errors.As(err, &deadline) || errors.As(err, &exhausted) || errors.Is(err, context.DeadlineExceeded)
}
