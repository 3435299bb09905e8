package devserver

import (
	"time"

	"github.com/google/uuid"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/primitives"
)

const (
	// The names below are the official dev server's: a database file must be usable by both.
	clusterName = "active"
	storeName   = "sqlite-default"

	historyShards    = 1
	failoverStep     = 10
	disabled         = "disabled"
	membershipJoinIn = 30 * time.Second
)

// serverConfig is the configuration of the four services that make up a server.
func serverConfig(o Options, p ports, db database) *config.Config {
	frontend, http := hostPort(reachable(o.IP), p.frontend), ""
	if o.HTTP {
		http = hostPort(reachable(o.IP), p.http)
	}
	c := &config.Config{
		Persistence: config.Persistence{
			DefaultStore:     storeName,
			VisibilityStore:  storeName,
			NumHistoryShards: historyShards,
			DataStores:       map[string]config.DataStore{storeName: {SQL: db.config()}},
		},
		ClusterMetadata: clusterMetadata(frontend, http),
		Services: map[string]config.Service{
			string(primitives.FrontendService): {RPC: config.RPC{BindOnIP: o.IP, GRPCPort: p.frontend, HTTPPort: p.http}},
			// These three take orders without any check, so they never listen beyond loopback.
			string(primitives.HistoryService):  {RPC: config.RPC{BindOnIP: p.inner, GRPCPort: p.history}},
			string(primitives.MatchingService): {RPC: config.RPC{BindOnIP: p.inner, GRPCPort: p.matching}},
			string(primitives.WorkerService):   {RPC: config.RPC{BindOnIP: p.inner, GRPCPort: p.worker}},
		},
		PublicClient:        config.PublicClient{HostPort: frontend},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
	}
	c.Global.Membership = config.Membership{MaxJoinDuration: membershipJoinIn, BroadcastAddress: reachable(o.IP)}
	if o.Metrics {
		c.Global.Metrics = &metrics.Config{Prometheus: &metrics.PrometheusConfig{
			ListenAddress: hostPort(o.IP, p.metrics),
			HandlerPath:   "/metrics",
		}}
	}
	c.Archival.History.State, c.Archival.Visibility.State = disabled, disabled
	c.NamespaceDefaults.Archival.History.State, c.NamespaceDefaults.Archival.Visibility.State = disabled, disabled
	return c
}

// clusterMetadata describes a cluster of one. The id only counts for a new database: the server stores
// it there and keeps it from then on.
func clusterMetadata(grpcAddress, httpAddress string) *cluster.Config {
	return &cluster.Config{
		FailoverVersionIncrement: failoverStep,
		MasterClusterName:        clusterName,
		CurrentClusterName:       clusterName,
		ClusterInformation: map[string]cluster.ClusterInformation{clusterName: {
			Enabled:                true,
			InitialFailoverVersion: 1,
			RPCAddress:             grpcAddress,
			HTTPAddress:            httpAddress,
			ClusterID:              uuid.NewString(),
		}},
	}
}

// staticHosts tells each service where the others are, which spares the gossip between them.
func staticHosts(o Options, p ports) map[primitives.ServiceName]static.Hosts {
	return map[primitives.ServiceName]static.Hosts{
		primitives.FrontendService: static.SingleLocalHost(hostPort(reachable(o.IP), p.frontend)),
		primitives.HistoryService:  static.SingleLocalHost(hostPort(p.inner, p.history)),
		primitives.MatchingService: static.SingleLocalHost(hostPort(p.inner, p.matching)),
		primitives.WorkerService:   static.SingleLocalHost(hostPort(p.inner, p.worker)),
	}
}
