package activities

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

const (
	mostDiff   = 1 << 20  // bytes of a diff that is shown in a chat
	diffMargin = 64 << 10 // bytes that are read beyond, so that no secret is cut in two before it is found
)

// The messages of a room wait for each other. So the room is told why it gets no diff when that takes more tries or a longer wait.
const (
	diffTries  = 4
	diffPeriod = 40 * time.Second // for one try; the activity has a minute
	diffWait   = time.Minute
)

// showDiff writes what the pull request of an ended task changes below the message about its end, on channels that have files. The forge
// has the diff: the workspace is on a host, and history holds none.
func (ms *Messages) showDiff(ctx context.Context, place task.MessageRef, in ShowInput, s signals.Status) error {
	to, ok := ms.channels[in.Room.Channel].(channel.Attacher)
	if !ok || in.Notice.Subject != signals.SubjectEnd || s.PullRequest == nil || s.Outcome == task.PullMerged || s.Outcome == task.PullClosed {
		return nil
	}
	room := place.Room
	if room.Thread == "" {
		room.Thread = place.Message
	}
	attempt := activity.GetInfo(ctx).Attempt
	try, cancel := context.WithTimeout(ctx, diffPeriod)
	defer cancel()
	patch, err := ms.diff(try, s)
	if err == nil && patch != "" {
		err = to.Attach(try, room, channel.File{Key: in.Key + ".diff", Name: fmt.Sprintf("pull-request-%d.diff", s.PullRequest.Number),
			Note: fmt.Sprintf("What pull request #%d changes", s.PullRequest.Number), Text: patch}, attempt > 1)
	}
	if err == nil || ctx.Err() != nil || attempt < diffTries && soon(err) {
		return err
	}
	text := "The diff is not here as a file: " + task.Literally(ms.redact.String(err.Error())) + "."
	if hint := fault.HintOf(err); hint != "" {
		text += " " + task.Literally(ms.redact.String(upper(hint))) + "."
	}
	_, err = ms.channels[in.Room.Channel].Post(ctx, room, channel.Message{Key: in.Key + ".nodiff", Text: text}, attempt > 1)
	return err
}

// soon tells whether another try may help, without a long wait.
func soon(err error) bool {
	var later *fault.Later
	return fault.KindOf(err).Retryable() && (!errors.As(err, &later) || later.After <= diffWait)
}

// diff returns the diff of a task's pull request, without secrets and cut to what may be shown.
func (ms *Messages) diff(ctx context.Context, s signals.Status) (string, error) {
	r, err := task.ParseRepository(s.Repository)
	if err != nil {
		return "", err
	}
	f, err := ms.forge(ctx, r)
	if err != nil {
		return "", err
	}
	differ, ok := f.(forge.Differ)
	if !ok {
		return "", nil
	}
	raw, err := differ.Diff(ctx, r, s.PullRequest.Number, mostDiff+diffMargin)
	if err != nil {
		return "", fmt.Errorf("read the diff of pull request #%d: %w", s.PullRequest.Number, err)
	}
	text, most := ms.redact.String(raw), mostDiff
	if len(raw) == mostDiff+diffMargin { // more may follow, so the end may hold the beginning of a secret
		most = min(most, len(text)-diffMargin)
	}
	if len(text) <= most {
		return text, nil
	}
	text = text[:max(most, 0)]
	return text[:strings.LastIndexByte(text, '\n')+1] +
		fmt.Sprintf("[cut: the diff has more than %d MB; the pull request has all of it]\n", mostDiff>>20), nil
}
