package task

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/fault"
)

func pending(id, description string, acceptance ...string) Deliverable {
	return Deliverable{ID: id, Description: description, Acceptance: acceptance, Status: Pending}
}

func proving(proof string, d Deliverable) Deliverable {
	d.Proof = proof
	return d
}

func TestDecodePlan(t *testing.T) {
	t.Parallel()
	got, err := DecodePlan([]byte(`{"verdict":"work","summary":" Add a greeting. ","approach":"One function.","files":["greet.go"],"risks":[],"evidence":"",
		"lines":1200,"split":["The greeting"," Its docs ",""],
		"deliverables":[{"id":"feat-1","description":"Greet\n exists","acceptance":["go test passes",""],"proof":" go test -run 'Greet  it' "},{"id":"","description":"Documented","acceptance":[]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := Plan{Verdict: VerdictWork, Summary: "Add a greeting.", Approach: "One function.", Files: []string{"greet.go"},
		Lines: 1200, Split: []string{"The greeting", "Its docs"},
		Deliverables: []Deliverable{proving("go test -run 'Greet  it'", pending("FEAT-001", "Greet exists", "go test passes")), pending("TASK-001", "Documented")}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecodePlanRefuses(t *testing.T) {
	t.Parallel()
	many := `{"id":"","description":"d"}` + strings.Repeat(`,{"id":"","description":"d"}`, MaxDeliverables)
	for name, tt := range map[string]struct{ answer, want string }{
		"no json":         {`Here is the plan`, "plan: not JSON: line 1: invalid character 'H' looking for beginning of value"},
		"empty":           {``, "plan: not JSON: it is empty"},
		"half":            {`{"summary":"a"`, "plan: not JSON: it ends too early"},
		"two values":      {`{} {}`, "plan: not JSON: something follows the value"},
		"not an object":   {`[]`, "plan: is a list"},
		"unknown key":     {`{"summary":"a","delivrables":[]}`, "delivrables is not a known key; did you mean deliverables?"},
		"status":          {`{"summary":"a","deliverables":[{"id":"A-1","description":"d","status":"passed"}]}`, "plan: deliverables[0].status is not a known key"},
		"duplicate key":   {`{"summary":"a","summary":"b","deliverables":[{"description":"d"}]}`, "summary appears twice"},
		"wrong type":      {`{"summary":7,"deliverables":[{"description":"d"}]}`, "summary is 7"},
		"no summary":      {`{"deliverables":[{"description":"d"}]}`, "summary is missing"},
		"no deliverables": {`{"summary":"a"}`, "deliverables is empty"},
		"no description":  {`{"summary":"a","deliverables":[{"id":"A-1"}]}`, "deliverables[0] has no description"},
		"no id":           {`{"summary":"a","deliverables":[{"id":"first","description":"d"}]}`, `deliverables[0] has the id "first"`},
		"same id":         {`{"summary":"a","deliverables":[{"id":"A-1","description":"d"},{"id":"A-001","description":"e"}]}`, `deliverables[1] has the id "A-001", which is taken`},
		"proof of lines":  {`{"summary":"a","deliverables":[{"id":"A-1","description":"d","proof":"make\nrm x"}]}`, `deliverables[0] has the proof "make\nrm x"; give one line`},
		"proof in quotes": {"{\"summary\":\"a\",\"deliverables\":[{\"id\":\"A-1\",\"description\":\"d\",\"proof\":\"test `date`\"}]}", "without backticks; write $(...)"},
		"long proof":      {`{"summary":"a","deliverables":[{"id":"A-1","description":"d","proof":"` + strings.Repeat("x", 401) + `"}]}`, "has a proof of 401 bytes; give at most 400"},
		"many criteria":   {`{"summary":"a","deliverables":[{"id":"A-1","description":"d","acceptance":["a","b","c","d","e","f"]}]}`, "deliverables[0].acceptance has 6 items; give at most 5"},
		"too many":        {`{"summary":"a","deliverables":[` + many + `]}`, "deliverables has 51 items"},
		"verdict":         {`{"summary":"a","verdict":"maybe"}`, `verdict is "maybe"`},
		"no evidence":     {`{"summary":"a","verdict":"already_done"}`, "evidence is missing"},
		"done, with work": {`{"summary":"a","verdict":"declined","evidence":"e","deliverables":[{"id":"A-1","description":"d"}]}`, "but the verdict is declined"},
	} {
		_, err := DecodePlan([]byte(tt.answer))
		if err == nil || !strings.Contains(err.Error()+"; "+fault.HintOf(err), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
		if fault.KindOf(err) != fault.Work {
			t.Errorf("%s: kind %s", name, fault.KindOf(err))
		}
	}
}

func TestPlanIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 10_000)
	p := Plan{Summary: long, Approach: long, Files: make([]string, 0, 500), Deliverables: []Deliverable{{Description: long}}}
	for range 500 {
		p.Files = append(p.Files, "f")
		p.Deliverables[0].Acceptance = append(p.Deliverables[0].Acceptance, long)
	}
	p = p.Tidy()
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
	if !strings.HasSuffix(p.Summary, "é [cut]") || p.Files[99] != "[cut: 401 more]" || len(p.Deliverables[0].Acceptance) != maxCriteria {
		t.Errorf("not cut with a mark: %.20q %q", p.Summary, p.Files[len(p.Files)-1])
	}
	big := Plan{Summary: "a", Verdict: VerdictWork}
	for range MaxDeliverables {
		d := Deliverable{Description: strings.Repeat("d", maxDescription)}
		for range maxCriteria {
			d.Acceptance = append(d.Acceptance, strings.Repeat("a", maxCriterion))
		}
		big.Deliverables = append(big.Deliverables, d)
	}
	if err := big.Tidy().Validate(); err == nil || !strings.Contains(err.Error(), "give at most") && fault.HintOf(err) != "give at most 65536" {
		t.Errorf("a plan of %d bytes passed: %v", big.size(), err)
	}
}

func TestSchemasFitWhatIsDecoded(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		schema string
		keys   []string
	}{
		"plan":   {PlanSchema, []string{"verdict", "summary", "approach", "files", "risks", "evidence", "lines", "split", "deprecated", "deliverables"}},
		"review": {ReviewSchema, []string{"verdict", "text"}},
	} {
		var s struct {
			Required   []string                   `json:"required"`
			Properties map[string]json.RawMessage `json:"properties"`
			Additional *bool                      `json:"additionalProperties"`
		}
		if err := json.Unmarshal([]byte(tt.schema), &s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tt.keys, s.Required); diff != "" || len(s.Properties) != len(tt.keys) || s.Additional == nil || *s.Additional {
			t.Errorf("%s schema: %s", name, diff)
		}
		answer := map[string]any{}
		for _, k := range tt.keys {
			answer[k] = nil
		}
		data, _ := json.Marshal(answer)
		into := map[string]any{"plan": &planAnswer{}, "review": &reviewAnswer{}}[name]
		if err := DecodeAnswer(name, data, into); err != nil {
			t.Errorf("%s: the decoder does not know a key of the schema: %v", name, err)
		}
	}
}

func TestDecodeReview(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer string
		want   Review
		fails  string
	}{
		"approved":     {answer: `{"verdict":"approved","text":"All criteria hold."}`, want: Review{Approved: true, Text: "All criteria hold."}},
		"changes":      {answer: `{"verdict":"request_changes","text":"a.go:3 is wrong"}`, want: Review{Text: "a.go:3 is wrong"}},
		"contradicts":  {answer: `{"verdict":"approved","text":"NOT APPROVED: tests fail"}`, want: Review{Text: "NOT APPROVED: tests fail"}},
		"contradicts2": {answer: `{"verdict":"approved","text":"I can't yet approve this."}`, want: Review{Text: "I can't yet approve this."}},
		"contradicts3": {answer: `{"verdict":"approved","text":"Fine, but\n**Issues found:**\n- a"}`, want: Review{Text: "Fine, but\n**Issues found:**\n- a"}},
		"no text":      {answer: `{"verdict":"request_changes","text":" "}`, fails: "review: text is missing"},
		"unclear":      {answer: `{"verdict":"maybe","text":"x"}`, fails: `review: verdict is "maybe"`},
		"missing":      {answer: `{"text":"x"}`, fails: `review: verdict is ""`},
		"unknown":      {answer: `{"verdict":"approved","text":"x","approved":true}`, fails: "review: approved is not a known key"},
	} {
		got, err := DecodeReview([]byte(tt.answer))
		if tt.fails != "" {
			if err == nil || !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%s: got %v, want %q", name, err, tt.fails)
			}
			continue
		}
		if err != nil || got != tt.want {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}
