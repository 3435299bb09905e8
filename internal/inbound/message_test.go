package inbound

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func TestThread(t *testing.T) {
	t.Parallel()
	m := signals.Message{ID: "ev-1", By: "Ada"}
	tell := func(text string) any { return signals.TellRequest{Message: m, Text: text} }
	for name, tt := range map[string]struct {
		text  string
		phase task.Phase
		want  any
		text2 string // of the answer
	}{
		"words on a plan":    {"one commit only", task.Approving, signals.EditRequest{Message: m, Revision: 2, Text: "one commit only"}, "Plan revision"},
		"words later":        {"one commit only", task.Executing, tell("one commit only"), "Plan revision"},
		"words when stopped": {"the key is renewed", task.Suspended, tell("the key is renewed"), "Plan revision"},
		"words afterwards":   {"rename it", task.Following, tell("rename it"), "Plan revision"},
		"approve":            {"Approve", task.Approving, signals.ApproveRequest{Message: m, Revision: 2}, "Plan revision"},
		"with a stop":        {"approve.", task.Approving, signals.ApproveRequest{Message: m, Revision: 2}, "Plan revision"},
		"with a slash":       {"/approve", task.Approving, signals.ApproveRequest{Message: m, Revision: 2}, "Plan revision"},
		"of a bot":           {"/approve@longshift_bot", task.Approving, signals.ApproveRequest{Message: m, Revision: 2}, "Plan revision"},
		"copied":             {"`approve`", task.Approving, signals.ApproveRequest{Message: m, Revision: 2}, "Plan revision"},
		"comment": {"approve, but keep the old name", task.Approving,
			signals.ApproveRequest{Message: m, Revision: 2, Comment: "but keep the old name"}, "Plan revision"},
		"revision": {"approve --revision 1", task.Approving, signals.ApproveRequest{Message: m, Revision: 1}, "Plan revision"},
		"edit":     {"EDIT one commit only", task.Approving, signals.EditRequest{Message: m, Revision: 2, Text: "one commit only"}, "Plan revision"},
		"reject":   {"reject: we drop this", task.Approving, signals.RejectRequest{Message: m, Revision: 2, Reason: "we drop this"}, "Plan revision"},
		"resume": {"resume --add-cost $2 --add-time 30m --note \"it is back\"", task.Suspended,
			signals.ResumeRequest{Message: m, AddCost: 2, AddTime: "30m", Note: "it is back"}, "Plan revision"},
		"dash of a phone": {"resume —add-cost 2 —note “it is back”", task.Suspended,
			signals.ResumeRequest{Message: m, AddCost: 2, Note: "it is back"}, "Plan revision"},
		"abandon":             {"abandon --reason done", task.Suspended, signals.AbandonRequest{Message: m, Reason: "done"}, "Plan revision"},
		"allow for the task":  {"allow 4f2a91c0 --for-task", task.Executing, signals.AllowRequest{Message: m, Question: "4f2a91c0", ForTask: true}, "Plan revision"},
		"allow":               {"allow 4f2a91c0", task.Executing, signals.AllowRequest{Message: m, Question: "4f2a91c0"}, "Plan revision"},
		"deny":                {"deny --reason \"not here\"", task.Executing, signals.DenyRequest{Message: m, Reason: "not here"}, "Plan revision"},
		"named":               {"approve --task 1a2b3c4d", task.Approving, signals.ApproveRequest{Message: m, Revision: 2}, "Plan revision"},
		"verb in a sentence":  {"list all files first", task.Executing, tell("list all files first"), "Plan revision"},
		"help in a sentence":  {"help me to see why", task.Executing, tell("help me to see why"), "Plan revision"},
		"start in a sentence": {"start with the tests", task.Executing, tell("start with the tests"), "Plan revision"},
		"logs in a sentence":  {"logs are missing there", task.Executing, tell("logs are missing there"), "Plan revision"},
		"verb with a dot":     {"cancel.gif is missing", task.Executing, tell("cancel.gif is missing"), "Plan revision"},
		"no verb":             {"approved", task.Executing, tell("approved"), "Plan revision"},
		"must not end it":     {"reject empty names too", task.Approving, nil, "Did you mean the command? Write `reject` alone"},
		"must not cancel":     {"cancel button should be blue", task.Executing, nil, "Did you mean the command?"},
		"must not approve":    {"approve only when it is green", task.Approving, nil, "Did you mean the command?"},
		"must not spend":      {"run the linter first", task.Executing, nil, "This thread belongs to task `" + taskID + "`"},
		"must not allow":      {"allow longer names", task.Executing, nil, "Allow takes the id of one command"},
		"edit without text":   {"edit", task.Approving, nil, "The text is missing: say what is to change."},
		"bad option":          {"approve --comments x", task.Approving, nil, "--comments: unknown option of approve."},
		"too long":            {strings.Repeat("x", 10_000), task.Executing, nil, "The text has 10000 bytes. Write at most 8000."},
		"long edit": {strings.Repeat("x", 10_000), task.Approving,
			signals.EditRequest{Message: m, Revision: 2, Text: strings.Repeat("x", 10_000)}, "Plan revision"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			f := w.task(tt.phase)
			a := w.handle(replies(boss, tt.text))
			var want []any
			if tt.want != nil {
				want = []any{tt.want}
			}
			if diff := cmp.Diff(want, f.got); diff != "" || !strings.HasPrefix(a.Text, tt.text2) {
				t.Errorf("answer %q\n%s", a.Text, diff)
			}
			if len(w.server.starts)+len(w.server.cancels) != 0 {
				t.Errorf("started %v, cancelled %v", w.server.starts, w.server.cancels)
			}
			if last := w.last(); last.Done != (tt.want != nil) || last.Delivery != "ev-1" || last.Task != taskID {
				t.Errorf("recorded %+v", last)
			}
			w.handle(replies(boss, tt.text))
			if len(f.got) != len(want) {
				t.Errorf("delivered again it counts again: %v", f.got)
			}
		})
	}
}

