package sensitive

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// manifest has the fields of a package.json that decide what is run and where packages come from.
type manifest struct {
	Scripts      map[string]any `json:"scripts"`
	Manager      any            `json:"packageManager"`
	Husky        any            `json:"husky"`
	GitHooks     any            `json:"simple-git-hooks"`
	PreCommit    any            `json:"pre-commit"`
	LintStaged   any            `json:"lint-staged"`
	Trusted      any            `json:"trustedDependencies"`
	PNPM         any            `json:"pnpm"`
	Publish      any            `json:"publishConfig"`
	Jest         any            `json:"jest"`
	Mocha        any            `json:"mocha"`
	Vitest       any            `json:"vitest"`
	Ava          any            `json:"ava"`
	NYC          any            `json:"nyc"`
	C8           any            `json:"c8"`
	Dependencies map[string]any `json:"dependencies"`
	Dev          map[string]any `json:"devDependencies"`
	Optional     map[string]any `json:"optionalDependencies"`
	Peer         map[string]any `json:"peerDependencies"`
}

// testRunners are the settings of test runners.
func (m manifest) testRunners() []any { return []any{m.Jest, m.Mocha, m.Vitest, m.Ava, m.NYC, m.C8} }

// lifecycle lists the scripts that package managers run on their own.
var lifecycle = []string{"preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare", "prepublish", "dependencies",
	"prepack", "postpack", "prepublishOnly"}

// elsewhere matches versions that are an address or a folder.
var elsewhere = regexp.MustCompile(`(?i)^(git|github|gitlab|bitbucket|gist|https?|ssh|file|link|portal|exec|patch)[+:]` +
	`|^[^@\s/]+/[^\s/]+$|^[./~]`)

func (i *inspection) packages() {
	if !i.text() || !matches(i.new, "package.json") {
		return
	}
	if i.Cut {
		i.add(Install, "too large to look into")
		return
	}
	var old, now manifest
	_ = read(i.Old, &old) // a file that could not be parsed ran nothing
	if read(i.New, &now) != nil {
		i.add(Install, "%s, and can't be read as JSON", i.how())
		return
	}
	i.scripts(old, now)
	if names := fresh(old.Scripts, now.Scripts, func(name string, _ any) bool { return slices.Contains(lifecycle, name) }); len(names) > 0 {
		i.add(Install, "runs %s when it is installed", strings.Join(names, ", "))
	}
	if !same(old.Trusted, now.Trusted) || !same(old.PNPM, now.PNPM) {
		i.add(Install, "chooses whose install scripts run, or what is patched")
	}
	if !same(old.Husky, now.Husky) || !same(old.GitHooks, now.GitHooks) ||
		!same(old.PreCommit, now.PreCommit) || !same(old.LintStaged, now.LintStaged) {
		i.add(Hooks, "sets git hooks")
	}
	if !same(old.Manager, now.Manager) || !same(old.Publish, now.Publish) {
		i.add(Registries, "chooses the package manager, or where it is published")
	}
	var from []string
	for _, pair := range [][2]map[string]any{
		{old.Dependencies, now.Dependencies}, {old.Dev, now.Dev}, {old.Optional, now.Optional}, {old.Peer, now.Peer}} {
		from = append(from, fresh(pair[0], pair[1], func(_ string, v any) bool {
			version, ok := v.(string)
			return ok && elsewhere.MatchString(version)
		})...)
	}
	if len(from) > 0 {
		i.add(Registries, "takes %s from an address or a folder", strings.Join(from, ", "))
	}
}

// read parses JSON like package managers, which accept a byte order mark.
func read(content []byte, into *manifest) error {
	return json.Unmarshal(bytes.TrimPrefix(content, []byte("\uFEFF")), into)
}

// fresh returns the names of entries that are new or changed and pass the test.
func fresh(old, now map[string]any, test func(string, any) bool) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if was, there := old[name]; test(name, now[name]) && !(there && same(was, now[name])) {
			names = append(names, name)
		}
	}
	return names
}

// same compares parsed JSON values.
func same(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}
