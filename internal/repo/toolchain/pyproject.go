package toolchain

import (
	"maps"
	"regexp"
	"slices"

	"github.com/BurntSushi/toml"
)

// pyproject has the fields of a pyproject.toml that we use.
type pyproject struct {
	Project struct {
		Needs  []string            `toml:"dependencies"`
		Extras map[string][]string `toml:"optional-dependencies"`
	} `toml:"project"`
	Groups map[string][]any `toml:"dependency-groups"` // requirements, and tables that include other groups
	Tool   struct {
		Poetry struct {
			Extras map[string][]string `toml:"extras"`
		} `toml:"poetry"`
	} `toml:"tool"`
}

func readPyproject(f files) (p pyproject) {
	if _, err := toml.Decode(f.text("pyproject.toml"), &p); err != nil {
		return pyproject{}
	}
	return p
}

var (
	testGroups = []string{"test", "tests", "testing", "dev"}
	checkTool  = regexp.MustCompile(`^(?:pytest|ruff)\b`) // and plug-ins of pytest
	setName    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
)

// forChecks returns the sorted names of the sets of requirements that a check needs: by their names, or because they hold its tools. It skips
// names that the packaging of Python does not allow, for commands are made of them, and a key of TOML may be any text.
func forChecks(sets map[string][]string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		wanted := slices.Contains(testGroups, name) || slices.ContainsFunc(sets[name], checkTool.MatchString)
		if wanted && setName.MatchString(name) {
			names = append(names, name)
		}
	}
	return names
}

// groups returns the requirements in the groups.
func (p pyproject) groups() map[string][]string {
	all := map[string][]string{}
	for name, entries := range p.Groups {
		all[name] = nil
		for _, e := range entries {
			if requirement, ok := e.(string); ok {
				all[name] = append(all[name], requirement)
			}
		}
	}
	return all
}

// toolsOfGroups returns the requirements in groups that name the tools of a check.
func (p pyproject) toolsOfGroups() (list []string) {
	groups := p.groups()
	for _, name := range forChecks(groups) {
		for _, requirement := range groups[name] {
			if checkTool.MatchString(requirement) && !slices.Contains(list, requirement) {
				list = append(list, requirement)
			}
		}
	}
	return list
}

// options are those with which an environment manager installs what a check needs. Each has the group dev without being told.
func (p pyproject) options(extra, group string) (text string) {
	extras := map[string][]string{}
	maps.Copy(extras, p.Tool.Poetry.Extras)
	maps.Copy(extras, p.Project.Extras)
	for _, name := range forChecks(extras) {
		if extra != "" {
			text += extra + name
		}
	}
	for _, name := range forChecks(p.groups()) {
		if group != "" && name != "dev" {
			text += group + name
		}
	}
	return text
}
