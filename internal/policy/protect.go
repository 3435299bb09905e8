package policy

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// guard refuses an access to a path.
type guard struct {
	deny   bool
	rule   string
	reason string
}

var (
	guardGit     = &guard{true, "path.git", "git's own folder is not for a task to touch; use git's commands"}
	guardGitRead = &guard{false, "path.git", "git's own folder may hold credentials; use git log, git show or git rev-parse"}
	guardState   = &guard{true, "path.state", "this folder belongs to the tool that drives the task; leave it alone"}
	guardControl = &guard{false, "path.control", "this file tells an agent, an editor, a hook, a package manager or CI what to run; a " +
		"person decides on changes to it"}
	guardSecret = &guard{true, "path.secret", "this file is there to hold secrets; use an example file (.env.example), or ask for the " +
		"value's name only"}
	guardTool = &guard{false, "path.tool", "programs in this folder are started by their names; the package manager puts them there"}
	guardKey  = &guard{false, "path.secret", "this looks like a private key or a store of credentials; a person decides whether it is one"}
)

// control are names of files and folders that tools obey, in lower case.
var control = grammar.Set(`
	codeowners opencode.json opencode.jsonc .tool-versions .nvim.lua .emacs.d .dir-locals.el gradle-wrapper.properties gradle-wrapper.jar
	gradle.properties init.gradle directory.build.props directory.build.targets directory.packages.props .bazelrc .bazeliskrc .bazelversion
	.rspec .lesskey .tigrc .hgrc .condarc .claude .cursor .codex .gemini .continue .windsurf .windsurfrules .cursorrules .clinerules .roo
	.roomodes .kiro .opencode .aider.conf.yml .mcp.json mcp.json .vscode .idea .zed .fleet .devcontainer .devcontainer.json
	.editorconfig-hooks claude.md claude.local.md agents.md agents.override.md agent.md gemini.md copilot-instructions.md .github .gitlab
	.gitlab-ci.yml .gitlab-ci.yaml .circleci jenkinsfile azure-pipelines.yml azure-pipelines.yaml .travis.yml bitbucket-pipelines.yml
	.drone.yml .buildkite .woodpecker .woodpecker.yml .forgejo .gitea .teamcity appveyor.yml .appveyor.yml cloudbuild.yaml cloudbuild.yml
	.semaphore .cirrus.yml .husky .githooks .git-hooks .pre-commit-config.yaml .pre-commit-hooks.yaml lefthook.yml lefthook.yaml
	.lefthook.yml lefthook-local.yml .lintstagedrc .lintstagedrc.json .lintstagedrc.js .simple-git-hooks.json .overcommit.yml .npmrc .yarnrc
	.yarnrc.yml .pnpmfile.cjs .pnpmfile.js .yarn bunfig.toml .pypirc pip.conf pip.ini .cargo .bundle .gemrc .envrc .mise.toml mise.toml .mise
	.gitmodules .gitattributes .gitconfig .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile
	.zlogin .inputrc .kshrc .cshrc .tcshrc .gdbinit .lldbinit .vimrc .nvimrc .exrc .emacs .ripgreprc .curlrc .wgetrc .screenrc .tmux.conf
	sitecustomize.py usercustomize.py .pythonrc .rprofile .irbrc .pryrc nuget.config .terraformrc .sbtopts .mavenrc .mvn .jvmopts
	authorized_keys crontab
`)

// secret are names of files and folders that hold credentials.
var secret = grammar.Set(`
	.env .netrc _netrc .git-credentials .pgpass .my.cnf .aws .ssh .gnupg .kube .azure .gcloud .htpasswd .vault-token
	id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk service-account.json serviceaccount.json .dockercfg
	master.key secrets.env .secrets kubeconfig .kubeconfig .vault_pass .vault-pass vault_pass.txt .vault_password .boto .s3cfg .rclone.conf
`)

// keys are names of files that may hold credentials.
var keys = grammar.Set(`
	.npmrc .yarnrc.yml .pypirc credentials credentials.json credentials.yml secrets.yml secrets.yaml secrets.json client_secret.json
	terraform.tfstate
`)

