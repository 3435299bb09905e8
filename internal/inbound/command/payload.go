package command

import (
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// Payload makes the payload of the update that a command is for; the update's name is the verb. m is the envelope. Errors are faults of
// kind Input whose text is for the author of the command.
func (c Command) Payload(m signals.Message) (any, error) {
	revision, _ := strconv.Atoi(c.Options["revision"]) // checked; 0 when there is none
	most := signals.MaxText
	if c.Verb == signals.Edit {
		most = signals.MaxEdit
	}
	if len(c.Text) > most {
		return nil, fault.New(fault.Input, "the text has %d bytes", len(c.Text)).WithHint("write at most %d", most)
	}
	switch c.Verb {
	case signals.Edit:
		return signals.EditRequest{Message: m, Revision: revision, Text: c.Text}, c.needsText("say what is to change", "edit one commit only")
	case signals.Tell:
		return signals.TellRequest{Message: m, Text: c.Text}, c.needsText("say what the next session is to know", "tell use the new client")
	case signals.Approve:
		text, err := c.TextOr("comment")
		return signals.ApproveRequest{Message: m, Revision: revision, Comment: text}, err
	case signals.Reject:
		text, err := c.TextOr("reason")
		return signals.RejectRequest{Message: m, Revision: revision, Reason: text}, err
	case signals.Abandon:
		text, err := c.TextOr("reason")
		return signals.AbandonRequest{Message: m, Reason: text}, err
	case signals.Resume:
		text, err := c.TextOr("note")
		cost, _ := dollars(c.Options["add-cost"]) // checked; 0 when there is none
		return signals.ResumeRequest{Message: m, Note: text, AddCost: cost, AddTime: c.Options["add-time"]}, err
	case signals.Allow:
		forTask := c.Options[ForTask] == "true"
		return signals.AllowRequest{Message: m, Question: c.Text, Comment: c.Options["comment"], ForTask: forTask}, c.oneWord()
	case signals.Deny:
		return signals.DenyRequest{Message: m, Question: c.Text, Reason: c.Options["reason"]}, c.oneWord()
	}
	return nil, fault.New(fault.Internal, "%q is no message to a task", c.Verb)
}

func (c Command) needsText(what, example string) error {
	if strings.TrimSpace(c.Text) != "" {
		return nil
	}
	return fault.New(fault.Input, "the text is missing: %s", what).WithHint("for example: %s", example)
}

// TextOr returns the text, or the value of an option with the same meaning. Both together are a fault of kind Input.
func (c Command) TextOr(name string) (string, error) {
	value, ok := c.Options[name]
	if ok && c.Text != "" {
		return "", fault.New(fault.Input, "--%s: there is a text behind %s too", name, c.Verb).WithHint("give one of the two")
	}
	return c.Text + value, nil
}

func (c Command) oneWord() error {
	if len(strings.Fields(c.Text)) < 2 {
		return nil
	}
	return fault.New(fault.Input, "%s takes the id of one command, not a sentence", c.Verb).
		WithHint("write %s alone when only one command waits; status shows the ids", c.Verb)
}
