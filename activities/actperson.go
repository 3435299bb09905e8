package activities

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/task"
)

// mostQuestion limits a question to people, in bytes.
const mostQuestion = 1000

// unasked is what a session does that nobody answers.
const unasked = "decide by yourself, and say in your report what you have assumed"

// person puts a question to people. The session ends for the time that they need, and the call has its result when it goes on.
func (r *toolRun) person(c transcript.Call) callResult {
	var in struct {
		Question string `json:"question"`
	}
	err := task.DecodeAnswer("the call", c.Arguments, &in)
	question := strings.TrimSpace(in.Question)
	switch {
	case err != nil:
		return refused(fmt.Sprintf(`%v. A call looks like this: {"question": "Is the old format still needed? I would drop it."}`, err))
	case question == "":
		return refused("question is empty: say what people are to decide")
	case len(question) > mostQuestion:
		return refused(fmt.Sprintf("question has %d bytes: give at most %d", len(question), mostQuestion))
	case r.s.Commands.Questions == task.QuestionsDeny:
		return refused("nobody is asked in this task: " + unasked)
	}
	if r.put() {
		return answerOf(len(r.s.Prompt.Messages) > r.conv.Messages())
	}
	if err := r.kept.begin(strconv.Itoa(r.in.Ask)); err != nil {
		return callResult{err: err}
	}
	return callResult{end: agent.NeedsAnswer, content: question}
}

// put tells whether an ask has ended with the question, so that people have seen it. The end of one that was to put it may have failed.
func (r *toolRun) put() bool {
	if len(r.kept.Begun) == 0 {
		return false
	}
	ask, _ := strconv.Atoi(r.kept.Begun[0])
	var res SessionResult
	return readJSON(r.of.recordOf(r.in.Act).folder().Result(ask), &res) == nil && res.Kind == agent.NeedsAnswer
}

// answerOf is the result of a question. What people have said comes with the next call of the model, as everything that they say.
func answerOf(said bool) callResult {
	if !said {
		return refused("nobody has answered, and the task goes on: " + unasked)
	}
	return callResult{content: forModel(map[string]any{"success": true, "answer": "people have answered; what they say follows the results"})}
}

// item is one of the things that a session wants to do.
type item struct {
	Text string `json:"text"`
	Done bool   `json:"done"`
}

// checklist takes the model's list of what is to be done. The conversation keeps it.
func checklist(c transcript.Call) callResult {
	items, err := itemsOf(c.Arguments)
	if err != nil {
		return refused(fmt.Sprintf(`%v. A call looks like this: {"items": [{"text": "write the test", "done": true}, {"text": "make it pass", "done": false}]}`, err))
	}
	return callResult{content: forModel(map[string]any{"success": true}), line: "checklist: " + doneOf(items)}
}

func itemsOf(arguments json.RawMessage) ([]item, error) {
	var in struct {
		Items []item `json:"items"`
	}
	err := task.DecodeAnswer("the call", arguments, &in)
	return in.Items, err
}

func doneOf(items []item) string {
	done := 0
	for _, i := range items {
		if i.Done {
			done++
		}
	}
	return fmt.Sprintf("%d of %d done", done, len(items))
}

// progress says how much of its checklist the model has done; "" without one.
func (r *toolRun) progress() string {
	calls := append(r.conv.Calls(), r.calls...)
	for i := len(calls) - 1; i >= 0; i-- {
		if calls[i].Tool != "checklist" {
			continue
		}
		if items, err := itemsOf(calls[i].Arguments); err == nil && len(items) > 0 {
			return fmt.Sprintf("[round %d, checklist: %s]", r.conv.Answers(), doneOf(items))
		}
	}
	return ""
}
