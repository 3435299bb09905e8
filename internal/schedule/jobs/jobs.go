// Package jobs keeps the cron jobs of people as schedules on the Temporal server, for the command line and for chats alike: nothing of
// them is kept anywhere else. It may not decide who may have one, and it never starts a task itself: the server does.
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

// Most is how many cron jobs one person has at most.
const Most = 20

// answerWithin bounds one call to the server.
const answerWithin = 10 * time.Second

// Client is what a Book needs of Temporal's client.
type Client interface {
	ScheduleClient() client.ScheduleClient
	DescribeWorkflowExecution(ctx context.Context, workflowID, runID string) (*workflowservice.DescribeWorkflowExecutionResponse, error)
}

// Book is where cron jobs are kept. It is safe for concurrent use.
type Book struct{ Client Client }

// Request is a cron job that is wanted.
type Request struct {
	User       string     // who has it: "cli:ann", "slack:U0123"; what they are called stands in Input.RequestedBy
	Expression string     // of five fields
	TimeZone   string     // such as Europe/Rome; empty is UTC
	Input      task.Input // of every task that it starts, checked
	Delivery   string     // names the request: another one with the same name is the same; empty names none
}

// Job is a cron job, with what the server says about it. Times that are not known are zero.
type Job struct {
	ID         string      `json:"id"`
	User       string      `json:"user"`
	Name       string      `json:"name,omitempty"` // of the user, as people know them
	Expression string      `json:"expression"`     // as it was written
	TimeZone   string      `json:"timezone"`
	Message    string      `json:"message"` // the task in words, or its beginning
	Repository string      `json:"repository"`
	Created    time.Time   `json:"created,omitzero"`
	Paused     bool        `json:"paused,omitempty"`
	Next       []time.Time `json:"next"`           // as the server reckons them, in the job's zone
	Skipped    int         `json:"skipped"`        // times at which the run before was not over
	Missed     int         `json:"missed"`         // times at which the server was down too long
	Last       *Run        `json:"last,omitempty"` // newest run
	Note       string      `json:"note,omitempty"` // what somebody has written to it in Temporal Web
}

// Run is a task that a cron job has started.
type Run struct {
	Task    string       `json:"task"` // workflow id
	At      time.Time    `json:"at"`
	Running bool         `json:"running,omitempty"`
	Outcome task.Outcome `json:"outcome,omitempty"` // of one that has ended; empty when the server keeps it no more
}

// prefix begins the ids of all cron jobs. No other schedule is looked at, and none without our memo is touched.
const prefix = "cron-"

var notASlot = errors.New("no place of a cron job")

// slot names one of the places of a user, from 1 to Most. The places are the ids of the schedules, so that it is the server that lets
// nobody have more of them, however many requests come at once. Two users never share one.
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

// ownSlot finds the place that a user means: its whole id, or its number alone.
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

// explain gives an error of the server a kind. The server's own error stays inside.
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

// byID sorts jobs: those of one user by their number.
func byID(a, b Job) int { return cmp.Compare(a.ID, b.ID) }
