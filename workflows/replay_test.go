package workflows_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/workflows"
)

// recorded lists the branches of CodingTask that have a history, and recordedElsewhere those of other workflows and between workflows,
// each with the marks by which the history shows that it went that way. A mark with an exclamation mark must not be there. See marks for what they look like.
var recorded = map[string][]string{
	"approved": {"sessions piiir", "update approve", "!timer fired", "activity RunSetup", "activity RunChecks",
		"activity OpenPullRequest", "activity CleanUp", "outcome pull_request"},
	"queued-limited":    {"sessions pir", "update resume", "version limit-added 1", "log budget", "outcome pull_request"},
	"queued-at-another": {"sessions pir", "update resume", "version withdrawn 1", "activity ReleaseAdmission", "outcome pull_request"},
	"model-away": {"sessions piir", "activity failed LongshiftInfra", "version outlasts 1", "signal resume", "log waiting infrastructure",
		"!log suspended infrastructure", "outcome pull_request"},
	"setup-once":        {"sessions pir", "activity RunSetup", "version setup-once 1", "outcome pull_request"},
	"approved-by-timer": {"sessions pir", "timer fired", "!update approve", "!signal approve", "outcome pull_request"},
	"edited": {"sessions ppir", "update edit", "signal approve", "signal tell", "timer canceled", "!timer fired", "log refused",
		"revision 2", "outcome pull_request"},
	"rejected":   {"sessions p", "signal reject", "!activity OpenPullRequest", "outcome rejected"},
	"spec-issue": {"sessions ppir", "signal resume", "log suspended spec_issue", "outcome pull_request"},
	"budget":     {"sessions piir", "update resume", "log suspended budget", "same session twice", "outcome pull_request"},
	"quota":      {"sessions piir", "timer fired", "log waiting quota", "same session twice", "outcome pull_request"},
	"cancelled": {"sessions pi", "cancel requested", "activity canceled RunAgent", "!activity CleanUp", "end canceled",
		"outcome cancelled"},
	"abandoned": {"sessions pi", "update abandon", "!cancel requested", "activity canceled RunAgent", "outcome abandoned"},
	"host-moved": {"sessions piir", "timeout Heartbeat", "last beat", "timeout ScheduleToStart", "queue longshift-host-beta",
		"queue longshift-host-alpha", "fence 2", "same session twice", "outcome pull_request"},
	"server-away": {"sessions piir", "timeout Heartbeat", "last beat", "activity Probe", "!timeout ScheduleToStart", "log host", "fence 1",
		"same session twice", "outcome pull_request"},
	"lost-time-counts": {"sessions piir", "timeout Heartbeat", "last beat", "activity Probe", "version tries-count 1",
		"same session twice", "outcome pull_request"},
	"host-restarted": {"sessions piir", "activity failed LongshiftStopping", "activity Probe", "!timeout Heartbeat", "fence 1",
		"same session twice", "outcome pull_request"},
	"clean-up-lost": {"sessions pir", "activity CleanUp", "timeout Heartbeat", "timeout ScheduleToStart", "fence 2",
		"queue longshift-host-alpha-ctl", "version clean-lost 1", "outcome pull_request"},
	"clean-anew": {"sessions piir", "timeout ScheduleToStart", "queue longshift-host-beta", "fence 2", "activity CheckOut",
		"version clean-anew 1", "version status-file 1", "outcome pull_request"},
	"budget-added": {"sessions piir", "update resume", "!log suspended budget", "same session twice", "version added-meanwhile 1",
		"outcome pull_request"},
	"budget-added-reserved": {"sessions pir", "activity AcquireAdmission", "update resume", "version reserved-added 1",
		"outcome pull_request"},
	"abandoned-at-the-push": {"sessions pir", "update abandon", "activity PushBranch", "!activity OpenPullRequest",
		"version opens-to-its-end 1", "outcome abandoned"},
	// These two were recorded before it was decided what an end at the last moment means.
	"abandoned-at-the-push-before": {"sessions pir", "update abandon", "activity PushBranch", "!version opens-to-its-end 1",
		"outcome abandoned"},
	"abandoned-at-opening-before": {"sessions pir", "update abandon", "activity OpenPullRequest", "!version opens-to-its-end 1",
		"outcome abandoned"},
	"abandoned-at-opening": {"sessions pir", "update abandon", "!activity canceled OpenPullRequest", "version opens-to-its-end 1",
		"outcome abandoned"},
	"abandoned-last":             {"sessions pir", "update abandon", "version abandoned-last 1", "outcome abandoned"},
	"abandoned-as-checks-failed": {"sessions pir", "update abandon", "version abandoned-last 2", "outcome abandoned"},
	"unsaved-lost": {"sessions pirir", "timeout ScheduleToStart", "queue longshift-host-beta", "fence 2", "version unsaved-lost 1",
		"outcome pull_request"},
	"committed-before-the-review": {"sessions pir", "log suspended infrastructure", "signal resume", "version reviews-all 1",
		"version unsaved-lost 1", "outcome pull_request"},
	"checkout-refused": {"sessions piir", "activity failed LongshiftDenied", "log suspended access", "signal resume", "activity CheckOut",
		"version insists-on-checkout 1", "version status-file 1", "outcome pull_request"},
	"forge-away-at-first": {"sessions pir", "activity failed LongshiftInfra", "log suspended infrastructure", "signal resume",
		"version outlasts-early 1", "outcome pull_request"},
	"workspace-lost":         {"sessions pir", "activity failed LongshiftNotFound", "fence 2", "outcome pull_request"},
	"access-refused":         {"activity failed LongshiftDenied", "log suspended access", "signal resume", "fence 2", "outcome pull_request"},
	"changes-requested":      {"sessions pirpir", "revision 2", "iteration 2", "outcome pull_request"},
	"max-iterations":         {"sessions pirpir", "iteration 2", "!activity OpenPullRequest", "!activity CleanUp", "outcome max_iterations"},
	"impasse":                {"sessions pirprprpr", "log suspended review", "signal resume", "version asks-at-impasse 1", "outcome pull_request"},
	"impasse-before":         {"sessions pirprprpr", "!log suspended review", "outcome pull_request"}, // recorded when nobody was asked
	"already-done":           {"sessions p", "!activity CommitWork", "outcome already_done"},
	"already-done-contested": {"sessions pirpr", "version review-decides 1", "!activity OpenPullRequest", "outcome already_done"},
	"declined":               {"sessions p", "!activity CommitWork", "outcome declined"},
	"proofs":                 {"sessions piiir", "activity RunProof", "log fix", "!version status-file 1", "!activity CheckOut", "outcome pull_request"},
	"status-file": {"sessions piiir", "activity RunProof", "log fix", "version status-file 1", "activity CheckOut",
		"activity RecordDeliverables", "outcome pull_request"},
	"blocked-kept": {"sessions piirpir", "version status-file 1", "version unsaid 1", "log blocked", "activity RecordDeliverables",
		"outcome pull_request"},
	"unchanged-recorded": {"sessions pir", "version status-file 1", "version unchanged 1", "activity RecordDeliverables", "activity OpenPullRequest",
		"outcome pull_request"},
	"unchanged-dropped": {"sessions pr", "version status-file 1", "version unchanged 1", "activity RecordDeliverables", "activity OpenPullRequest",
		"outcome pull_request"},
	"unchanged-blocked": {"sessions piir", "version unchanged 1", "!activity RecordDeliverables", "!activity OpenPullRequest",
		"outcome all_blocked"},
	// These three were recorded when a task that changed no file ended as done already.
	"unchanged-recorded-before": {"sessions pir", "!activity RecordDeliverables", "!activity OpenPullRequest", "outcome already_done"},
	"unchanged-dropped-before":  {"sessions p", "!activity RecordDeliverables", "!activity OpenPullRequest", "outcome already_done"},
	"unchanged-blocked-before":  {"sessions piir", "!activity RecordDeliverables", "!activity OpenPullRequest", "outcome already_done"},
	"proof-told":                {"sessions piii", "activity RunProof", "log fix FIX-001 is open again", "version tells-proof 1", "outcome all_blocked"},
	"proof-replaced":            {"sessions pirpi", "activity RunProof", "log finding", "version proves-anew 1", "outcome all_blocked"},
	// These two were recorded before a proof that had not run was told, and one that replaces another ran before the work.
	"proof-told-before":     {"sessions pii", "activity RunProof", "!log fix FIX-001 is open again", "outcome all_blocked"},
	"proof-replaced-before": {"sessions pirpi", "activity RunProof", "!log finding", "outcome all_blocked"},
	"blocked-kept-late": {"sessions ppiirpir", "update edit", "version status-file 1", "version unsaid 1", "log blocked", "revision 3",
		"activity RecordDeliverables", "outcome pull_request"},
	"work-saved": {"sessions piir", "version saves-first 1", "version status-file 1", "log suspended", "signal resume",
		"activity CheckOut", "outcome pull_request"},
	"work-apart": {"sessions pii", "log error the work is refused", "log fix", "log blocked", "!activity OpenPullRequest", "outcome all_blocked"},
	"sync": {"sessions pr", "activity CheckOut", "activity RunProof", "activity RecordDeliverables", "!activity CommitWork",
		"outcome pull_request"},
	"all-blocked":     {"sessions pii", "log blocked", "activity RunSetup", "!activity OpenPullRequest", "outcome all_blocked"},
	"session-failed":  {"sessions piir", "log error", "!same session twice", "!log suspended errors", "outcome pull_request"},
	"errors-in-a-row": {"sessions piiir", "log suspended errors", "signal resume", "outcome pull_request"},
	"command-changed": {"sessions piiir", "update ask", "update allow", "log suspended command", "same session twice", "outcome pull_request"},
	"command-allowed": {"sessions piir", "update ask", "update allow", "log suspended command", "same session twice", "outcome pull_request"},
	"command-denied":  {"sessions pir", "update ask", "signal deny", "!log suspended command", "outcome pull_request"},
	"command-unanswered": {"sessions piir", "update ask", "update resume", "log suspended command", "version asks-anew 1",
		"outcome pull_request"},
	"command-left-open": {"sessions pir", "update ask", "update resume", "update allow", "!log suspended command", "version asks-anew 1",
		"outcome pull_request"},
	"command-without-place": {"sessions piir", "activity AcquireAdmission", "activity ReleaseAdmission", "log suspended command",
		"update allow", "version asks-without-place 1", "outcome pull_request"},
	"command-abandoned": {"sessions pi", "update ask", "log suspended command", "update abandon", "version wait-ends 1", "!log resumed",
		"outcome abandoned"},
	"push-allowed":  {"sessions pir", "update allow", "log suspended push", "activity PushBranch", "activity OpenPullRequest", "outcome pull_request"},
	"push-denied":   {"sessions pir", "signal deny", "log suspended push", "!activity PushBranch", "!activity OpenPullRequest", "outcome rejected"},
	"loop":          {"sessions piiir", "log suspended loop", "signal resume", "!same session twice", "outcome pull_request"},
	"secret":        {"sessions piir", "log error", "!log suspended secret", "!same session twice", "outcome pull_request"},
	"no-report":     {"sessions piir", "nudge", "same session twice", "outcome pull_request"},
	"check-mended":  {"sessions piir", "log fix", "outcome pull_request"},
	"check-flaky":   {"sessions pir", "!log fix", "outcome pull_request"},
	"checks-failed": {"sessions piir", "log fix", "activity OpenPullRequest", "activity CleanUp", "outcome checks_failed"},
	"check-without-place": {"sessions pir", "activity AcquireAdmission", "activity ReleaseAdmission", "log suspended infrastructure",
		"signal resume", "version own-fault 1", "outcome pull_request"},
	"check-unfinished": {"sessions pir", "log suspended infrastructure", "signal resume", "outcome pull_request"},
	"forked":           {"activity ForkRepository", "log fork", "activity OpenPullRequest", "outcome pull_request"},
	"bad-input":        {"sessions ", "end failed LongshiftInput"},
	"repository-missing": {"sessions ", "activity failed LongshiftNotFound", "end failed LongshiftNotFound",
		"outcome failed"},
}

