package inbound

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	querypb "go.temporal.io/api/query/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/longshift/longshift/signals"
)

// fakeWorkflow is a workflow on the fake server.
type fakeWorkflow struct {
	kind    string
	run     string
	closed  enumspb.WorkflowExecutionStatus // unspecified while it runs
	started time.Time
	ended   time.Time // of a closed one
	memo    map[string]any
	parent  string // run id
	attrs   map[string]any
	query   func(name string, args []any) (any, error)
	update  func(name string, args []any) (any, error)
	counted map[string]any // outcomes by update id, as the server stores them
}

// fakeServer is a server and its workers. It parses queries of the list strictly: an unknown clause fails the test.
type fakeServer struct {
	t  *testing.T
	mu sync.Mutex

	down    error // the error of every call
	list    map[string]*fakeWorkflow
	order   []string // newest first
	queries []string // of lists
	asked   []client.QueryWorkflowWithOptionsRequest
	updates []client.UpdateWorkflowOptions
	signals []sent
	starts  []client.StartWorkflowOptions
	inputs  []any
	begins  map[string]time.Time // of the first step of workflows that were started
	now     func() time.Time     // for begins; none are stored without it
	cancels []client.CancelWorkflowOptions
}

type sent struct {
	workflow, run, name string
	arg                 any
}

func newServer(t *testing.T) *fakeServer {
	t.Helper()
	return &fakeServer{t: t, list: map[string]*fakeWorkflow{}, begins: map[string]time.Time{}}
}

func (s *fakeServer) add(id string, w *fakeWorkflow) *fakeWorkflow {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.run == "" {
		w.run = "run-of-" + id
	}
	if w.started.IsZero() {
		w.started = now.Add(-time.Hour)
	}
	w.counted = map[string]any{}
	s.list[id] = w
	s.order = append(s.order, id)
	return w
}

func (s *fakeServer) find(id string) (*fakeWorkflow, error) {
	if s.down != nil {
		return nil, s.down
	}
	w, ok := s.list[id]
	if !ok {
		return nil, serviceerror.NewNotFound("workflow not found for ID: " + id)
	}
	return w, nil
}

func (w *fakeWorkflow) status() enumspb.WorkflowExecutionStatus {
	if w.closed == enumspb.WORKFLOW_EXECUTION_STATUS_UNSPECIFIED {
		return enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
	}
	return w.closed
}

func (s *fakeServer) QueryWorkflowWithOptions(_ context.Context, r *client.QueryWorkflowWithOptionsRequest) (*client.QueryWorkflowWithOptionsResponse, error) {
	s.mu.Lock()
	s.asked = append(s.asked, *r)
	w, err := s.find(r.WorkflowID)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if r.QueryRejectCondition == enumspb.QUERY_REJECT_CONDITION_NOT_OPEN && w.status() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return &client.QueryWorkflowWithOptionsResponse{QueryRejected: &querypb.QueryRejected{Status: w.status()}}, nil
	}
	if w.query == nil {
		return nil, serviceerror.NewQueryFailed("unknown query type " + r.QueryType)
	}
	value, err := w.query(r.QueryType, r.Args)
	if err != nil {
		return nil, err
	}
	payloads, err := converter.GetDefaultDataConverter().ToPayloads(value)
	return &client.QueryWorkflowWithOptionsResponse{QueryResult: client.NewValue(payloads)}, err
}

func (s *fakeServer) info(id string) *workflowpb.WorkflowExecutionInfo {
	w := s.list[id]
	info := &workflowpb.WorkflowExecutionInfo{Execution: &commonpb.WorkflowExecution{WorkflowId: id, RunId: w.run}, FirstRunId: w.run,
		Type: &commonpb.WorkflowType{Name: w.kind}, Status: w.status(), StartTime: timestamppb.New(w.started),
		SearchAttributes: &commonpb.SearchAttributes{IndexedFields: s.payloads(w.attrs)}, Memo: &commonpb.Memo{Fields: s.payloads(w.memo)}}
	if w.parent != "" {
		info.ParentExecution = &commonpb.WorkflowExecution{RunId: w.parent}
	}
	return info
}

