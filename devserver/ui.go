package devserver

import (
	uiserver "github.com/temporalio/ui-server/v2/server"
	uiconfig "github.com/temporalio/ui-server/v2/server/config"
	uioptions "github.com/temporalio/ui-server/v2/server/server_options"
)

// newUI is Temporal Web for the server at the given ports.
func newUI(o Options, p ports) *uiserver.Server {
	host := o.UIIP
	if hostPort(host, 0) != host+":0" {
		host = "[" + host + "]" // the UI server joins host and port without looking at IPv6
	}
	return uiserver.NewServer(uioptions.WithConfigProvider(&uiconfig.Config{
		Host:                host,
		Port:                p.ui,
		PublicPath:          o.UIPublicPath,
		TemporalGRPCAddress: hostPort(reachable(o.IP), p.frontend),
		EnableUI:            true,
		UIAssetPath:         o.UIAssetPath,
		Codec:               uiconfig.Codec{Endpoint: o.UICodecEndpoint},
		// Served over plain HTTP, where a browser would not send back a cookie marked secure.
		CORS:     uiconfig.CORS{CookieInsecure: true},
		HideLogs: true,
		// No call to the outside from the pages either.
		DisableNewsFetch: true,
	}))
}
