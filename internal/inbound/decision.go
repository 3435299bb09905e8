package inbound

import (
	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/schedule/jobs"
	"github.com/longshift/longshift/task"
)

// decision is the result of deciding about an event: an action, or an answer when nothing is to be changed. An empty answer is none.
type decision struct {
	action action
	answer channel.Answer
}

func answer(text string) decision { return decision{answer: channel.Answer{Text: text}} }

// action is a change that a person may make, with everything that is needed to carry it out. The types below are all there are.
type action interface{ requested() request }

type update struct {
	request
	payload any
}

type cancellation struct {
	request
	reason string
}

type start struct {
	request
	repository task.Repository
	input      task.Input
	requester  string // of a chat, as personKey names people; empty when nobody there has asked
	note       string // added to the answer
}

// issueStart starts the task of an issue that a person has named in a chat.
type issueStart struct {
	start
	number int
}

// forgeStart starts the task of an issue on a forge. restart starts one that has ended before.
type forgeStart struct {
	start
	restart bool
}

type jobCreation struct {
	request
	job  jobs.Request
	note string // added to the answer
}

type jobDeletion struct {
	request
	owner, id string
}

type projectSwitch struct {
	request
	name           string
	answer, reason string
}

type binding struct {
	request
	code  string
	known bool // the person has rights already
}

func (r request) requested() request { return r }

// unrepeatable is an action that a second delivery of its event must not repeat: by then it would change something else.
type unrepeatable interface {
	action
	once() (purpose, answer string) // names the action among those of the event; answer is for the second delivery
}

// A second cancellation could hit another task that was started under the same id.
func (c cancellation) once() (purpose, answer string) { return "cancel " + c.task, cancelRequested }

// A second deletion could hit another job that was made in the same place.
func (d jobDeletion) once() (purpose, answer string) { return d.verb, "That has been deleted." }