func (s *fakeServer) payloads(values map[string]any) map[string]*commonpb.Payload {
	fields := map[string]*commonpb.Payload{}
	for name, value := range values {
		p, err := converter.GetDefaultDataConverter().ToPayload(value)
		if err != nil {
			s.t.Error(err)
		}
		fields[name] = p
	}
	return fields
}

func (s *fakeServer) DescribeWorkflowExecution(_ context.Context, id, _ string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.find(id); err != nil {
		return nil, err
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: s.info(id)}, nil
}

func (s *fakeServer) ListWorkflow(_ context.Context, r *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down != nil {
		return nil, s.down
	}
	s.queries = append(s.queries, r.Query)
	response := &workflowservice.ListWorkflowExecutionsResponse{}
	for _, id := range s.order {
		if s.matches(id, r.Query) {
			response.Executions = append(response.Executions, s.info(id))
		}
	}
	return response, nil
}

var (
	clauseForm = regexp.MustCompile(`^(\w+) (=|STARTS_WITH|>) (true|'(?:[^'\\]|\\.)*')`)
	oneOfForm  = regexp.MustCompile(`^WorkflowId IN \(('[^',]+'(?:, '[^',]+')*)\)`)
	eitherForm = regexp.MustCompile(`^\(WorkflowType = '(\w+)' OR WorkflowType = '(\w+)'\)`)
)

// matches evaluates a query: clauses with AND between them.
func (s *fakeServer) matches(id, query string) bool {
	w := s.list[id]
	all := true
	for rest := query; ; {
		if m := eitherForm.FindStringSubmatch(rest); m != nil {
			all = all && (w.kind == m[1] || w.kind == m[2])
			rest = rest[len(m[0]):]
		} else if m := oneOfForm.FindStringSubmatch(rest); m != nil {
			all = all && slices.Contains(strings.Split(m[1], ", "), "'"+id+"'")
			rest = rest[len(m[0]):]
		} else if m := clauseForm.FindStringSubmatch(rest); m != nil {
			all = s.clause(id, m[1], m[2], m[3]) && all
			rest = rest[len(m[0]):]
		} else {
			s.t.Errorf("the query %q has a part that is none: %q", query, rest)
			return false
		}
		if rest == "" {
			return all
		}
		after, ok := strings.CutPrefix(rest, " AND ")
		if !ok {
			s.t.Errorf("the query %q goes on with %q", query, rest)
			return false
		}
		rest = after
	}
}

