package workflows

import (
	"fmt"
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// journal writes down what happens to the task: its log, what the next sessions are told of the past, its search attributes and page in
// Temporal Web, and the notices to its Conversation.
type journal struct {
	facts
	logged     int          // log lines so far
	progress   []task.Entry // what the next session is told of the past
	attributes attributes   // what the search attributes say now
	notices    notices      // to people in chats
}

// restore takes over the log of the run before this one, and what sessions are told of it.
func (j *journal) restore(log []signals.LogLine, progress []task.Entry) {
	if n := len(log); n > 0 {
		j.logged = log[n-1].N
	}
	j.progress = progress
}

// say adds a line to the task's log. The log keeps the newest lines.
func (j *journal) say(ctx workflow.Context, kind, format string, args ...any) {
	const kept = 60
	j.logged++
	j.status.Log = append(j.status.Log, signals.LogLine{N: j.logged,
		Entry: task.Entry{Time: workflow.Now(ctx), Kind: kind, Text: excerpt.Clip(fmt.Sprintf(format, args...), 2000)}})
	if n := len(j.status.Log); n > kept {
		j.status.Log = j.status.Log[n-kept:]
	}
	j.refresh(ctx)
}

// What is kept of a text, in bytes.
const (
	rememberedBytes = 1200
	foundBytes      = 1200
	keptBytes       = 4000
)

// has tells whether an entry has the text, of which the entries keep this many bytes. A session that mends what another left often reports
// the same.
func has(entries []task.Entry, text string, most int) bool {
	text = excerpt.Clip(text, most)
	return slices.ContainsFunc(entries, func(e task.Entry) bool { return e.Text == text })
}

// remember adds to what the next sessions are told of the past.
func (j *journal) remember(ctx workflow.Context, kind, text string) {
	const kept = 40 // and at most 24 KiB, which is what a prompt takes of it
	j.progress = append(j.progress, task.Entry{Time: workflow.Now(ctx), Kind: kind, Text: excerpt.Clip(text, rememberedBytes)})
	size := 0
	for i := len(j.progress) - 1; i >= 0; i-- {
		if size += len(j.progress[i].Text); size > 24<<10 || len(j.progress)-i > kept {
			j.progress = slices.Clone(j.progress[i+1:])
			break
		}
	}
}

// keep keeps what a session has reported, in a list of the status for people and for the next sessions.
func (j *journal) keep(ctx workflow.Context, list *[]task.Entry, kind task.MarkerKind, text string) {
	const kept = 10
	j.remember(ctx, string(kind), text)
	all := append(*list, task.Entry{Time: workflow.Now(ctx), Kind: string(kind), Text: excerpt.Clip(text, keptBytes)})
	*list = all[max(0, len(all)-kept):]
}

// found keeps what a session wants people to look at before the merge. The first ones stay: nobody can push them out of sight.
func (j *journal) found(ctx workflow.Context, text string) {
	const kept = 40
	j.remember(ctx, string(task.Found), text)
	switch all := &j.status.Findings; {
	case len(*all) == kept:
		text = "more was found; the files of the sessions have it"
		fallthrough
	case len(*all) < kept:
		*all = append(*all, task.Entry{Time: workflow.Now(ctx), Kind: string(task.Found), Text: excerpt.Clip(text, foundBytes)})
	}
}

// notice logs notes on the workspace for people and the next sessions, each once: the next commit brings them again.
func (j *journal) notice(ctx workflow.Context, notes []string) {
	for _, n := range notes {
		if !has(j.progress, n, rememberedBytes) {
			j.say(ctx, "note", "%s", n)
			j.remember(ctx, string(task.Note), n)
		}
	}
}

// show notifies everybody who follows the task in a chat of the newest line of its log.
func (j *journal) show(ctx workflow.Context, n signals.Notice) { j.notices.show(ctx, n) }
