package workflows_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/workflows"
)

// An attachment is open as long as a task may need it, and not for ever.
func TestAttachment(t *testing.T) {
	const day = 24 * time.Hour
	begin, end, other := signals.AttachmentUse{Task: "a", Run: "r1"}, signals.AttachmentUse{Task: "a", Run: "r1", Ended: true},
		signals.AttachmentUse{Task: "b", Run: "r2"}
	for name, c := range map[string]struct {
		uses map[time.Duration]signals.AttachmentUse // by when they come
		want time.Duration
	}{
		"for nothing":        {nil, day},
		"brought again":      {map[time.Duration]signals.AttachmentUse{5 * time.Hour: {}}, day + 5*time.Hour},
		"a short task":       {map[time.Duration]signals.AttachmentUse{time.Minute: begin, time.Hour: end}, day},
		"a long task":        {map[time.Duration]signals.AttachmentUse{time.Minute: begin, 30 * day: end}, 30 * day},
		"a terminated task":  {map[time.Duration]signals.AttachmentUse{time.Hour: begin}, 90*day + time.Hour},
		"two tasks":          {map[time.Duration]signals.AttachmentUse{time.Minute: begin, 20 * day: other, 30 * day: end}, 110 * day},
		"an end, and a task": {map[time.Duration]signals.AttachmentUse{time.Minute: begin, 2 * time.Minute: end, 3 * time.Minute: {}}, day + 3*time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			env := workflows.NewEnv()
			env.RegisterWorkflow(workflows.Attachment)
			for at, use := range c.uses {
				env.RegisterDelayedCallback(func() { env.SignalWorkflow(signals.UseAttachment, use) }, at)
			}
			begun := env.Now()
			env.ExecuteWorkflow(workflows.Attachment, []byte("picture"))
			if err := env.GetWorkflowError(); err != nil {
				t.Fatal(err)
			}
			if took := env.Now().Sub(begun).Round(time.Second); took != c.want {
				t.Errorf("it was open for %s, want %s", took, c.want)
			}
		})
	}
}

// TestImagesOfATask has each session told of the images, and each image's attachment told when the task begins and ends. A follower of the
// pull request is given none, and an attachment that is gone disturbs nobody.
func TestImagesOfATask(t *testing.T) {
	for name, answer := range map[string]error{"kept": nil, "gone": errors.New("no such workflow")} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.settings.Approval.Mode = task.ApprovalNone
			w.follow = true
			followers := 0
			w.env.RegisterWorkflowWithOptions(func(_ workflow.Context, in signals.PullRequestInput) (signals.Status, error) {
				if followers++; len(in.Input.Images) > 0 {
					t.Errorf("the follower is given %v", in.Input.Images)
				}
				return signals.Status{}, nil
			}, workflow.RegisterOptions{Name: signals.PullRequestFlow})
			var telling sync.Mutex
			var told []string
			w.env.OnSignalExternalWorkflow(mock.Anything, mock.Anything, mock.Anything, signals.UseAttachment, mock.Anything).Return(
				func(_, id, _, _ string, arg any) error {
					u := arg.(signals.AttachmentUse)
					if u.Task == "" || u.Run == "" {
						t.Errorf("attachment %s is told %+v", id, u)
					}
					telling.Lock() // signals are sent beside each other
					defer telling.Unlock()
					told = append(told, fmt.Sprintf("%s %t", id[len(id)-2:], u.Ended))
					return answer
				})
			one, two := strings.Repeat("1", 64), strings.Repeat("2", 64)
			end := w.startWith(t, `{"repository":"acme/calc","task":"as in the drawing","images":[`+
				`{"name":"shot.png","type":"image/png","bytes":7,"sha256":"`+one+`"},{"name":"b.gif","type":"image/gif","bytes":9,"sha256":"`+two+`"}]}`)
			if end.Outcome != task.PullRequest || followers != 1 || task.ImageList(end.Images) != "shot.png (7 bytes), b.gif (9 bytes)" {
				t.Errorf("outcome %s, %d followers, images %v", end.Outcome, followers, end.Images)
			}
			slices.Sort(told)
			if got := strings.Join(told, ", "); got != "11 false, 11 true, 22 false, 22 true" {
				t.Errorf("the attachments are told %s", got)
			}
			for _, in := range w.asked {
				if len(in.Prompt.Images) != 2 || in.Prompt.Images[1].Name != "b.gif" {
					t.Errorf("session %d of the %s is given %v", in.N, in.Role, in.Prompt.Images)
				}
			}
			if len(w.requests) != 1 || len(w.requests[0].Summary.Images) != 2 {
				t.Errorf("the pull request is asked for with %+v", w.requests)
			}
		})
	}
}
