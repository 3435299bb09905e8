// Package reach tells why a Temporal server can't be used: nobody answers, or who answers will never accept what this process comes with.
// The worker waits for a server that is down, and `longshift dev` starts one where nobody answers; neither helps against a refusal.
package reach

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"regexp"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc/codes"

	"github.com/longshift/longshift/internal/fault"
)

// probeWithin bounds the look whether a server expects TLS.
const probeWithin = 5 * time.Second

// badTLS matches a completed TLS handshake that has failed, or another protocol in its place. An aborted handshake says nothing about the
// settings: a proxy whose server is down looks the same.
var badTLS = regexp.MustCompile(`tls: |x509: |error reading server preface: http2: `)

// Address is where the server is that the options lead to.
func Address(o client.Options) string { return cmp.Or(o.HostPort, client.DefaultHostPort) }

// Namespace is that which the options lead to.
func Namespace(o client.Options) string { return cmp.Or(o.Namespace, client.DefaultNamespace) }

// Down reports whether nobody has answered, or the server is not ready yet.
func Down(err error) bool {
	switch codeOf(err) {
	case codes.Unavailable:
		return !badTLS.MatchString(err.Error())
	case codes.DeadlineExceeded, codes.ResourceExhausted:
		return true
	}
	return false
}

// Refuses reports whether the server, or the TLS in front of it, does not accept who asks.
func Refuses(err error) bool {
	return unwelcome(err) || badTLS.MatchString(err.Error())
}

func unwelcome(err error) bool {
	code := codeOf(err)
	return code == codes.Unauthenticated || code == codes.PermissionDenied
}

// Refusal says why the server that has answered err does not accept these options; nil when it is down or fails for another reason. who is
// the process as a person knows it, such as "this worker".
func Refusal(ctx context.Context, o client.Options, who string, err error) error {
	address, plain := Address(o), o.ConnectionOptions.TLS == nil
	switch {
	case unwelcome(err):
		return fault.New(fault.Denied, "the Temporal server at %s refuses %s: %w", address, who, err).
			WithHint("check TEMPORAL_API_KEY, the TLS settings and the rights in namespace %s", Namespace(o))
	case plain && (Down(err) || Refuses(err)) && wantsTLS(ctx, address):
		return fault.New(fault.Input, "the server at %s wants TLS, and %s has none set up", address, who).
			WithHint("set TEMPORAL_TLS=true, or the other TEMPORAL_TLS settings")
	case !plain && Refuses(err):
		return fault.New(fault.Input, "the server at %s and %s disagree on TLS: %w", address, who, err).
			WithHint("check the TEMPORAL_TLS settings, and TEMPORAL_API_KEY, which turns TLS on")
	}
	return nil
}

func codeOf(err error) codes.Code { return serviceerror.ToStatus(err).Code() }

// wantsTLS reports whether the server expects TLS. It simply closes connections without TLS, as does a proxy whose server is down.
func wantsTLS(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	c, err := (&tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}).DialContext(ctx, "tcp", address) // sends nothing
	if err == nil {
		c.Close()
		return true
	}
	var alert tls.AlertError
	return errors.As(err, &alert)
}