func TestThreadShowsAndCancels(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.task(task.Approving)
	if a := w.handle(replies(starter, "status")); !strings.HasPrefix(a.Text, "**Approving**") {
		t.Errorf("status gives %q", a.Text)
	}
	if a := w.handle(replies(starter, "Logs?")); !strings.HasPrefix(a.Text, "Nothing has happened yet") {
		t.Errorf("logs gives %q", a.Text)
	}
	if a := w.handle(replies(starter, "list")); !strings.HasPrefix(a.Text, "- `"+taskID+"`") {
		t.Errorf("list gives %q", a.Text)
	}
	if len(w.acts) != 0 {
		t.Errorf("reading was recorded: %v", w.acts)
	}
	a := w.handle(replies(boss, "cancel --reason \"wrong branch\""))
	if len(w.server.cancels) != 1 || w.server.cancels[0].WorkflowID != taskID || w.server.cancels[0].Reason != "cancelled by Ada: wrong branch" || !w.last().Done {
		t.Errorf("%q, %v, %+v", a.Text, w.server.cancels, w.last())
	}
}

// TestSuccessor: commands for a task that has opened its pull request go to the workflow that follows the pull request.
func TestSuccessor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.task(task.Ended)
	f.workflow.closed, f.successor = completed, signals.PullRequestID("", "Acme", "web", 12)
	f.workflow.attrs[signals.AttrOutcome] = string(task.PullRequest)
	var got []any
	w.server.add(f.successor, &fakeWorkflow{kind: signals.PullRequestFlow,
		query: func(string, []any) (any, error) {
			return signals.Status{WorkflowID: f.successor, Phase: task.Following}, nil
		},
		update: func(_ string, args []any) (any, error) {
			got = append(got, args[0])
			return signals.Ack{Text: "noted"}, nil
		}})
	w.handle(replies(boss, "rename it"))
	ev := says(boss, "tell "+taskID+" rename that")
	ev.ID = "ev-2"
	w.handle(ev)
	f.workflow.attrs[signals.AttrOutcome] = string(task.ChecksFailed) // its pull request is a draft
	ev.ID = "ev-3"
	w.handle(ev)
	if len(got) != 3 || w.last().Task != f.successor {
		t.Errorf("it got %v", got)
	}
	if a := w.handle(says(boss, "status "+taskID)); !strings.HasPrefix(a.Text, "**Following**") {
		t.Errorf("status gives %q", a.Text)
	}
	f.workflow.attrs[signals.AttrOutcome] = string(task.Rejected)
	if a := w.handle(says(boss, "approve "+taskID)); !strings.Contains(a.Text, "has ended: rejected") {
		t.Errorf("answer %q", a.Text)
	}
}