func TestReplay(t *testing.T) {
	for _, name := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			h := load(t, name)
			replayed, err := replay(h, workflows.Register)
			if err != nil {
				t.Fatalf("%s no longer takes the recorded way; put the change behind workflow.GetVersion: %v", typeOf(h), err)
			}
			if want, ok := resultOf(t, h); ok && last(h).EventType == completed {
				if diff := cmp.Diff(essence(want), essence(replayed)); diff != "" {
					t.Errorf("the replay comes to another result (-recorded +replayed):\n%s", diff)
				}
			}
		})
	}
}

// Each fixture is of a branch, and each branch has a fixture that shows it.
func TestReplayCoversEveryBranch(t *testing.T) {
	names := fixtures(t)
	recorded := maps.Clone(recorded)
	maps.Copy(recorded, recordedElsewhere)
	for name, wanted := range recorded {
		if !slices.Contains(names, name) {
			t.Errorf("branch %s has no history: record it from the released code with `go run ./test/record -only %s`", name, name)
			continue
		}
		have := marks(t, load(t, name))
		for _, m := range wanted {
			absent, forbidden := strings.CutPrefix(m, "!")
			if slices.Contains(have, absent) == forbidden {
				t.Errorf("%s: mark %q; the history has:\n  %s", name, m, strings.Join(have, "\n  "))
			}
		}
	}
	for _, name := range names {
		if _, ok := recorded[name]; !ok {
			t.Errorf("%s.json is of no branch in the list", name)
		}
	}
}

