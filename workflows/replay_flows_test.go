package workflows_test

import (
	"testing"

	historypb "go.temporal.io/api/history/v1"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/workflows"
)

// recordedElsewhere is like recorded: branches in which more than one workflow takes part, and those of the other workflows.
var recordedElsewhere = map[string][]string{
	"task-in-chat": {"workflow CodingTask", "sessions piiir", "child started Conversation", "external signal notify", "update approve",
		"!child started PullRequest", "!activity Show", "outcome pull_request"},
	"queued-once-approved": {"workflow CodingTask", "sessions pir", "activity AcquireAdmission", "activity ReleaseAdmission", "update approve",
		"signal admission", "external signal notify", "version decides-first 1", "version withdrawn 1", "outcome pull_request"},
	// This was recorded before a decision was shown ahead of the admission.
	"queued-once-approved-before": {"workflow CodingTask", "sessions pir", "activity AcquireAdmission", "activity ReleaseAdmission",
		"update approve", "signal admission", "external signal notify", "!version decides-first 1", "outcome pull_request"},
	"resumed-during-a-try": {"workflow CodingTask", "sessions pir", "activity failed LongshiftInfra", "log suspended infrastructure",
		"update resume", "external signal notify", "version asks-once-more 1", "outcome pull_request"},
	// This was recorded before a person who resumes a task during a try was asked anew.
	"resumed-during-a-try-before": {"workflow CodingTask", "sessions pir", "activity failed LongshiftInfra", "log suspended infrastructure",
		"update resume", "external signal notify", "!version asks-once-more 1", "outcome pull_request"},
	"task-followed": {"workflow CodingTask", "sessions pir", "child started PullRequest", "!child started Conversation",
		"!external signal notify", "outcome pull_request"},
	"conversation": {"workflow Conversation", "signal notify", "posted card", "!posted card anew", "edited card", "posted plan", "button approve",
		"button edit", "button reject", "settled plan", "posted end", "marker SideEffect", "attribute LongshiftThread", "!retried Show",
		"end completed"},
	"conversation-channel-down": {"workflow Conversation", "retried Show", "activity failed LongshiftNotFound", "posted card anew", "settled plan",
		"posted end", "end completed"},
	"conversation-late": {"workflow Conversation", "signal notify", "posted card", "posted end", "edited card", "version late-card 1",
		"end completed"},
	"conversation-settled-at-end": {"workflow Conversation", "posted stop", "settled stop", "edited card", "!posted end",
		"version settles-at-end 1", "end completed"},
	"conversation-continued":    {"workflow Conversation", "posted card", "posted plan", "end continued"},
	"conversation-continuation": {"workflow Conversation", "edited card", "!posted card", "posted end", "end completed"},
	"pull-request-round": {"workflow PullRequest", "sessions iiir", "activity MergeBase", "activity AnswerPullRequest", "activity PushBranch",
		"external signal notify", "signal changed", "timer fired", "timer canceled", "!log suspended blocker", "rounds 1", "outcome merged"},
	"pull-request-base-moved": {"workflow PullRequest", "activity MergeBase", "activity PushBranch", "version tried-merged 1",
		"!activity AbortMerge", "!log parked", "outcome merged"},
	"pull-request-elsewhere": {"workflow PullRequest", "activity MergeBase", "log host changed by somebody else",
		"version open-at-push 2", "outcome merged"},
	"pull-request-conflict-stays": {"workflow PullRequest", "sessions i", "activity MergeBase", "activity AbortMerge", "!activity PushBranch",
		"log blocked", "log suspended blocker", "outcome merged"},
	"pull-request-blocker": {"workflow PullRequest", "sessions irir", "log suspended blocker", "update resume", "!activity MergeBase",
		"!external signal notify", "outcome closed"},
	"pull-request-aside": {"workflow PullRequest", "sessions irir", "activity AnswerPullRequest", "version aside 1", "!log suspended",
		"rounds 2", "outcome merged"},
	"pull-request-rounds-used-up": {"workflow PullRequest", "sessions irir", "log suspended rounds", "!log suspended blocker", "update resume",
		"outcome merged"},
	"pull-request-taken-over": {"workflow PullRequest", "sessions irir", "activity failed LongshiftChanged",
		"activity failed LongshiftDenied", "version push-taken-over 1", "outcome merged"},
	"pull-request-changed": {"workflow PullRequest", "sessions irir", "activity failed LongshiftChanged", "!log suspended branch_changed",
		"rounds 1", "outcome merged"},
	"pull-request-set-up": {"workflow PullRequest", "sessions irir", "activity RunSetup", "version fresh-tree 1", "rounds 2",
		"outcome merged"},
	"pull-request-parked": {"workflow PullRequest", "sessions i", "log suspended", "version parked-round 1", "rounds 1", "outcome closed"},
	"pull-request-failures-wait": {"workflow PullRequest", "sessions i", "activity WriteCheckRun", "log suspended",
		"version failures-wait 1", "rounds 1", "outcome closed"},
	"pull-request-merges-alone": {"workflow PullRequest", "sessions irir", "activity MergeBase", "version merges-alone 1",
		"!log suspended", "rounds 2", "outcome merged"},
	"pull-request-merged-unseen": {"workflow PullRequest", "sessions ir", "version open-at-push 1", "!activity PushBranch",
		"!activity AnswerPullRequest", "outcome merged"},
	"pull-request-fails-anew": {"workflow PullRequest", "sessions irir", "version mended 1", "!log suspended",
		"rounds 2", "outcome merged"},
	"pull-request-quota": {"workflow PullRequest", "log suspended quota", "update resume", "version kept-round 1", "rounds 1", "outcome merged"},
	"pull-request-unread-in-round": {"workflow PullRequest", "log suspended quota", "activity failed LongshiftDenied",
		"version unread-in-round 1", "rounds 1", "outcome merged"},
	"pull-request-rarely-read": {"workflow PullRequest", "log suspended quota", "version rare-in-round 1", "rounds 1", "outcome merged"},
	"pull-request-foreign-head": {"workflow PullRequest", "sessions ", "activity WriteCheckRun", "version foreign-head 1",
		"outcome merged"},
	"pull-request-abandoned":    {"workflow PullRequest", "sessions ir", "log suspended blocker", "update abandon", "outcome abandoned"},
	"pull-request-continued":    {"workflow PullRequest", "sessions ir", "end continued"},
	"pull-request-continuation": {"workflow PullRequest", "sessions ", "signal changed", "rounds 1", "outcome merged"},
	"native":                    {"workflow CodingTask", "child started AgentSession", "!activity RunAgent", "outcome pull_request"},
	"native-command":            {"workflow CodingTask", "child started AgentSession", "update ask", "update allow", "log suspended command", "outcome pull_request"},
	"native-question":           {"workflow CodingTask", "child started AgentSession", "update resume", "log suspended question", "outcome pull_request"},
	"native-host-moved":         {"workflow CodingTask", "child started AgentSession", "fence 2", "outcome pull_request"},
	"native-worker-lost": {"workflow CodingTask", "child started AgentSession", "version native-time-counts-once 1",
		"!version tries-count 1", "fence 2", "outcome pull_request"},
	"native-acts": {"workflow AgentSession", "activity OpenSession", "activity AskModel", "activity RunTools", "activity EndSession",
		"signal told", "queue longshift-host-alpha-acts", "end completed"},
	"native-acts-summed": {"workflow AgentSession", "activity AskModel", "activity EndSession", "end completed"},
	"native-acts-wait": {"workflow AgentSession", "timeout Heartbeat", "last beat", "activity Probe", "version acts-wait 1",
		"activity EndSession", "end completed"},
	"native-acts-continued":    {"workflow AgentSession", "activity OpenSession", "!activity EndSession", "end continued"},
	"native-acts-continuation": {"workflow AgentSession", "!activity OpenSession", "activity EndSession", "end completed"},
	"task-check-run":           {"workflow CodingTask", "activity WriteCheckRun", "outcome pull_request"},
	"pull-request-check-runs": {"workflow PullRequest", "sessions ir", "activity WriteCheckRun", "activity PushBranch", "log suspended blocker",
		"update abandon", "outcome abandoned"},
	"pull-request-check-run-owed": {"workflow PullRequest", "activity WriteCheckRun", "activity failed LongshiftInfra",
		"version owed-check-run 1", "outcome merged"},
	"directory":            {"workflow Directory", "update invite", "update bind", "update unbind", "end terminated"},
	"directory-workspaces": {"workflow Directory", "update switch", "end terminated"},
	"arrival":              {"workflow Arrival", "activity Arrive", "retried Arrive", "end completed"},
	"queued": {"workflow CodingTask", "sessions pir", "activity AcquireAdmission", "signal admission", "timer canceled", "activity ReportToSource",
		"activity ReleaseAdmission",
		"log queued", "log turn", "outcome pull_request"},
	"queued-abandoned": {"workflow CodingTask", "sessions ", "activity AcquireAdmission", "activity ReleaseAdmission", "activity ReportToSource",
		"update abandon", "outcome abandoned"},
	"limiter": {"workflow Limiter", "update acquire", "update release", "activity ReconcileLimiter", "external signal admission",
		"timer canceled", "end terminated"},
	"limiter-failures": {"workflow Limiter", "update acquire", "update release", "version failed-once 1", "end terminated"},
	"intake":           {"workflow IssueIntake", "activity PollSource", "child started CodingTask", "activity AcquireAdmission", "end completed"},
	"undo": {"workflow Undo", "activity ClosePullRequest", "activity ForkRepository", "activity AssignTask", "activity DeleteRefs",
		"end completed"},
	"undo-no-fork": {"workflow Undo", "activity ClosePullRequest", "activity ForkRepository", "!activity DeleteRefs", "end completed"},
	"checkup":      {"workflow Checkup", "activity Examine", "queue longshift-host-alpha-ctl", "timeout ScheduleToStart", "end completed"},
	"images":       {"workflow CodingTask", "sessions pir", "external signal use", "outcome pull_request"},
	"attachment":   {"workflow Attachment", "signal use", "timer canceled", "end terminated"},
	"quota-next": {"workflow CodingTask", "sessions piiir", "activity CoolingAccounts", "activity CoolAccount", "timer fired", "log waiting quota",
		"!log suspended quota", "outcome pull_request"},
	"stand-in-unfit": {"workflow CodingTask", "sessions piiir", "activity failed LongshiftInput", "version unfit-alone 1", "log agent",
		"!log waiting quota", "outcome pull_request"},
	// This one was recorded before an agent that can't work was left alone itself, in place of its account.
	"stand-in-unfit-before": {"workflow CodingTask", "sessions piiir", "activity failed LongshiftInput", "activity CoolAccount",
		"!version unfit-alone 1", "log waiting quota", "outcome pull_request"},
	"accounts": {"workflow Accounts", "update cool", "timer fired", "end completed"},
	"watch":    {"workflow Watch", "activity PollForge", "timer fired", "end completed"},
}

