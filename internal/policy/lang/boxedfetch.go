package lang

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// Commands that fetch a package of the registry and run it: in the sandbox that is like a package that a test imports.

// notFetched are packages whose programs publish, give access from outside, or change what runs later.
var notFetched = grammar.Set(`husky lefthook simple-git-hooks ghooks pre-commit overcommit vercel netlify netlify-cli wrangler firebase
	firebase-tools serverless sls cdk aws-cdk sst heroku ngrok localtunnel lt np release-it semantic-release standard-version lerna auto
	gh-pages surge now expo eas eas-cli fly pulumi supabase twine npm-publish playwright puppeteer cypress claude codex opencode gemini aider
	snyk sentry-cli codecov coveralls`)

// fetching allows npx and the like to run any package with a plain name.
func fetching(s grammar.Spec) grammar.Spec {
	s.Opts = strings.NewReplacer("~-y,--yes", "-y,--yes", "~-p,--package", "-p,--package=data").Replace(s.Opts)
	s.Judge = func(m *grammar.Match) {
		uses := m.Uses
		m.Uses = nil
		for _, u := range uses {
			switch {
			case u.Kind == grammar.Command:
				fetched(m, u.Word, withoutDashes(u.Rest))
			case u.Via == "-p" || u.Via == "--package":
				plainPackage(m, u.Word)
			default:
				m.Uses = append(m.Uses, u)
			}
		}
	}
	return s
}

// dlx is the command of a package manager that does nothing else.
func dlx() grammar.Spec {
	return fetching(grammar.Spec{Class: grammar.Run, Style: grammar.Posix, Args: "command", Opts: `-s,--silent -q,--quiet -p,--package=data
		-y,--yes --bun,-b --no-install`, Why: whyFetch})
}

// fetched is a tool that the project has installed, or a package of the registry with words that do not lead outside.
func fetched(m *grammar.Match, w grammar.Word, rest []grammar.Word) {
	text, ok := w.Text()
	name := text
	if at := strings.LastIndexByte(text, '@'); at > 0 {
		name = text[:at]
	}
	if known, scoped := nodePackages[name]; scoped {
		name = known
	}
	if ok && nodeKnown()[name] {
		command(m, name, rest, "npx")
		return
	}
	if plainPackage(m, w) {
		loosely(m, rest)
	}
}

// plainPackage reports whether a word is the name of a package, and asks when it is not.
func plainPackage(m *grammar.Match, w grammar.Word) bool {
	text, ok := w.Text()
	name := text
	if at := strings.LastIndexByte(text, '@'); at > 0 {
		name = text[:at]
	}
	if !ok || !packageName.MatchString(text) || notFetched[name] || notFetched[path.Base(name)] || systemNames[name] || nodeAsked()[name] {
		m.Ask(".fetch", w.String()+" is no plain package of the registry, or one that works on what lies outside; "+whyFetch)
		return false
	}
	m.Needs = append(m.Needs, grammar.NeedRegistry)
	return true
}

// nodeAsked are tools with a table that need a person even in the sandbox.
var nodeAsked = sync.OnceValue(func() map[string]bool {
	asked := map[string]bool{}
	for _, p := range nodePrograms() {
		opened := slices.ContainsFunc(p.Names, func(n string) bool { return boxedName(n) })
		for _, n := range p.Names {
			asked[n] = !opened && (p.Class == grammar.Ask || p.Class == grammar.Deny)
		}
	}
	return asked
})

// loosely reads the words of a program without a table.
func loosely(m *grammar.Match, ws []grammar.Word) {
	all := m.Words
	m.Words = ws
	grammar.Loose(m)
	m.Words = all
}

// fetchedInit is "npm init", alone or with a package that makes a project: "npm create vite@latest demo".
func fetchedInit(m *grammar.Match) {
	ws := m.Words
	for len(ws) > 0 && strings.HasPrefix(ws[0].Prefix(), "-") {
		ws = ws[1:]
	}
	if len(ws) == 0 {
		loosely(m, m.Words)
		return
	}
	if plainPackage(m, ws[0]) {
		loosely(m, ws[1:])
	}
}

// uvxInside is uvx, for any package with a plain name.
func uvxInside(m *grammar.Match) {
	ws := m.Words
	if len(ws) > 0 && ws[0].Is("run") {
		ws = ws[1:]
	}
	for len(ws) > 1 && (ws[0].Is("--python") || ws[0].Is("-p") || ws[0].Is("-q") || ws[0].Is("--with") || ws[0].Is("--from")) {
		if ws[0].Is("-q") {
			ws = ws[1:]
			continue
		}
		if (ws[0].Is("--with") || ws[0].Is("--from")) && !plainPackage(m, ws[1]) {
			return
		}
		ws = ws[2:]
	}
	if text := ""; len(ws) > 0 {
		text, _ = ws[0].Text()
		if name, _, _ := strings.Cut(text, "@"); pyLocal[name] {
			m.Needs = append(m.Needs, grammar.NeedRegistry)
			command(m, name, ws[1:], "uvx")
			return
		}
		if !strings.HasPrefix(text, "-") && plainPackage(m, ws[0]) {
			loosely(m, ws[1:])
			return
		}
	}
	uvx(m)
}