func TestOutside(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text  string
		verb  string // of the update that was sent, "" for none
		reply string
	}{
		"whole id":          {"approve " + taskID, signals.Approve, "Plan"},
		"its end":           {"approve 1a2b3c4d", signals.Approve, "Plan"},
		"its beginning":     {"approve acme-web-fix", signals.Approve, "Plan"},
		"with a reason":     {"reject 1a2b3c4d we drop this", signals.Reject, "Plan"},
		"only one here":     {"approve", signals.Approve, "Plan"},
		"text without task": {"edit one commit only", signals.Edit, "Plan"},
		"text with task":    {"edit 1a2b3c4d \"one commit only\"", signals.Edit, "Plan"},
		"question":          {"allow 4f2a91c0", signals.Allow, "Plan"},
		"task and question": {"allow 1a2b3c4d 4f2a91c0", signals.Allow, "Plan"},
		"unknown":           {"approve 99999999", "", "No task \"99999999\"."},
		"too short":         {"approve 4d", "", "No task \"4d\"."},
		"a sentence":        {"cancel button is broken", "", "No task \"button\"."},
		"other workflow":    {"approve " + signals.ConversationID(taskRun), "", "No task \"longshift-talk-"},
		"quotes":            {"approve x'OR'1'='1", "", "No task \"x'OR'1'='1\"."},
		"no command":        {"please do something", "", "I take commands: `run`"},
		"start":             {"start with the tests", "", "Codes are taken in a private chat"},
		"help":              {"help", "", "`run TEXT` or"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			f := w.task(task.Approving)
			a := w.handle(says(boss, tt.text))
			sent := ""
			if len(w.server.updates) == 1 {
				sent = w.server.updates[0].UpdateName
			}
			if sent != tt.verb || !strings.HasPrefix(a.Text, tt.reply) || len(f.got) > 1 {
				t.Errorf("sent %q, answer %q", sent, a.Text)
			}
			for _, q := range w.server.queries {
				if strings.Contains(q, "1'='1") {
					t.Errorf("a query holds a user's text: %s", q)
				}
			}
		})
	}
}

func TestWhichTask(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.task(task.Approving)
	const other = "acme-web-add-flag-9f8e7d6c"
	w.server.add(other, &fakeWorkflow{kind: signals.CodingTask, query: planned,
		update: func(string, []any) (any, error) { return signals.Ack{Text: "other"}, nil }})
	w.server.add(signals.ConversationID("other"), &fakeWorkflow{kind: signals.Conversation,
		attrs: map[string]any{signals.AttrThread: []string{"slack:C1:5", "slack:C10:6"}},
		query: func(string, []any) (any, error) { return signals.TaskAnswer{Workflow: other}, nil }})
	if a := w.handle(says(boss, "approve")); !strings.Contains(a.Text, "2 run in this room") {
		t.Errorf("two run: %q", a.Text)
	}
	if a := w.handle(says(boss, "approve acme-web")); !strings.Contains(a.Text, "is not clear: it could be "+taskID+", "+other) {
		t.Errorf("two have the name: %q", a.Text)
	}
	w.server.list[other].attrs = map[string]any{signals.AttrNeedsHuman: true}
	if a := w.handle(anew(says(boss, "approve"))); a.Text != "Other." {
		t.Errorf("one waits: %q", a.Text)
	}
	ev := says(boss, "approve")
	ev.Room.ID = "C10"
	if a := w.handle(ev); a.Text != "Other." {
		t.Errorf("one in the room: %q", a.Text)
	}
	ev.Room.ID = "C"
	if a := w.handle(ev); !strings.Contains(a.Text, "none is shown in this room") {
		t.Errorf("none in the room: %q", a.Text)
	}
	if a := w.handle(says(boss, "status")); !strings.HasPrefix(a.Text, "**Approving**") {
		t.Errorf("status of the one that waits: %q", a.Text)
	}
	ev.Text = "status"
	if a := w.handle(ev); !strings.Contains(a.Text, taskID) || !strings.Contains(a.Text, other) {
		t.Errorf("status where none is shown: %q", a.Text)
	}
}

