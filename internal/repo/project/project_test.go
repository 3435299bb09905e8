package project

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

func TestParse(t *testing.T) {
	t.Parallel()
	got, err := Parse([]byte("# ours\nmodel: haiku\nthinking: 0x800\nsetup: |\n  go mod download\nbudget:\n  cost: 5\n  time: 45m\napproval:\npullRequest: {draft: true, labels: [a, 'b c']}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := task.Config{Model: new("haiku"), Thinking: new(2048), Setup: new("go mod download\n"), Budget: &task.BudgetConfig{Cost: new(5.0), Time: new("45m")},
		PullRequest: &task.PullRequestConfig{Draft: new(true), Labels: []string{"a", "b c"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, nothing := range []string{"", "\n", "# only words\n", "---\n", "{}", "null"} {
		if got, err := Parse([]byte(nothing)); err != nil || !cmp.Equal(got, task.Config{}) {
			t.Errorf("%q: %+v, %v", nothing, got, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ yaml, message, hint string }{
		"unknown key":   {"model: a\nitterations: 3\n", ".longshift.yaml: line 2: itterations is not a known key", "did you mean iterations?"},
		"unknown inner": {"budget:\n  cost: 1\n  money: 2\n", ".longshift.yaml: line 3: budget.money is not a known key", "use cost, time or planCost"},
		"duplicate":     {"model: a\ncheck: b\nmodel: c\n", ".longshift.yaml: line 3: model appears twice", "keep one of them"},
		"wrong type":    {"\nbudget:\n  time: 20\n", ".longshift.yaml: line 3: budget.time is 20", `give a duration such as "20m" or "2h", from 1s to 720h`},
		"wrong value":   {"thinking: 100", ".longshift.yaml: line 1: thinking is 100", "give a whole number from 1024 to 1000000"},
		"yes":           {"pullRequest:\n  draft: yes\n", `.longshift.yaml: line 2: pullRequest.draft is the text "yes"`, "write true or false"},
		"infinite":      {"budget: {cost: .inf}", ".longshift.yaml: line 1: budget.cost is .inf", "give a number above 0"},
		"a list":        {"- model: a\n", ".longshift.yaml: line 1: is a list", "give an object with the keys agent, model"},
		"text":          {"just words", ".longshift.yaml: line 1: is the text \"just words\"", "give an object"},
		"syntax":        {"model: a\n b: [", ".longshift.yaml: not YAML: line ", "correct it"},
		"tab":           {"budget:\n\tcost: 1\n", ".longshift.yaml: not YAML: line 2", "correct it"},
		"anchor":        {"model: &a x\nplanModel: *a\n", ".longshift.yaml: line 1: anchors and aliases are not supported; write the value out", "correct it"},
		"merge key":     {"<<: {model: a}\n", ".longshift.yaml: line 1: \"<<\" is not a known key", "use agent"},
		"tag":           {"model: !!binary aGk=\n", ".longshift.yaml: line 1: tags are not supported; write the plain value", "correct it"},
		"two documents": {"model: a\n---\nmodel: b\n", ".longshift.yaml: holds more than one document; remove the line ---", "correct it"},
		"deep":          {"model: " + strings.Repeat("[", 2000) + strings.Repeat("]", 2000), ".longshift.yaml: line 1: nested more than 8 deep", "correct it"},
		"odd key":       {"[a]: b\n", ".longshift.yaml: line 1: a key must be a word", "correct it"},
		"too big":       {"# " + strings.Repeat("x", MaxSize), ".longshift.yaml has 65538 bytes", "give at most 65536"},
	} {
		_, err := Parse([]byte(tt.yaml))
		if err == nil || !strings.HasPrefix(err.Error(), tt.message) || !strings.HasPrefix(fault.HintOf(err), tt.hint) {
			t.Errorf("%s: got %v (%s)\nwant %s (%s)", name, err, fault.HintOf(err), tt.message, tt.hint)
		}
		if fault.KindOf(err) != fault.Input || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: kind %s, %q", name, fault.KindOf(err), err)
		}
	}
}

func TestAllMistakesAreShown(t *testing.T) {
	t.Parallel()
	_, err := Parse([]byte("modl: a\nerrors: -1\nquota: never\nbudget: {cost: free}\n"))
	want := `.longshift.yaml: line 1: modl is not a known key; did you mean model?
.longshift.yaml: line 4: budget.cost is the text "free"; give a number above 0, at most 100000
.longshift.yaml: line 2: errors is -1; give a whole number from 0 to 100
.longshift.yaml: line 3: quota is "never"; use wait, end or next`
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
}

func TestParseJSON(t *testing.T) {
	t.Parallel()
	got, err := ParseJSON([]byte(`{"budget":{"cost":5}}`))
	if err != nil || *got.Budget.Cost != 5 {
		t.Errorf("got %+v, %v", got, err)
	}
	for in, want := range map[string]string{
		`{"budget":{"cost":"5"}}`: `config: budget.cost is the text "5"`,
		`{"bugdet":{}}`:           "config: bugdet is not a known key",
		`{"model":"a","model":1}`: "config: model appears twice",
		`{`:                       "config: not JSON: it ends too early",
	} {
		if _, err := ParseJSON([]byte(in)); err == nil || !strings.HasPrefix(err.Error(), want) || fault.HintOf(err) == "" {
			t.Errorf("%s: got %v (%s), want %s", in, err, fault.HintOf(err), want)
		}
	}
}

// A file full of aliases, which some parsers expand without limit, is refused at once.
func TestAliasBombIsRefused(t *testing.T) {
	t.Parallel()
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'z'; c++ {
		prev := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+prev+",", 8) + "*" + prev + "]\n"
	}
	if _, err := Parse([]byte(bomb)); err == nil || !strings.Contains(err.Error(), "anchors and aliases") {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("model: a\nbudget: {cost: 1, time: 2h}\n"))
	f.Add([]byte("? - a\n: &x [*x]\n<<: *x\n!!map {}: 0x1F\n"))
	f.Add([]byte("a: .nan\nb: 2001-01-01\nc: ~\nd: |\n x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data)
		if err == nil {
			err = c.Validate()
			if err != nil {
				t.Fatalf("accepted, then refused: %v", err)
			}
			return
		}
		if fault.KindOf(err) != fault.Input || len(err.Error()) > 64<<10 {
			t.Fatalf("kind %s, %d bytes: %v", fault.KindOf(err), len(err.Error()), err)
		}
	})
}