func (s *fakeServer) clause(id, name, operator, literal string) bool {
	w := s.list[id]
	value := strings.NewReplacer(`\\`, `\`, `\'`, `'`).Replace(strings.Trim(literal, "'"))
	switch name {
	case "WorkflowType":
		return w.kind == value
	case "ExecutionStatus":
		return w.status() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
	case "CloseTime":
		after, err := time.Parse(time.RFC3339, value)
		return err == nil && operator == ">" && w.ended.After(after)
	case "WorkflowId":
		return operator == "STARTS_WITH" && strings.HasPrefix(id, value)
	case signals.AttrNeedsHuman:
		needs, _ := w.attrs[name].(bool)
		return needs
	case signals.AttrThread:
		keys, _ := w.attrs[name].([]string)
		return slices.Contains(keys, value)
	}
	s.t.Errorf("a clause on the unknown %q", name)
	return false
}

func (s *fakeServer) UpdateWorkflow(_ context.Context, o client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	s.mu.Lock()
	defer s.mu.Unlock() // one at a time, as in a workflow
	s.updates = append(s.updates, o)
	w, err := s.find(o.WorkflowID)
	if err != nil {
		return nil, err
	}
	if w.status() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING || o.FirstExecutionRunID != "" && o.FirstExecutionRunID != w.run {
		return nil, serviceerror.NewNotFound("workflow execution already completed")
	}
	if outcome, ok := w.counted[o.UpdateID]; ok {
		return fakeHandle{value: outcome}, nil
	}
	if w.update == nil {
		return nil, errors.New("the test expects no update")
	}
	value, err := w.update(o.UpdateName, o.Args)
	if err == nil {
		w.counted[o.UpdateID] = value
	}
	return fakeHandle{value: value, err: err}, nil
}

type fakeHandle struct {
	client.WorkflowUpdateHandle
	value any
	err   error
}

func (h fakeHandle) Get(_ context.Context, into any) error {
	if h.err != nil {
		return h.err
	}
	encoded, err := json.Marshal(h.value)
	if err != nil {
		return err
	}
	return json.Unmarshal(encoded, into)
}

type fakeOperation struct {
	options client.StartWorkflowOptions
	kind    string
	args    []any
}

func (fakeOperation) Get(context.Context) (client.WorkflowRun, error) { return nil, nil }

func (s *fakeServer) NewWithStartWorkflowOperation(o client.StartWorkflowOptions, workflow any, args ...any) client.WithStartWorkflowOperation {
	kind, _ := workflow.(string)
	return fakeOperation{o, kind, args}
}

func (s *fakeServer) UpdateWithStartWorkflow(ctx context.Context, o client.UpdateWithStartWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	operation, ok := o.StartWorkflowOperation.(fakeOperation)
	if !ok || operation.options.WorkflowIDConflictPolicy != enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING || operation.kind != signals.Directory {
		s.t.Errorf("started with %+v", o.StartWorkflowOperation)
	}
	s.mu.Lock()
	s.starts = append(s.starts, operation.options)
	s.mu.Unlock()
	return s.UpdateWorkflow(ctx, o.UpdateOptions)
}

func (s *fakeServer) SignalWorkflow(_ context.Context, id, run, name string, arg any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, err := s.find(id)
	if err != nil {
		return err
	}
	if w.status() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return serviceerror.NewNotFound("workflow execution already completed")
	}
	s.signals = append(s.signals, sent{id, run, name, arg})
	return nil
}

type fakeRun struct {
	client.WorkflowRun
	id string
}

func (r fakeRun) GetRunID() string { return "run-of-" + r.id }

func (s *fakeServer) ExecuteWorkflow(_ context.Context, o client.StartWorkflowOptions, workflow any, args ...any) (client.WorkflowRun, error) {
	if s.down != nil {
		return nil, s.down
	}
	again := o.Memo[memoRequest] != nil                                                                                          // the request that started it is stored, so that a redelivery is recognized
	once := o.WorkflowIDConflictPolicy == enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL && o.WorkflowExecutionErrorWhenAlreadyStarted // the caller is told of a repeat
	failed := o.WorkflowIDReusePolicy == enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY
	if o.WorkflowIDReusePolicy != enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE && !again && !(failed && once) ||
		o.WorkflowIDConflictPolicy != enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING && !once ||
		o.TaskQueue != signals.Queue || o.WorkflowTaskTimeout != signals.WorkflowTaskTimeout {
		s.t.Errorf("started with %+v", o)
	}
	s.mu.Lock()
	w, known := s.list[o.ID]
	if known && failed && slices.Contains([]enumspb.WorkflowExecutionStatus{enumspb.WORKFLOW_EXECUTION_STATUS_FAILED, enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT,
		enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED, enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED}, w.closed) {
		w.closed = enumspb.WORKFLOW_EXECUTION_STATUS_UNSPECIFIED
	} else if known && once {
		s.mu.Unlock()
		return nil, serviceerror.NewWorkflowExecutionAlreadyStarted("already started", "", "run-of-"+o.ID)
	}
	s.starts, s.inputs = append(s.starts, o), append(s.inputs, args[0])
	if s.now != nil {
		s.begins[o.ID] = s.now().Add(o.StartDelay)
	}
	s.mu.Unlock()
	if kind, _ := workflow.(string); !known {
		s.add(o.ID, &fakeWorkflow{kind: kind, memo: o.Memo})
	}
	return fakeRun{id: o.ID}, nil
}

func (s *fakeServer) CancelWorkflowWithOptions(_ context.Context, o client.CancelWorkflowOptions) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, err := s.find(o.WorkflowID)
	if err != nil {
		return err
	}
	if o.FirstExecutionRunID != "" && o.FirstExecutionRunID != w.run {
		return serviceerror.NewNotFound("workflow execution already completed")
	}
	s.cancels = append(s.cancels, o)
	return nil
}