// TestFilesAreNotTaken: whoever sends a picture with words learns that only the words count. Talk that gets no answer gets none about it.
func TestFilesAreNotTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.task(task.Executing)
	ev := replies(approver, "make it look like this")
	ev.Files = true
	if a := w.handle(ev); len(f.got) != 1 || !strings.HasSuffix(a.Text, "was not taken. Pictures are given to a task on the command line: `longshift run --image FILE`.") {
		t.Errorf("answered %q, sent %v", a.Text, f.got)
	}
	ev.ID, ev.Room.Thread, ev.ReplyTo = "ev-2", "1.1", "1.1"
	if a := w.handle(ev); a.Text != "" {
		t.Errorf("talk in another thread is answered %q", a.Text)
	}
}

// TestWhichOfManyTasks: a search that has not seen all tasks of a room chooses none of them, also when only one that it has seen waits.
func TestWhichOfManyTasks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		more   int
		kind   string
		thread string
		answer string
	}{
		"as many as are asked":     {mostInRoom - 2, signals.Conversation, "slack:C1:5", "Plan revision 2 approved."},
		"more in the room":         {mostInRoom - 1, signals.Conversation, "slack:C1:5", "more than 50 run in this room"},
		"more in all rooms":        {mostRows, signals.Conversation, "slack:C2:5", "1000 or more are shown in all rooms"},
		"more wait for somebody":   {mostRows, signals.CodingTask, "", "1000 or more wait for a person"},
		"fewer wait for somebody":  {mostRows - 2, signals.CodingTask, "", "Plan revision 2 approved."},
		"fewer are in other rooms": {mostRows - 3, signals.Conversation, "slack:C2:5", "Plan revision 2 approved."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			f := w.task(task.Approving)
			f.workflow.attrs[signals.AttrNeedsHuman] = true
			w.server.add(signals.ConversationID("quiet"), &fakeWorkflow{kind: signals.Conversation,
				attrs: map[string]any{signals.AttrThread: []string{"slack:C1:9"}},
				query: func(string, []any) (any, error) { return signals.TaskAnswer{Workflow: "acme-web-quiet"}, nil }})
			for i := range c.more {
				attrs := map[string]any{signals.AttrNeedsHuman: true}
				if c.thread != "" {
					attrs = map[string]any{signals.AttrThread: []string{c.thread}}
				}
				w.server.add(fmt.Sprint("more-", i), &fakeWorkflow{kind: c.kind, attrs: attrs,
					query: func(string, []any) (any, error) { return signals.TaskAnswer{Workflow: "acme-web-more"}, nil }})
			}
			if a := w.handle(says(boss, "approve")); !strings.Contains(a.Text, c.answer) || strings.Contains(c.answer, "more") != (len(f.got) == 0) {
				t.Errorf("answered %q, sent %v", a.Text, f.got)
			}
		})
	}
}

func TestWhoIsAnswered(t *testing.T) {
	t.Parallel()
	private := func(ev channel.Event) channel.Event {
		ev.Room.ID, ev.Room.Thread, ev.ReplyTo = "D77", "", ""
		return ev
	}
	in := func(ev channel.Event, room string) channel.Event { ev.Room.ID = room; return ev }
	quietly := func(ev channel.Event) channel.Event { ev.Direct = false; return ev }
	elsewhere := func(ev channel.Event) channel.Event { ev.ReplyTo, ev.Room.Thread = "1.1", "1.1"; return ev }
	for name, tt := range map[string]struct {
		ev     channel.Event
		reply  string // beginning of the answer
		reason string // of the only line in the record, "" for none
	}{
		"not to us":            {quietly(says(boss, "approve")), "", ""},
		"another thread":       {elsewhere(replies(boss, "approve")), "", ""},
		"stranger to us":       {says(nobody, "run fix it"), "Sorry, you are not on the list", "not on the list"},
		"stranger in a thread": {replies(nobody, "approve"), "", ""},
		"strangers who talk":   {replies(nobody, "looks good"), "", ""},
		"stranger elsewhere":   {elsewhere(replies(nobody, "approve")), "", ""},
		"stranger in private": {private(says(nobody, "hello")),
			"Sorry, you are not on the list of people who may use this. Your user id is `U9NOBODY`; please give it to the operator. If you have a code",
			"not on the list"},
		"no user":           {says("", "list"), "Sorry, you are not on the list", "not on the list"},
		"room not served":   {in(says(boss, "list"), "C2"), "", "the room is not served"},
		"talk there":        {quietly(in(replies(boss, "approve"), "C2")), "", ""},
		"private is served": {private(says(boss, "list")), "- `", ""},
		"bound":             {says(bound, "list"), "- `", ""},
		"bound on another": {channel.Event{ID: "t", Kind: channel.Said, User: channel.User{ID: bound},
			Room: task.Room{Channel: channel.Telegram, ID: bound}, Direct: true, Text: "list"}, "Sorry, you are not", "not on the list"},
		"words without the right": {replies(starter, "use tabs"), "Sorry, you may not use `tell`", "no right to tell"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(c *Config) { c.Rooms = map[string][]string{channel.Slack: {room}} })
			f := w.task(task.Approving)
			w.directory(bound)
			a := w.handle(tt.ev)
			if !strings.HasPrefix(a.Text, tt.reply) || tt.reply == "" && a.Text != "" || len(f.got) != 0 {
				t.Errorf("answer %q, sent %v", a.Text, f.got)
			}
			if tt.reason == "" && len(w.acts) != 0 || tt.reason != "" && (len(w.acts) != 1 || w.acts[0].Reason != tt.reason || w.acts[0].Done) {
				t.Errorf("recorded %+v", w.acts)
			}
			if strings.HasPrefix(tt.reply, "Sorry, you are not") {
				tt.ev.ID = "again"
				if a := w.handle(tt.ev); a.Text != "" || len(w.acts) != 1 {
					t.Errorf("told twice: %q, recorded %v", a.Text, w.acts)
				}
				w.pass(25 * time.Hour)
				if a := w.handle(tt.ev); !strings.HasPrefix(a.Text, tt.reply) {
					t.Errorf("the next day: %q", a.Text)
				}
			}
		})
	}
}

