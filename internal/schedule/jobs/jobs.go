// Package jobs manages people's cron jobs as schedules on the Temporal server, for the command line and for chats. It stores nothing
// elsewhere, does not decide who may have a job, and never starts a task itself: the server does.
package jobs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Most is the maximum number of cron jobs of one user.
const Most = 20

// answerWithin limits one call to the server.
const answerWithin = 10 * time.Second

// Client is the part of Temporal's client that a Book uses.
type Client interface {
	ScheduleClient() client.ScheduleClient
	DescribeWorkflowExecution(ctx context.Context, workflowID, runID string) (*workflowservice.DescribeWorkflowExecutionResponse, error)
}

// Book manages cron jobs. It is safe for concurrent use.
type Book struct{ Client Client }

// Request asks for a new cron job.
type Request struct {
	User       string     // owner: "cli:ann", "slack:U0123"; the display name is in Input.RequestedBy
	Expression string     // five fields
	TimeZone   string     // such as Europe/Rome; empty is UTC
	Input      task.Input // validated input of every task that it starts
	Delivery   string     // idempotency key of the request; "" for none
}

// Job is a cron job as the server describes it. Unknown times are zero.
type Job struct {
	ID         string      `json:"id"`
	User       string      `json:"user"`
	Name       string      `json:"name,omitempty"` // display name of the user
	Expression string      `json:"expression"`     // as it was written
	TimeZone   string      `json:"timezone"`
	Message    string      `json:"message"` // the task's text, or its beginning
	Repository string      `json:"repository"`
	Created    time.Time   `json:"created,omitzero"`
	Paused     bool        `json:"paused,omitempty"`
	Next       []time.Time `json:"next"`           // computed by the server, in the job's zone
	Skipped    int         `json:"skipped"`        // runs skipped because the previous one was not over
	Missed     int         `json:"missed"`         // runs missed because the server was down too long
	Last       *Run        `json:"last,omitempty"` // newest run
	Note       string      `json:"note,omitempty"` // note that somebody has set in Temporal Web
}

// Run is a task that a cron job has started.
type Run struct {
	Task    string       `json:"task"` // workflow id
	At      time.Time    `json:"at"`
	Running bool         `json:"running,omitempty"`
	Outcome task.Outcome `json:"outcome,omitempty"` // of a run that has ended; empty when the server has dropped it
}

// prefix begins the ids of all cron jobs. Other schedules are never read, and those without our memo are never changed.
const prefix = "cron-"

var notASlot = errors.New("no place of a cron job")

// slot returns the schedule id of a user's n-th job, from 1 to Most. Because ids are unique, the server itself enforces the limit,
// however many requests arrive at once. Two users never share an id.
func slot(user string, n int) string {
	sum := sha256.Sum256([]byte(user))
	_, id, _ := strings.Cut(user, ":")
	parts := []string{hex.EncodeToString(sum[:4]), fmt.Sprintf("%02d", n)}
	if name := task.Slug(id, 24); name != "" {
		parts = slices.Insert(parts, 0, name)
	}
	return prefix + strings.Join(parts, "-")
}

var idForm = regexp.MustCompile(`^cron-[a-z0-9-]{1,60}$`)

// ownSlot resolves what a user has typed: a full id or a number.
func ownSlot(user, given string) (string, error) {
	if n, err := strconv.Atoi(given); err == nil && n >= 1 && n <= Most && len(given) <= 2 {
		return slot(user, n), nil
	}
	for n := 1; n <= Most; n++ {
		if slot(user, n) == given {
			return given, nil
		}
	}
	return "", notASlot
}

// explain turns a server error into a fault that wraps it.
func explain(err error) error {
	var (
		unavailable *serviceerror.Unavailable
		deadline    *serviceerror.DeadlineExceeded
		exhausted   *serviceerror.ResourceExhausted
		invalid     *serviceerror.InvalidArgument
		denied      *serviceerror.PermissionDenied
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &unavailable), errors.As(err, &deadline), errors.As(err, &exhausted), errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.Infra, "the Temporal server does not answer: %w", err).WithHint("try again")
	case errors.As(err, &invalid):
		return fault.New(fault.Input, "the server does not take the cron job: %w", err)
	case errors.As(err, &denied):
		return fault.New(fault.Denied, "the server refuses: %w", err)
	}
	return err
}

func isGone(err error) bool {
	var gone *serviceerror.NotFound
	return errors.As(err, &gone)
}

func noJob(id string) error {
	return fault.New(fault.NotFound, "no cron job %q of yours", excerpt.Clip(id, 80)).WithHint("see cron list")
}

// byID sorts jobs by user and number.
func byID(a, b Job) int { return cmp.Compare(a.ID, b.ID) }
