package activities

import (
	"context"
	"sync/atomic"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/reporting"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/task"
)

// endpoints is what a session's agent reaches on this host: its model, and the tools that it reports by.
type endpoints struct {
	model   model
	reports *reporting.Session // nil when the agent reports in its text alone
	caller  *atomic.Pointer[Caller]
	from    *origin  // of the process that the agent goes on with; nil for a process of its own
	view    *boxView // of the process that waits for a session; nil when none does
}

// open opens the endpoints of a session.
func (la *launcher) open(in SessionInput, rec *record) (*endpoints, error) {
	session, err := la.openModel(in, rec, "")
	if err != nil {
		return nil, err
	}
	e := &endpoints{model: model{session, in.api(), in.Model}, caller: new(atomic.Pointer[Caller])}
	e.caller.Store(in.caller())
	if !in.byTools() {
		return e, nil
	}
	if e.reports, err = reporting.Open(la.reporting(in, rec)); err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// serves tells whether the session has its model here, and its tools to report by. The agent that is prestarted for a session is that of the
// likeliest role, and the session may have another.
func (e *endpoints) serves(in SessionInput) bool {
	return e.model.serves(in) && (!in.byTools() || e.reports != nil && e.reports.Role() == in.Role)
}

// keepReports opens the reports of a session that makes them without a server.
func (la *launcher) keepReports(in SessionInput, rec *record) (*reporting.Session, error) {
	return reporting.Keep(la.reporting(in, rec))
}

func (la *launcher) reporting(in SessionInput, rec *record) reporting.Spec {
	return reporting.Spec{Role: in.Role, File: rec.reportsFile(), Hide: la.redact.String, Now: la.now, Log: la.log}
}

// byTools tells whether the session's agent reports by tools.
func (in SessionInput) byTools() bool {
	return in.Agent != task.AgentScript
}

// show tells the agent of its endpoints.
func (e *endpoints) show(ctx context.Context, s *agent.Session) {
	if m := e.model.endpoint; m != nil {
		s.Search, s.OpenAI, s.Spent = m.Granted("web_search"), e.model.api == gateway.OpenAI, e.model.spent
		s.Failing = e.model.failing
		s.BaseURL, s.Upstream, s.Token, s.Login = m.BaseURL(), m.Upstream(), m.Token(), m.Kind(ctx) == gateway.OAuth
	}
	if e.reports != nil {
		s.Reports = e.reports.Endpoint()
	}
}

// addresses are those of the endpoints.
func (e *endpoints) addresses() (all []string) {
	if m := e.model.endpoint; m != nil {
		all = append(all, m.BaseURL())
	}
	if e.reports != nil {
		all = append(all, e.reports.Endpoint().URL)
	}
	return all
}

// close ends the endpoints and returns what the session has used.
func (e *endpoints) close() task.Usage {
	if e.reports != nil {
		e.reports.Close()
	}
	return e.model.close()
}

// begin hands the session's reports to its log, first those of earlier attempts. One of them may have ended the session. Some agents ask
// their model once more after the report that ends it; nobody would read the answer, so it is not paid for.
func (e *endpoints) begin(in SessionInput, log *sessionLog) {
	if e.reports == nil {
		return
	}
	e.reports.Begin(aboutSession(in, func(r reporting.Report) {
		log.report(r)
		if r.Ends {
			e.model.finish()
		}
	}))
}

// distrust takes back what was reported since the session began: it is not to be believed.
func (e *endpoints) distrust() error {
	if e.reports == nil {
		return nil
	}
	return e.reports.Distrust()
}

// reopen takes back the report that has ended the session, so that its next attempt goes on with the work.
func (e *endpoints) reopen() error {
	if e.reports == nil {
		return nil
	}
	return e.reports.Reopen()
}

// ended tells whether the agent has reported the end of the session.
func (e *endpoints) ended() bool {
	if e.reports == nil {
		return false
	}
	_, ended := e.reports.Ended()
	return ended
}