func TestBoundPeopleHaveAllRights(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.task(task.Approving)
	d := w.directory(bound)
	w.handle(says(bound, "run fix it"))
	w.handle(press(bound, f.button(signals.Allow)))
	w.handle(press(bound, f.button(signals.Approve)))
	if len(w.server.starts) != 1 || len(f.got) != 2 {
		t.Errorf("started %v, sent %v", w.server.starts, f.got)
	}
	asked := 0
	for _, q := range w.server.asked {
		if q.WorkflowID == signals.DirectoryID {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("the directory was asked %d times in a second", asked)
	}
	d.closed = completed // ended by the operator: its bindings do not count any more
	w.pass(bindingsAge)
	if a := w.handle(says(bound, "list")); !strings.HasPrefix(a.Text, "Sorry, you are not on the list") {
		t.Errorf("answer %q", a.Text)
	}
	w.server.down = errDown
	w.pass(bindingsAge)
	if a := w.handle(says(bound, "list")); a.Text != whoAreYou {
		t.Errorf("without a server: %q", a.Text)
	}
}

func TestDroppedEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.task(task.Approving)
	for _, id := range []string{"", "a b", "x'y", strings.Repeat("x", 201)} {
		ev := replies(boss, "approve")
		ev.ID = id
		if a := w.handle(ev); a.Text != "" || len(f.got) != 0 {
			t.Errorf("%q: %q, %v", id, a.Text, f.got)
		}
	}
	ev := replies(boss, "approve")
	ev.Kind = "shouted"
	if _, err := w.handler.Handle(t.Context(), ev); fault.KindOf(err) != fault.Internal {
		t.Errorf("unknown kind: %v", err)
	}
}

func TestPrivate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		channel, room, user string
		want                bool
	}{
		{channel.Slack, "D024BE91L", boss, true}, {channel.Slack, "C1", boss, false}, {channel.Slack, "G1", boss, false}, {channel.Slack, "D", boss, false},
		{channel.Telegram, "77", "77", true}, {channel.Telegram, "-10077", "77", false}, {channel.WhatsApp, "491511", "491511", true},
		{channel.WhatsApp, "", "", false}, {channel.Terminal, "tty", "ada", true},
	} {
		ev := channel.Event{User: channel.User{ID: tt.user}, Room: task.Room{Channel: tt.channel, ID: tt.room}}
		if got := private(ev); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

// TestAtTheSameTime lets many people press and talk at once; a button still counts once.
func TestAtTheSameTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.task(task.Approving)
	w.codes("ABCD-EFGH")
	token := f.button(signals.Approve)
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			events := []channel.Event{press(boss, token), press(approver, token), says(nobody, "list"), says(boss, "run fix it"), chat("77", "start WRON-GGGG")}
			ev := events[i%len(events)]
			if _, err := w.handler.Handle(t.Context(), ev); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(f.got) != 1 {
		t.Errorf("the button counted %d times", len(f.got))
	}
}
