package command

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/signals"
)

type optionKind int

const (
	isText optionKind = iota
	isFlag
	isMoney // US dollars
	isCount
	isSpan // Go duration
	isList // separated by commas
)

// option is an option of a verb. key is the path in a task's configuration, empty for options that are not configuration.
type option struct {
	name, key, example string
	kind               optionKind
}

const (
	optTask = "task"
	optNone = "none"

	// ForTask is the option of allow that lets a command run for the rest of the task.
	ForTask = "for-task"
)

var runOptions = []option{
	{"repo", "", "acme/web", isText}, {"base", "", "main", isText},
	{"budget", "budget.cost", "5", isMoney}, {"time", "budget.time", "60m", isSpan},
	{"approval", "approval.mode", "required", isText}, {"approve-after", "approval.after", "20m", isSpan},
	{"agent", "agent", "claude", isText}, {"model", "model", "NAME", isText}, {"plan-model", "planModel", "NAME", isText},
	{"iterations", "iterations", "3", isCount}, {"draft", "pullRequest.draft", "", isFlag},
	{"label", "pullRequest.labels", "bug", isList}, {"reviewer", "pullRequest.reviewers", "ada", isList},
}

var (
	theTask   = option{optTask, "", "x1y2z3", isText}
	aRevision = option{"revision", "", "2", isCount}
	aComment  = option{"comment", "", `"keep the old name"`, isText}
	aReason   = option{"reason", "", `"done by hand"`, isText}
)

// verbOptions are the options of each verb. Other verbs take none.
var verbOptions = map[string][]option{
	Run:             runOptions,
	CronCreate:      append(slices.Clone(runOptions), option{"timezone", "", "Europe/Rome", isText}),
	Status:          {theTask},
	Logs:            {theTask},
	Projects:        {{optNone, "", "", isFlag}},
	Cancel:          {theTask, aReason},
	signals.Approve: {theTask, aRevision, aComment},
	signals.Edit:    {theTask, aRevision},
	signals.Reject:  {theTask, aRevision, aReason},
	signals.Tell:    {theTask},
	signals.Abandon: {theTask, aReason},
	signals.Resume: {theTask, {"add-cost", "", "2", isMoney}, {"add-time", "", "30m", isSpan},
		{"note", "", `"the key is renewed"`, isText}},
	signals.Allow: {theTask, aComment, {ForTask, "", "", isFlag}},
	signals.Deny:  {theTask, aReason},
}

func optionOf(verb, name string) (option, bool) {
	i := slices.IndexFunc(verbOptions[verb], func(o option) bool { return o.name == name })
	if i < 0 {
		return option{}, false
	}
	return verbOptions[verb][i], true
}

func optionNames(verb string) (names []string) {
	for _, o := range verbOptions[verb] {
		names = append(names, "--"+o.name)
	}
	return names
}

// check refuses a value of the wrong form. The task checks its bounds.
func (o option) check(value string) error {
	bad := func(what string) error {
		return fault.New(fault.Input, "--%s %s: %s", o.name, render.Line(value, 40), what).
			WithHint("write it like --%s %s", o.name, o.example)
	}
	switch o.kind {
	case isText, isList:
		if len(value) > signals.MaxText {
			return bad("too long")
		}
	case isMoney:
		if v, err := dollars(value); err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			return bad("not an amount of US dollars")
		}
	case isCount:
		if v, err := strconv.Atoi(value); err != nil || v < 0 {
			return bad("not a whole number from 0 up")
		}
	case isSpan:
		if d, err := time.ParseDuration(value); err != nil || d < 0 {
			return bad("not a duration")
		}
	}
	return nil
}

func dollars(value string) (float64, error) {
	return strconv.ParseFloat(strings.TrimPrefix(value, "$"), 64)
}

// Config returns the options of a run command that are configuration, as the object "config" of a task's input.
func (c Command) Config() map[string]any {
	config := map[string]any{}
	for _, o := range runOptions {
		value, ok := c.Options[o.name]
		if !ok || o.key == "" {
			continue
		}
		into := config
		group, key, nested := strings.Cut(o.key, ".")
		if nested {
			if config[group] == nil {
				config[group] = map[string]any{}
			}
			into, _ = config[group].(map[string]any)
		} else {
			key = group
		}
		into[key] = o.read(value)
	}
	return config
}

// read converts a checked value to its type.
func (o option) read(value string) any {
	switch o.kind {
	case isMoney:
		v, _ := dollars(value)
		return v
	case isCount:
		v, _ := strconv.Atoi(value)
		return v
	case isFlag:
		return value == "true"
	case isList:
		return strings.Split(value, ",")
	}
	return value
}
