package devserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/temporal"
)

// Server is a running server. Stop it to release its ports and its database.
type Server struct {
	options  Options
	ports    ports
	database database
	temporal temporal.Server
	ui       *http.Server // nil when headless
	stopping *atomic.Bool
	stopOnce sync.Once
	stopErr  error
}

// Start returns when every address serves. Before that it checks all options, so that a mistake leaves
// no file and no listener behind. Errors a user can mend name the flag and the value.
func Start(ctx context.Context, o Options) (*Server, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := checkPragmas(o.Pragmas); err != nil {
		return nil, err
	}
	if err := addSearchAttributes(map[string]string{}, o.SearchAttributes, DefaultNamespace); err != nil {
		return nil, err
	}
	s := &Server{options: o, stopping: &atomic.Bool{}}
	if s.ports, err = choosePorts(o); err != nil {
		return nil, err
	}
	if s.database, err = newDatabase(o.DBFilename, o.Pragmas); err != nil {
		return nil, err
	}
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	if err := s.serve(ctx); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// open brings the database up to what the server expects to find.
func (s *Server) open(ctx context.Context) error {
	if err := s.database.prepare(ctx); err != nil {
		return err
	}
	db, err := s.database.connect()
	if err != nil {
		return err
	}
	if err := ensureNamespaces(ctx, db, s.options); err != nil {
		_ = s.database.settle() // the first error is the one to report
		return explainSQLite(err, s.database.file)
	}
	return nil
}

// serve starts everything and waits until it answers.
func (s *Server) serve(ctx context.Context) error {
	settings, err := s.options.settings(s.ports)
	if err != nil {
		return err
	}
	client, err := settings.client()
	if err != nil {
		return err
	}
	server, err := temporal.NewServer(
		temporal.WithConfig(serverConfig(s.options, s.ports, s.database)),
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithStaticHosts(staticHosts(s.options, s.ports)),
		temporal.WithLogger(serverLog{to: s.options.Logger, stopping: s.stopping}),
		temporal.WithDynamicConfigClient(client),
		temporal.WithChainedFrontendGrpcInterceptors(refusePages),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return authorization.NewNoopClaimMapper() }),
	)
	if err != nil {
		return fmt.Errorf("build server: %w", err)
	}
	if err := server.Start(); err != nil {
		return fmt.Errorf("start server: %w", err)
	}
	s.temporal = server
	if err := waitServing(ctx, s.Address()); err != nil {
		return fmt.Errorf("server at %s: %w", s.Address(), err)
	}
	if s.options.Headless {
		return nil
	}
	s.ui, err = startUI(s.options, s.ports)
	return err
}

// Stop ends the server and leaves the database in one file. Calling it again returns the same result.
func (s *Server) Stop() error {
	s.stopOnce.Do(func() {
		s.stopping.Store(true)
		if s.ui != nil {
			s.stopErr = s.ui.Close()
		}
		if s.temporal != nil {
			s.stopErr = errors.Join(s.stopErr, s.temporal.Stop())
		}
		s.stopErr = errors.Join(s.stopErr, s.database.settle())
	})
	return s.stopErr
}

// Address is where clients on this machine reach the server: host:port.
func (s *Server) Address() string { return hostPort(reachable(s.options.IP), s.ports.frontend) }

// Summary lists what was started and where, one per line, in the form the official dev server prints.
func (s *Server) Summary() string {
	var b strings.Builder
	line := func(label, value string) { fmt.Fprintf(&b, "%-21s %s\n", label+":", value) }
	line("Temporal Server", displayed(s.options.IP, s.ports.frontend))
	if s.options.DBFilename == "" {
		line("Temporal Persistence", "in-memory")
	} else {
		line("Temporal Persistence", s.options.DBFilename)
	}
	if s.options.HTTP {
		line("Temporal HTTP", displayed(s.options.IP, s.ports.http))
	}
	if !s.options.Headless {
		line("Temporal UI", "http://"+displayed(s.options.UIIP, s.ports.ui)+s.options.UIPublicPath)
	}
	if s.options.Metrics {
		line("Temporal Metrics", "http://"+displayed(s.options.IP, s.ports.metrics)+"/metrics")
	}
	return b.String()
}
