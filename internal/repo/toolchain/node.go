package toolchain

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// manifest has the fields of a package.json that we use.
type manifest struct {
	Scripts        map[string]string          `json:"scripts"`
	Needs          map[string]json.RawMessage `json:"dependencies"`
	NeedsToWork    map[string]json.RawMessage `json:"devDependencies"`
	PackageManager string                     `json:"packageManager"`
	Workspaces     json.RawMessage            `json:"workspaces"`
}

// managers maps lock files to package managers and their command for an exact installation.
var managers = []struct{ lock, program, setup string }{
	{"bun.lock", "bun", "bun install --frozen-lockfile"},
	{"bun.lockb", "bun", "bun install --frozen-lockfile"},
	{"pnpm-lock.yaml", "pnpm", "pnpm install --frozen-lockfile"},
	{"yarn.lock", "yarn", "yarn install --frozen-lockfile"},
	{"package-lock.json", "npm", "npm ci"},
	{"npm-shrinkwrap.json", "npm", "npm ci"},
}

var newYarn = regexp.MustCompile(`^yarn@([2-9]|[1-9][0-9])`)

func node(f files, file string) Chain {
	var m manifest
	if json.Unmarshal([]byte(strings.TrimPrefix(f.text(file), "\ufeff")), &m) != nil {
		return Chain{}
	}
	c, program := Chain{Makes: "node_modules"}, ""
	for _, p := range managers {
		if f.has(p.lock) {
			c.File, program, c.Setup = file+" and "+p.lock, p.program, []string{p.setup}
			break
		}
	}
	switch {
	case program == "yarn" && (f.has(".yarnrc.yml") || newYarn.MatchString(m.PackageManager)):
		c.Setup = []string{"yarn install --immutable"}
	case program == "" && f.has("deno.json", "deno.jsonc"):
		return Chain{} // deno reads it
	case program == "":
		program, _, _ = strings.Cut(m.PackageManager, "@")
		program = cmp.Or(program, "npm")
		setup := map[string]string{
			"npm": "npm install --no-package-lock", "pnpm": "pnpm install", "yarn": "yarn install", "bun": "bun install"}[program]
		if setup == "" {
			return Chain{} // an unknown package manager
		}
		if len(m.Needs)+len(m.NeedsToWork) > 0 || m.Workspaces != nil {
			c.Setup = []string{setup}
		}
	}
	for _, script := range slices.Sorted(maps.Keys(m.Scripts)) {
		if slices.Contains(checking, script) && watches(m.Scripts[script]) {
			c.Notes = append(c.Notes, "the script "+script+" of "+file+" is left out: with --watch it does not end")
		}
	}
	for _, script := range scripts(m.Scripts) {
		if script == "test" && program != "bun" { // bun test ignores the script and runs bun's own test runner
			c.Check = append(c.Check, program+" test")
		} else {
			c.Check = append(c.Check, program+" run "+script)
		}
	}
	if c.Check == nil && program == "bun" {
		c.Check = []string{"bun test"}
	}
	return c
}

// checking are the scripts that check, the quick ones first. Of variants, which are names in one text, the first is enough.
var (
	variants = []string{"lint", "check", "typecheck type-check check-types tsc", "test:ci test test:unit"}
	checking = strings.Fields(strings.Join(variants, " "))
)

var watchOff = regexp.MustCompile(`--watch(All)?[= ]false\b`)

// watches tells whether a script waits for changes of files.
func watches(script string) bool {
	return strings.Contains(watchOff.ReplaceAllString(script, ""), "--watch")
}

// scripts returns the scripts that check.
func scripts(all map[string]string) (names []string) {
	usable := func(name string) bool {
		text := all[name]
		return text != "" && !strings.Contains(text, "no test specified") && !watches(text)
	}
	if usable("check") && strings.Contains(all["check"], "test") {
		return []string{"check"}
	}
	for _, either := range variants {
		same := strings.Fields(either)
		if i := slices.IndexFunc(same, usable); i >= 0 {
			names = append(names, same[i])
		}
	}
	if names == nil && usable("build") {
		return []string{"build"}
	}
	return names
}

var denoTask = regexp.MustCompile(`"(check|lint|test)"\s*:`)

func deno(f files, file string) Chain {
	c := Chain{Setup: []string{"deno install"}, Check: []string{"deno lint", "deno test"}}
	if f.has("deno.lock") {
		c.Setup = []string{"deno install --frozen"}
	}
	_, tasks, _ := strings.Cut(f.text(file), `"tasks"`) // with comments it is not valid JSON
	tasks, _, _ = strings.Cut(tasks, "}")
	var names []string
	for _, m := range denoTask.FindAllStringSubmatch(tasks, -1) {
		names = append(names, m[1])
	}
	if own := targets("deno task", names); own != nil {
		c.Check = own
	}
	return c
}
