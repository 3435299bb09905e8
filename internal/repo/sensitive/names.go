package sensitive

import (
	"path"
	"slices"
	"strings"
)

// places lists file patterns for each kind, in lower case. A pattern that ends with a slash is a folder with all its content, or anything
// that replaces it. A pattern that begins with a slash matches at the top of the repository only; others match anywhere, because each
// project of a monorepo has its own files. Elements are patterns of path.Match.
var places = []struct {
	kind  Kind
	names []string
}{
	{CI, []string{
		// Forges read these only at the top of the repository. Elsewhere, such as in a project template, they do nothing.
		"/.github/workflows/", "/.github/actions/", "/.github/dependabot.y*ml", "/.github/settings.yml", "/.github/mergify.yml",
		"/.gitea/workflows/", "/.gitea/actions/", "/.forgejo/workflows/", "/.forgejo/actions/", "/.circleci/", "/.woodpecker/",
		"/.semaphore/", "/.tekton/", "/.builds/", "/renovate.json*", "/.github/renovate.json*", "/.renovaterc*", "/.mergify.yml",
		// These may lie anywhere, because a configuration can name their path.
		"action.y*ml", "*.gitlab-ci.y*ml", ".gitlab/ci/", "jenkinsfile", "jenkinsfile.*", "*.jenkinsfile", "azure-pipelines*.y*ml",
		".azure-pipelines/", ".azuredevops/", ".buildkite/", ".travis.y*ml", "appveyor.y*ml", ".appveyor.y*ml", ".drone.*",
		".woodpecker.y*ml", "bitbucket-pipelines.yml", ".cirrus.y*ml", ".cirrus.star", ".teamcity/", "cloudbuild.y*ml",
		"cloudbuild.json", ".cloudbuild/", "buildspec*.y*ml", "codefresh.yml", ".codefresh/", ".harness/", ".build.yml", "wercker.yml",
		"screwdriver.yaml", "vela.yml", ".vela.yml", "netlify.toml", "vercel.json", "amplify.yml", "render.yaml", ".platform.app.yaml",
		".readthedocs.y*ml", "heroku.yml",
	}},
	{Hooks, []string{
		".husky/", ".githooks/", ".git-hooks/", "githooks/", ".lefthook/", ".lefthook-local/", "lefthook*.y*ml", ".lefthook*.y*ml",
		"lefthook*.toml", "lefthook*.json", ".pre-commit-config.y*ml", ".pre-commit-hooks.y*ml", ".overcommit.yml", "captainhook.json",
		"grumphp.y*ml", ".huskyrc*", "husky.config.*", ".simple-git-hooks.*", "simple-git-hooks.*", ".lintstagedrc*",
		"lint-staged.config.*", ".gitconfig", ".envrc", ".autoenv*", ".mise.toml", "mise.toml", ".mise/", ".config/mise/",
	}},
	{Agents, []string{
		".claude/", ".claude-plugin/", "claude.md", "claude.local.md", ".claude.json", "agents.md", "agents.override.md", "agent.md", "gemini.md",
		"/soul.md", "/user.md", "/tools.md", ".mcp.json", "mcp.json", ".mcp/", ".cursor/", ".cursorrules", ".cursorignore", ".codex/", ".gemini/",
		".qwen/", ".github/copilot-instructions.md", ".github/instructions/", ".github/prompts/", ".github/agents/", ".github/chatmodes/",
		".github/hooks/", ".github/skills/", ".agents/", ".agent/", ".windsurf/", ".windsurfrules", ".aider*", ".continue/",
		".continuerules", ".roo/", ".roomodes", ".roorules*", ".clinerules", ".clinerules/", ".kilocode/", ".kiro/", ".junie/",
		".opencode/", "opencode.json*", ".goose/", ".goosehints", ".augment/", ".augment-guidelines", ".amazonq/", ".trae/",
		".zencoder/", ".factory/", "warp.md", "crush.md", "crush.json", ".crush.json", ".crush/", ".replit", ".vscode/",
		"*.code-workspace", ".idea/", ".zed/", ".devcontainer/", ".devcontainer.json", ".fleet/", ".nvim.lua", ".exrc", ".vimrc",
		".dir-locals.el", ".gitpod.yml",
	}},
	{Install, []string{
		"setup.py", "hatch_build.py", "sitecustomize.py", "usercustomize.py", "*.pth", "build.rs", "binding.gyp", "extconf.rb", "conanfile.py",
		".pnpmfile.*", ".yarn/releases/", ".yarn/plugins/", ".yarn/sdks/", ".pnp.cjs", ".pnp.loader.mjs", "gradle/wrapper/",
		"gradle/init.gradle*", ".mvn/", "directory.build.props", "directory.build.targets", "directory.build.rsp", ".bazelrc",
	}},
	{Registries, []string{
		".npmrc", ".yarnrc", ".yarnrc.yml", "pnpm-workspace.yaml", "bunfig.toml", "pip.conf", "pip.ini", ".pypirc", "uv.toml",
		".condarc", "poetry.toml", ".cargo/", ".bundle/config", "nuget.config", "auth.json", ".netrc", "_netrc", ".gemrc", "go.env",
		".sbt/", "rust-toolchain", "rust-toolchain.toml",
	}},
	{Locks, []string{
		"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock", "go.sum", "go.work.sum",
		"cargo.lock", "gemfile.lock", "gems.locked", "composer.lock", "poetry.lock", "pipfile.lock", "uv.lock", "pdm.lock", "pixi.lock",
		"pylock*.toml", "conda-lock.yml", "packages.lock.json", "paket.lock", "project.assets.json", "mix.lock", "rebar.lock",
		"pubspec.lock", "podfile.lock", "package.resolved", "cartfile.resolved", "gradle.lockfile", "*.lockfile",
		"gradle/verification-metadata.xml", "flake.lock", "conan.lock", "module.bazel.lock", "stack.yaml.lock", "cabal.project.freeze",
		"shard.lock", ".terraform.lock.hcl", "chart.lock",
	}},
	{Submodules, []string{".gitmodules"}},
	{Settings, []string{".longshift.yaml", ".longshift/"}},
	{Owners, []string{"codeowners", "owners", "owners_aliases"}},
}

func (i *inspection) names() {
	for _, p := range places {
		switch {
		case i.there() && matchesAny(i.new, p.names):
			i.add(p.kind, "%s", i.how())
		case i.was() && matchesAny(i.old, p.names):
			how := "removed"
			if i.there() {
				how = "moved to " + i.Path
			}
			i.addAt(p.kind, i.OldPath, "%s", how)
		}
	}
}

func matchesAny(p string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return matches(p, pattern) })
}

func matches(p, pattern string) bool {
	rooted, folder := strings.HasPrefix(pattern, "/"), strings.HasSuffix(pattern, "/")
	want, have := strings.Split(strings.Trim(pattern, "/"), "/"), strings.Split(p, "/")
	for from := 0; from+len(want) <= len(have); from++ {
		if from > 0 && rooted {
			return false
		}
		if (folder || from+len(want) == len(have)) && allMatch(want, have[from:]) {
			return true
		}
	}
	return false
}

func allMatch(want, have []string) bool {
	for n, part := range want {
		if ok, err := path.Match(part, have[n]); err != nil || !ok {
			return false
		}
	}
	return true
}