// What runs when a release comes has a history without an end. Wherever it is cut off between two turns of the workflow, it must be
// taken up.
func TestReplayTakesUpWhatRuns(t *testing.T) {
	cuts := 0
	for name := range recordedElsewhere {
		h := load(t, name)
		for at, e := range h.Events {
			if e.GetWorkflowTaskStartedEventAttributes() == nil {
				continue
			}
			if _, err := replay(&historypb.History{Events: h.Events[:at+1]}, workflows.Register); err != nil {
				t.Errorf("%s is not taken up at event %d: %v", name, e.EventId, err)
			}
			cuts++
		}
	}
	if cuts == 0 {
		t.Error("nothing was taken up")
	}
}

// display notes a message that people see.
func (s *story) display(in activities.ShowInput) {
	what := "card"
	if in.Notice.Subject != "" {
		what = string(in.Notice.Subject)
	}
	switch {
	case in.Settled != "":
		s.add("settled %s", what)
	case in.At != nil:
		s.add("edited %s", what)
	default:
		if s.posts[what]++; s.posts[what] == 2 {
			s.add("posted %s anew", what)
		}
		s.add("posted %s", what)
	}
	for _, b := range in.Buttons {
		s.add("button %s", b.Verb)
	}
}

// outside notes what a workflow does beside its steps.
func (s *story) outside(e *historypb.HistoryEvent) {
	if a := e.GetChildWorkflowExecutionStartedEventAttributes(); a != nil {
		s.add("child started %s", a.WorkflowType.Name)
	}
	if a := e.GetSignalExternalWorkflowExecutionInitiatedEventAttributes(); a != nil {
		s.add("external signal %s", a.SignalName)
	}
	if a := e.GetMarkerRecordedEventAttributes(); a != nil && a.MarkerName == "Version" {
		s.add("version %s %d", inputOf[string](s.t, a.Details["change-id"]), inputOf[int](s.t, a.Details["version"]))
	} else if a != nil {
		s.add("marker %s", a.MarkerName)
	}
	for name := range e.GetUpsertWorkflowSearchAttributesEventAttributes().GetSearchAttributes().GetIndexedFields() {
		s.add("attribute %s", name)
	}
}
