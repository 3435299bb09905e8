package devserver

import (
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"github.com/temporalio/ui-server/v2/server/api"
	"github.com/temporalio/ui-server/v2/server/auth"
	uiconfig "github.com/temporalio/ui-server/v2/server/config"
	"github.com/temporalio/ui-server/v2/server/csrf"
	"github.com/temporalio/ui-server/v2/server/headers"
	"github.com/temporalio/ui-server/v2/server/route"
	"github.com/temporalio/ui-server/v2/ui"

	"github.com/longshift/longshift/devserver/internal/httpguard"
)

// startUI serves Temporal Web for the server at the given ports. The UI server would open its port by itself and answer whoever knows
// it, by any name: a page that has turned a name of its own to this machine could then start and decide tasks. So it is put
// together here from the same parts, as its own NewServer does, and stands behind a check of names and origins.
func startUI(o Options, p ports) (*http.Server, error) {
	handler, err := newUI(o, p)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", hostPort(o.UIIP, p.ui))
	if err != nil {
		return nil, explainListen(err, o.UIIP, p.ui, "--ui-port")
	}
	server := &http.Server{Handler: httpguard.Hosts(o.UIHosts).Guard(handler), ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout: 2 * time.Minute, ErrorLog: slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug)}
	go func() { _ = server.Serve(listener) }()
	return server, nil
}

// newUI puts the UI server's parts together. There is no CORS: nobody but its own pages talks to it.
func newUI(o Options, p ports) (http.Handler, error) {
	provider, err := uiconfig.NewConfigProviderWithRefresh(&uiconfig.Config{
		Host:                o.UIIP,
		Port:                p.ui,
		PublicPath:          o.UIPublicPath,
		TemporalGRPCAddress: hostPort(reachable(o.IP), p.frontend),
		EnableUI:            true,
		Codec:               uiconfig.Codec{Endpoint: o.UICodecEndpoint},
		// No call to the outside from the pages either.
		DisableNewsFetch: true,
	})
	if err != nil {
		return nil, fmt.Errorf("configure Temporal Web: %w", err)
	}
	assets := os.DirFS(o.UIAssetPath)
	if o.UIAssetPath == "" {
		if assets, err = ui.Assets(); err == nil {
			assets, err = fs.Sub(assets, "local")
		}
		if err != nil {
			return nil, fmt.Errorf("find the pages of Temporal Web: %w", err)
		}
	}
	// Served over plain HTTP, where a browser would not send back a cookie marked secure.
	const secure = false
	e := echo.New()
	e.Use(middleware.Recover(), middleware.Gzip(), middleware.Secure(), csrf.EnsureTokenCookie(secure),
		middleware.CSRFWithConfig(csrf.MiddlewareConfig(provider, secure)))
	e.Pre(route.PublicPath(o.UIPublicPath))
	route.SetHealthRoute(e)
	forward := headers.WithForwardHeaders([]string{auth.AuthorizationExtrasHeader, "Caller-Type"})
	if err := route.SetAPIRoutes(e, provider, []api.Middleware{forward}); err != nil {
		return nil, fmt.Errorf("join Temporal Web to its server: %w", err)
	}
	route.SetAuthRoutes(e, provider)
	route.SetUIRoutes(e, o.UIPublicPath, assets)
	route.SetRenderRoute(e, o.UIPublicPath)
	return e, nil
}
