package devserver

import (
	"context"
	"fmt"
	"maps"

	"go.temporal.io/api/serviceerror"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
)

// refusePages keeps pages in browsers from the HTTP API: a program has no Origin, and no page of ours asks there. What Temporal Web
// asks for its own pages comes over gRPC, and was checked there.
func refusePages(ctx context.Context, request any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	origin := metadata.ValueFromIncomingContext(ctx, "grpcgateway-origin")
	if _, overGRPC := peer.FromContext(ctx); len(origin) > 0 && !overGRPC {
		return nil, serviceerror.NewPermissionDenied("a page in a browser may not use the HTTP API", fmt.Sprintf("Origin: %.80q", origin[0]))
	}
	return next(ctx, request)
}

// settings are the user's, over the names by which the HTTP API may be called. The server makes one pattern of them, of which only the
// first is bound to the beginning and only the last to the end: so that one is a name that nobody can own another of.
func (o Options) settings(p ports) (DynamicConfig, error) {
	names := fmt.Sprintf(`["127.0.0.1:%d", "[::1]:%[1]d", %q, "localhost:%[1]d"]`, p.http, hostPort(o.IP, p.http))
	all, _, err := ParseDynamicConfig(map[string]string{"frontend.httpAllowedHosts": names})
	if err != nil {
		return nil, err
	}
	maps.Copy(all, o.DynamicConfig)
	return all, nil
}
