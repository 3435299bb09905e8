package task

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// PlanSchema is the JSON Schema of a planner's structured answer. Every key is required and no others are allowed, because some agents
// accept no other schema. Fields that do not apply are empty.
const PlanSchema = `{"type":"object","additionalProperties":false,` +
	`"required":["verdict","summary","approach","files","risks","evidence","lines","split","deprecated","deliverables"],"properties":{` +
	`"verdict":{"type":"string","enum":["work","already_done","declined"],"description":"work: there is something to do"},` +
	`"summary":{"type":"string","description":"what will be different, in one or two sentences"},` +
	`"approach":{"type":"string","description":"how, step by step"},` +
	`"files":{"type":"array","items":{"type":"string"},"description":"paths to change or add"},` +
	`"risks":{"type":"array","items":{"type":"string"}},` +
	`"evidence":{"type":"string","description":"for already_done and declined: how you know; else empty"},` +
	`"lines":{"type":"integer","description":"about how many lines will be added and removed, without lock files and generated code"},` +
	`"split":{"type":"array","items":{"type":"string"},` +
	`"description":"when that is too much for one pull request: the tasks to split it into; else empty"},` +
	`"deprecated":{"type":"array","items":{"type":"string"},` +
	`"description":"ids of recorded deliverables that the specification no longer asks for; else empty"},` +
	`"deliverables":{"type":"array","items":{"type":"object","additionalProperties":false,` +
	`"required":["id","description","acceptance","proof"],"properties":{` +
	`"id":{"type":"string","description":"{TYPE}-{NNN}, such as FEAT-001"},` +
	`"description":{"type":"string"},` +
	`"acceptance":{"type":"array","items":{"type":"string"},"description":"what can be checked when it is done"},` +
	`"proof":{"type":"string",` +
	`"description":"when the task has a specification: a shell command that fails now and passes when it is done; else empty"}}}}}}`

// ReviewSchema is the JSON Schema of a reviewer's structured answer.
const ReviewSchema = `{"type":"object","additionalProperties":false,"required":["verdict","text"],"properties":{` +
	`"verdict":{"type":"string","enum":["approved","request_changes"]},` +
	`"text":{"type":"string","description":"the review: what was checked; for request_changes what must change, with file and line"}}}`

// mostCriteria is how many acceptance criteria an agent may give for a deliverable. A person may write more.
const mostCriteria = 5

// planAnswer is an answer according to PlanSchema.
type planAnswer struct {
	Verdict      Verdict             `json:"verdict"`
	Summary      string              `json:"summary"`
	Approach     string              `json:"approach"`
	Files        []string            `json:"files"`
	Risks        []string            `json:"risks"`
	Evidence     string              `json:"evidence"`
	Lines        int                 `json:"lines"`
	Split        []string            `json:"split"`
	Deprecated   []string            `json:"deprecated"`
	Deliverables []deliverableAnswer `json:"deliverables"`
}

type deliverableAnswer struct {
	ID          string   `json:"id"`
	Description string   `json:"description"`
	Acceptance  []string `json:"acceptance"`
	Proof       string   `json:"proof"`
}

// reviewAnswer is an answer according to ReviewSchema.
type reviewAnswer struct {
	Verdict string `json:"verdict"`
	Text    string `json:"text"`
}

// DecodePlan decodes a planner's structured answer strictly, tidies and validates it. Merge sets the revision.
func DecodePlan(answer []byte) (Plan, error) {
	var a planAnswer
	if err := DecodeAnswer("plan", answer, &a); err != nil {
		return Plan{}, err
	}
	p := Plan{Verdict: a.Verdict, Summary: a.Summary, Approach: a.Approach, Files: a.Files, Risks: a.Risks, Evidence: a.Evidence,
		Lines: a.Lines, Split: a.Split, Deprecated: a.Deprecated}
	for i, d := range a.Deliverables {
		if n := len(d.Acceptance); n > mostCriteria {
			wrong := mistake{field: "deliverables[" + strconv.Itoa(i) + "].acceptance", what: "has " + strconv.Itoa(n) + " items",
				way: "give at most " + strconv.Itoa(mostCriteria) + " that can be checked, or make two deliverables of it"}
			return Plan{}, asError(fault.Work, "plan", []mistake{wrong})
		}
		p.Deliverables = append(p.Deliverables, Deliverable{ID: d.ID, Description: d.Description, Acceptance: d.Acceptance, Proof: d.Proof})
	}
	p = p.Tidy()
	return p, p.Validate()
}

// DecodeReview decodes a reviewer's structured answer strictly. An approval that contradicts its own text does not count.
func DecodeReview(answer []byte) (Review, error) {
	var a reviewAnswer
	if err := DecodeAnswer("review", answer, &a); err != nil {
		return Review{}, err
	}
	r := Review{Approved: a.Verdict == "approved" && !refuses(a.Text), Text: cut(strings.TrimSpace(a.Text), maxReport)}
	switch {
	case a.Verdict != "approved" && a.Verdict != "request_changes":
		wrong := mistake{field: "verdict", what: "is " + quote(a.Verdict), way: "use approved or request_changes"}
		return Review{}, asError(fault.Work, "review", []mistake{wrong})
	case !r.Approved && r.Text == "":
		return Review{}, asError(fault.Work, "review", []mistake{{field: "text", what: "is missing", way: "say what must change"}})
	}
	return r, nil
}

// DecodeAnswer decodes JSON that an agent has written into a pointer to a struct, strictly. An error names each field that is wrong, and what
// belongs there. what is what the answer is called in it.
func DecodeAnswer(what string, answer []byte, into any) error {
	if len(answer) > MaxInput {
		return asError(fault.Work, what, []mistake{tooLong("", len(answer), MaxInput)})
	}
	l, err := ReadJSON(answer)
	if err != nil {
		return fault.New(fault.Work, "%s: %w", what, err)
	}
	var d decoder
	d.decode(l, into)
	return asError(fault.Work, what, d.mistakes)
}

var (
	notApproved = regexp.MustCompile(`(?i)\b(not|cannot|never|don'?t|can'?t|won'?t|isn'?t)[ _-]+((yet|be|fully|to|really)[ _-]+)*approv` +
		`|\bunapproved\b|\bdisapprov`)
	changesWanted = regexp.MustCompile(`(?im)^\W*(request[ _]changes|changes requested|issues found)\b`)
)

// refuses reports whether the text of an approval says the opposite.
func refuses(text string) bool {
	return notApproved.MatchString(text) || changesWanted.MatchString(text)
}
