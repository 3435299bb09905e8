package toolcache

import (
	"path"
	"slices"
	"strings"
)

// Variables maps the variables that locate tool caches to the directory of each below a task's own caches.
var Variables = map[string]string{
	"GOCACHE": "go-build", "GOMODCACHE": "go-mod", "NPM_CONFIG_CACHE": "npm", "YARN_CACHE_FOLDER": "yarn", "PIP_CACHE_DIR": "pip",
	"UV_CACHE_DIR": "uv", "CARGO_HOME": "cargo", "BUNDLE_USER_CACHE": "bundle", "COMPOSER_CACHE_DIR": "composer", "GRADLE_USER_HOME": "gradle",
	"CCACHE_DIR": "ccache", "SCCACHE_DIR": "sccache", "COREPACK_HOME": "corepack", "DENO_DIR": "deno", "POETRY_CACHE_DIR": "poetry",
	"NUGET_PACKAGES": "nuget", "BUN_INSTALL_CACHE_DIR": "bun",
	"MIX_HOME": "mix", "HEX_HOME": "hex",
	"GEM_HOME": "gems", // not BUNDLE_PATH, with which bundler would not see the gems of the machine
}

// packages lists what goes into a base: files that tools have downloaded and built. The home directories of cargo, gradle and npm also
// hold settings and programs, which the tools load or run on their own; those are left out. So are corepack, which holds only programs, and
// bun, among whose packages are git directories.
var packages = []string{
	"go-build", "go-mod", "npm/_cacache", "yarn", "pip", "uv", "cargo/registry", "bundle", "composer", "gradle/caches/modules-2",
	"gradle/wrapper/dists", "ccache", "sccache", "deno", "poetry", "nuget", "gems/cache", "hex/packages",
}

// settings lists exceptions that are left out: git directories, whose configuration git obeys, and similar files.
var settings = []string{
	"go-mod/cache/vcs", "ccache/ccache.conf", "poetry/virtualenvs", "composer/vcs", "bundle/git", "uv/git-v0", "gems/cache/bundler",
}

// filter reports whether a path below the copied directory is copied.
type filter func(name string) bool

func everything(string) bool { return true }

// shared accepts packages and the folders above them.
func shared(name string) bool {
	if name == "." {
		return true
	}
	if slices.ContainsFunc(settings, func(p string) bool { return below(name, p) }) || path.Base(name) == ".git" {
		return false
	}
	return slices.ContainsFunc(packages, func(p string) bool { return below(name, p) || below(p, name) })
}

func below(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }
