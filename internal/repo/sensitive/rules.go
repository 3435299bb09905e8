package sensitive

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/longshift/longshift/task"
)

// Kind says what a file is for.
type Kind string

// The kinds. Operators write them in LONGSHIFT_SENSITIVE, so they never change their meaning.
const (
	CI          Kind = "ci"          // what a forge or a CI server starts, most of it by a mere push
	Hooks       Kind = "hooks"       // what git and shells start
	Agents      Kind = "agents"      // what agents and editors obey or start
	Install     Kind = "install"     // what installing or building starts
	Registries  Kind = "registries"  // where packages come from
	Locks       Kind = "locks"       // which packages they are
	Submodules  Kind = "submodules"  // other repositories
	Links       Kind = "links"       // links out of the repository, or into git's own folder
	Executables Kind = "executables" // files that may be run as programs now
	Binaries    Kind = "binaries"    // what can't be read in a review
	Names       Kind = "names"       // names with characters that nobody sees
	Settings    Kind = "settings"    // of Longshift itself
	Owners      Kind = "owners"      // who has to approve what
	Tests       Kind = "tests"       // removed, or skipped
)

// Kinds lists all of them, the gravest first.
func Kinds() []Kind {
	return []Kind{CI, Hooks, Agents, Install, Registries, Locks, Submodules, Links, Executables, Binaries, Names, Settings, Owners, Tests}
}

var actions = []task.FindingAction{task.AllowFinding, task.NameFinding, task.AskFinding, task.RefuseFinding}

// Bounds of what is found: it goes through histories, messages and prompts.
const (
	mostOfKind = 8
	mostPath   = 160 // bytes
	mostWhat   = 160
)

// Rules say what is done about each kind. A kind that they leave out is named, and ci is asked about.
type Rules map[Kind]task.FindingAction

// Mistake is an item of rules that can't be read, and what is wrong with it.
type Mistake struct{ Item, What string }

// ParseRules reads rules as operators write them: "ci=ask, hooks=name". The kind all stands for every kind; what comes later wins.
func ParseRules(text string) (Rules, []Mistake) {
	rules := Rules{}
	var mistakes []Mistake
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		name, value, _ := strings.Cut(item, "=")
		kind, action := Kind(strings.TrimSpace(name)), task.FindingAction(strings.TrimSpace(value))
		switch {
		case !slices.Contains(actions, action):
			mistakes = append(mistakes, Mistake{item, "unknown action; give allow, name, ask or refuse, such as ci=ask"})
		case kind == "all":
			for _, k := range Kinds() {
				rules[k] = action
			}
		case !slices.Contains(Kinds(), kind):
			mistakes = append(mistakes, Mistake{item, "unknown kind; give all, " + kindList()})
		default:
			rules[kind] = action
		}
	}
	return rules, mistakes
}

func kindList() string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

func (r Rules) action(k Kind) task.FindingAction {
	if a, ok := r[k]; ok {
		return a
	}
	if k == CI {
		return task.AskFinding
	}
	return task.NameFinding
}

// Apply says of all findings of a task what is done about them: the strictest first, then the gravest, one for each file and kind. Of a
// kind with many the rest is one finding, which no file can be left out of without its id changing.
func (r Rules) Apply(all []task.Finding) []task.Finding {
	var out []task.Finding
	for _, k := range Kinds() {
		action := r.action(k)
		if action == task.AllowFinding {
			continue
		}
		list := ofKind(all, k)
		if len(list) > mostOfKind {
			list = append(list[:mostOfKind:mostOfKind], rest(list[mostOfKind:]))
		}
		for _, f := range list {
			f.Action = action
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b task.Finding) int { return slices.Index(actions, b.Action) - slices.Index(actions, a.Action) })
	return out
}

// ofKind gives the findings of a kind; what was found twice in one file becomes one.
func ofKind(all []task.Finding, k Kind) []task.Finding {
	var list []task.Finding
	at := map[string]int{}
	for _, f := range all {
		if f.Kind != string(k) {
			continue
		}
		if n, ok := at[f.ID]; ok {
			list[n].What = shown(list[n].What+"; "+f.What, mostWhat)
			continue
		}
		at[f.ID] = len(list)
		list = append(list, f)
	}
	return list
}

func rest(list []task.Finding) task.Finding {
	sum := sha256.New()
	for _, f := range list {
		sum.Write([]byte(f.ID))
	}
	return task.Finding{ID: hex.EncodeToString(sum.Sum(nil))[:32], Kind: list[0].Kind, What: fmt.Sprintf("and %d more", len(list))}
}
