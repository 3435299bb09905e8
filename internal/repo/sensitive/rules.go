package sensitive

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/longshift/longshift/task"
)

// Kind is the purpose of a file.
type Kind string

// The kinds. Operators write them in LONGSHIFT_SENSITIVE, so their meaning must never change.
const (
	CI          Kind = "ci"              // run by a forge or a CI server, mostly on every push
	Hooks       Kind = "hooks"           // run by git and shells
	Agents      Kind = "agents"          // read or run by agents and editors
	Install     Kind = "install"         // run by an installation or a build
	Registries  Kind = "registries"      // choose where packages come from
	Locks       Kind = task.LocksFinding // choose which packages are installed
	Submodules  Kind = "submodules"      // other repositories
	Links       Kind = "links"           // links out of the repository, or into the git directory
	Executables Kind = "executables"     // files that have become executable
	Binaries    Kind = "binaries"        // files that a review can't show
	Names       Kind = "names"           // names with invisible characters
	Settings    Kind = "settings"        // settings of Longshift itself
	Owners      Kind = "owners"          // rules about who must approve what
	Tests       Kind = task.TestsFinding // removed, skipped or changed tests, and what decides which run
)

// Kinds lists all kinds, the most serious first.
func Kinds() []Kind {
	return []Kind{CI, Hooks, Agents, Install, Registries, Locks, Submodules, Links, Executables, Binaries, Names, Settings, Owners, Tests}
}

var actions = []task.FindingAction{task.AllowFinding, task.NameFinding, task.AskFinding, task.RefuseFinding}

// Limits of the findings, which become part of histories, messages and prompts.
const (
	mostOfKind = 8
	mostPath   = 160 // bytes
	mostWhat   = 160
)

// Rules map each kind to an action. Without an entry, ci is asked about and any other kind is named.
type Rules map[Kind]task.FindingAction

// Mistake is an invalid item of rules, with the reason.
type Mistake struct{ Item, What string }

// ParseRules parses an operator's rules: "ci=ask, hooks=name". The kind "all" stands for every kind; later items win.
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

// Apply decides the action for each finding of a task. It returns one finding per file and kind, sorted by strictness, then seriousness.
// If a kind has too many, the rest becomes one finding, whose id changes with every file in it.
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

// ofKind returns the findings of a kind, one for each file.
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