// A replay that nothing can fail would prove nothing.
func TestReplayNoticesAChange(t *testing.T) {
	otherStart := func(ctx workflow.Context, _ json.RawMessage) (signals.Status, error) {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
		return signals.Status{}, workflow.ExecuteActivity(ctx, "Greet").Get(ctx, nil)
	}
	late := map[string]any{
		signals.CodingTask: lateTimer(workflows.CodingTask), signals.PullRequestFlow: lateTimer(workflows.PullRequest),
		signals.Conversation: lateTimer(nothingBut(workflows.Conversation)), signals.Directory: lateTimer(nothingBut(workflows.Directory)),
		signals.Arrival: lateTimer(workflows.Arrival), signals.Watch: lateTimer(nothingBut(workflows.Watch)),
		signals.Limiter: lateTimer(nothingBut(workflows.Limiter)), signals.IssueIntake: lateTimer(workflows.IssueIntake),
		signals.Undo: lateTimer(workflows.Undo), signals.Checkup: lateTimer(workflows.Checkup),
		signals.Attachment: lateTimer(nothingBut(workflows.Attachment)), signals.AgentSession: lateTimer(workflows.AgentSession),
		signals.Accounts: lateTimer(nothingBut(workflows.Accounts)),
	}
	seen := map[string]int{}
	for _, name := range fixtures(t) {
		h := load(t, name)
		changes := map[string]any{"another first activity": otherStart, "a timer before the end": late[typeOf(h)]}
		if last(h).EventType == terminated { // there is no end that a timer could come before
			delete(changes, "a timer before the end")
		}
		for change, f := range changes {
			_, err := replay(h, func(r worker.WorkflowRegistry) {
				r.RegisterWorkflowWithOptions(f, workflow.RegisterOptions{Name: typeOf(h)})
			})
			if err == nil {
				t.Errorf("%s: %s was not noticed", name, change)
			}
			seen[typeOf(h)]++
		}
	}
	for name := range late {
		if seen[name] == 0 {
			t.Errorf("no history of %s was changed", name)
		}
	}
}

