package toolcache

import (
	"path"
	"slices"
	"strings"
)

// Variables are those by which tool chains find their caches, with the folder of each below a task's own.
var Variables = map[string]string{
	"GOCACHE": "go-build", "GOMODCACHE": "go-mod", "NPM_CONFIG_CACHE": "npm", "YARN_CACHE_FOLDER": "yarn", "PIP_CACHE_DIR": "pip",
	"UV_CACHE_DIR": "uv", "CARGO_HOME": "cargo", "BUNDLE_USER_CACHE": "bundle", "COMPOSER_CACHE_DIR": "composer", "GRADLE_USER_HOME": "gradle",
	"CCACHE_DIR": "ccache", "SCCACHE_DIR": "sccache", "COREPACK_HOME": "corepack", "DENO_DIR": "deno", "POETRY_CACHE_DIR": "poetry", "NUGET_PACKAGES": "nuget",
}

// packages is what goes into a base: what tools have fetched and built. The homes of cargo, gradle and npm hold settings and programs
// too, which they load or run by themselves; those stay out, as does corepack, which is nothing but programs.
var packages = []string{
	"go-build", "go-mod", "npm/_cacache", "yarn", "pip", "uv", "cargo/registry", "bundle", "composer", "gradle/caches/modules-2", "gradle/wrapper/dists",
	"ccache", "sccache", "deno", "poetry", "nuget",
}

// settings is what stays out of that: git's own folders, whose configuration git follows, and the like.
var settings = []string{"go-mod/cache/vcs", "ccache/ccache.conf", "poetry/virtualenvs", "composer/vcs", "bundle/git", "uv/git-v0"}

// filter tells whether a path below the copied folder goes along.
type filter func(name string) bool

func everything(string) bool { return true }

// shared takes packages, and the folders above them.
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
