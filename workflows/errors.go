package workflows

import (
	"errors"
	"strings"

	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

func asError[T error](err error, target *T) bool { return errors.As(err, target) }

// kindOf reads the kind of a fault from the error an activity ended with.
func kindOf(err error) fault.Kind {
	var app *temporal.ApplicationError
	if asError(err, &app) && strings.HasPrefix(app.Type(), "Longshift") {
		return fault.Kind(app.Type())
	}
	return fault.Infra
}

// isUnfit tells whether a session's agent can't work on its host, whatever the task is; see agent.Unfit.
func isUnfit(err error) bool {
	var app *temporal.ApplicationError
	for asError(err, &app) {
		if app.Type() == activities.UnfitAgent {
			return true
		}
		err = app.Unwrap()
	}
	return false
}

// hintOf reads the way out that came with the error.
func hintOf(err error) string {
	var app *temporal.ApplicationError
	if asError(err, &app) && app.HasDetails() {
		var hint string
		if app.Details(&hint) == nil {
			return hint
		}
	}
	return ""
}

// detailsOf reads what came with the error of something that was cancelled or failed. A failure has the way out before it.
func detailsOf[T any](err error) (details T, ok bool) {
	var cancelled *temporal.CanceledError
	var failed *temporal.ApplicationError
	var hint string
	switch {
	case asError(err, &cancelled):
		ok = cancelled.HasDetails() && cancelled.Details(&details) == nil
	case asError(err, &failed):
		ok = failed.HasDetails() && failed.Details(&hint, &details) == nil
	}
	return details, ok
}

// message is what a person should read of an error: without the layers that Temporal puts around it.
func message(err error) string {
	var app *temporal.ApplicationError
	if asError(err, &app) {
		return app.Message()
	}
	var timeout *temporal.TimeoutError
	if asError(err, &timeout) {
		return timeout.Message()
	}
	return err.Error()
}

// firstLine is what the log shows of a longer text.
func firstLine(s string) string { return excerpt.Clip(excerpt.FirstLine(s), 200) }