// guarded returns the guard that refuses an access to a path of the tree, or nil. The path is relative to Root.
func (p *Policy) guarded(rel string, acc Access) *guard {
	segs := strings.Split(rel, "/")
	for i, seg := range segs {
		name := folded(seg)
		if toolFolder(segs[:i], name) && (acc == Write || acc == Remove) && i < len(segs)-1 {
			return guardTool
		}
		if acc != list && acc != dir && strings.ContainsFunc(seg, passesFor) {
			return &guard{false, "path.unicode", "a name with letters that pass for a dot or a slash is easily taken for another one; use plain " +
				"letters"}
		}
		for _, n := range matches(name) {
			if g := guardOf(n, acc, i == len(segs)-1); g != nil {
				return g
			}
		}
		if acc != list && acc != dir && strings.HasPrefix(name, ".") && !ascii(name) {
			return &guard{false, "path.unicode", "a hidden name with unusual letters may pass for another one; use plain letters"}
		}
	}
	return keyFile(rel, acc)
}

// toolFolder reports whether a folder holds the programs of a package manager: node_modules/.bin, .venv/bin, vendor/bin.
func toolFolder(above []string, name string) bool {
	if len(above) == 0 {
		return false
	}
	switch up := folded(above[len(above)-1]); name {
	case ".bin":
		return up == "node_modules"
	case "bin", "scripts":
		return up == ".venv" || up == "venv" || up == "virtualenv" || up == "vendor" && name == "bin"
	}
	return false
}

// passesFor reports whether a letter looks like a dot or a slash, or is folded to one.
func passesFor(r rune) bool {
	switch r {
	case 0x2024, 0x2025, 0x2026, 0x2044, 0x2215, 0x29f8, 0xff0e, 0xff0f, 0xff5e, 0xfe52, 0x3002, 0xff61, 0x2e3c:
		return true
	}
	return r >= 0xff21 && r <= 0xff5a
}

// folded returns the name as file systems see it that ignore case, dots and blanks at the end.
func folded(seg string) string {
	return strings.TrimRight(strings.ToLower(seg), ". ")
}

// matches returns the name, or the protected names that a pattern may match.
func matches(name string) []string {
	if !strings.ContainsAny(name, "*?[\x01") {
		return []string{name}
	}
	fixed := name[:strings.IndexAny(name, "*?[\x01")]
	if !strings.HasPrefix(fixed, ".") && len(fixed) < 3 {
		return nil // matches no hidden file; that "*.md" may match AGENTS.md is accepted
	}
	pattern := strings.ReplaceAll(name, string(hole), "*")
	var found []string
	for _, set := range []map[string]bool{control, secret, keys, {".git": true, ".longshift": true, ".autonoe": true}} {
		for n := range set {
			if ok, err := path.Match(pattern, n); ok || err != nil {
				found = append(found, n)
			}
		}
	}
	return found
}

// guardOf returns the guard of one name in a path.
func guardOf(name string, acc Access, last bool) *guard {
	changes := acc == Write || acc == Remove
	switch {
	case name == ".git" || strings.HasPrefix(name, "git~"):
		switch acc {
		case list:
			return nil
		case Read:
			return guardGitRead
		}
		return guardGit
	case name == ".longshift" || name == ".autonoe" || hasPrefix(name, []string{".longshift.", ".longshift-", ".autonoe.", ".autonoe-"}):
		if acc == list {
			return nil
		}
		return guardState
	case secret[name] || strings.HasPrefix(name, ".env.") && !exampleEnv(name):
		if acc == Read || acc == Remove || acc == Execute && last || acc == dir && name != ".env" ||
			acc == Write && name != ".env" && !strings.HasPrefix(name, ".env.") {
			return guardSecret
		}
	case control[name]:
		if changes || acc == Execute {
			return guardControl
		}
	}
	if keys[name] && acc == Read && last {
		return guardKey
	}
	if (strings.HasSuffix(name, ".pth") || strings.HasSuffix(name, ".code-workspace")) && changes {
		return guardControl
	}
	return nil
}

func exampleEnv(name string) bool {
	return slices.ContainsFunc([]string{".example", ".sample", ".template", ".dist", ".defaults", ".schema"}, func(s string) bool {
		return strings.HasSuffix(name, s) || strings.Contains(name, s+".")
	})
}

// hasPrefix reports whether a text begins with one of the prefixes.
func hasPrefix(text string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(text, p) })
}

// keyFile guards files with an extension of keys, unless they are made for tests.
func keyFile(rel string, acc Access) *guard {
	if acc != Read {
		return nil
	}
	low := strings.ToLower(rel)
	switch path.Ext(low) {
	case ".env":
		if strings.HasSuffix(low, "/.env") || low == ".env" {
			return nil // judged by its name
		}
	case ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk":
	default:
		return nil
	}
	for _, s := range []string{"test", "fixture", "example", "sample", "mock", "spec"} {
		if strings.Contains(low, s) {
			return nil
		}
	}
	return guardKey
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}