// lateTimer is a workflow that waits a second before it ends.
func lateTimer[I, O any](f func(workflow.Context, I) (O, error)) func(workflow.Context, I) (O, error) {
	return func(ctx workflow.Context, in I) (O, error) {
		out, err := f(ctx, in)
		rest, done := workflow.NewDisconnectedContext(ctx)
		defer done()
		if e := workflow.Sleep(rest, time.Second); e != nil {
			return out, e
		}
		return out, err
	}
}

// nothingBut gives a workflow without a result the form of the others.
func nothingBut[I any](f func(workflow.Context, I) error) func(workflow.Context, I) (any, error) {
	return func(ctx workflow.Context, in I) (any, error) { return nil, f(ctx, in) }
}

// The history of a task stays small, whatever is added to it, and so do the fixtures. A fixture is about a seventh smaller
// than the history it comes from: ids and checksums of the recording are left out.
func TestReplaySizes(t *testing.T) {
	const events, bytes, file = 200, 200 << 10, 100 << 10
	for _, name := range fixtures(t) {
		h := load(t, name)
		t.Logf("%-27s %3d events, %5.1f KB", name, len(h.Events), float64(h.Size())/1000)
		if info, err := os.Stat(filepath.Join(replays, name+".json")); err != nil || info.Size() > file {
			t.Errorf("%s.json: more than %d bytes (%v)", name, file, err)
		}
	}
	for _, name := range []string{"approved", "task-in-chat"} { // plans of three deliverables, with setup and checks
		h := load(t, name)
		if n := h.Size(); len(h.Events) > events || n > bytes {
			t.Errorf("%s: a task with three deliverables has %d events and %d bytes; %d and %d are allowed", name, len(h.Events), n, events, bytes)
		}
	}
}
