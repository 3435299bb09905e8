package toolchain

import (
	"regexp"
	"strings"
)

// envs maps lock files to environment managers. They run the environment's programs by name.
var envs = map[string]struct{ setup, run, makes string }{
	"uv.lock":      {"uv sync --locked", "uv run ", ".venv"},
	"poetry.lock":  {"poetry install", "poetry run ", ""}, // stored in the home directory
	"pdm.lock":     {"pdm sync", "pdm run ", ".venv"},
	"Pipfile.lock": {"pipenv sync --dev", "pipenv run ", ""},
}

var (
	pytestConfig = regexp.MustCompile(`(?m)^\[(tool\.pytest|tool:pytest|pytest\])`)
	pytestNeeded = regexp.MustCompile(`(?m)(^|["'\s])pytest\b`)
	ruffNeeded   = regexp.MustCompile(`(?m)(^|["'\s])ruff\b`)
	extraGroup   = regexp.MustCompile(`(?m)^(dev|test|tests)[ \t]*=`)
	buildSystem  = regexp.MustCompile(`(?m)^\[build-system\]`)
	toxEnv       = regexp.MustCompile(`(?m)^\[(tox|testenv)\]`)
)

var pythonFiles = []string{"pyproject.toml", "requirements.txt", "requirements-dev.txt", "dev-requirements.txt", "requirements-test.txt",
	"setup.cfg", "setup.py", "Pipfile", "tox.ini"}

// python creates an environment in the work tree unless a manager keeps one. It creates none when there is nothing to install.
func python(f files, file string) Chain {
	all := f.text(pythonFiles...)
	needed := pytestNeeded.MatchString(all)
	pytest := needed || pytestConfig.MatchString(all) || f.has("pytest.ini", "conftest.py", "tests/conftest.py")
	c := Chain{File: file}
	tool, script := "python3 -m ", "python3 "
	if env, managed := envs[file]; managed {
		c.Setup, c.Makes = []string{env.setup}, env.makes
		tool, script = env.run, env.run+"python "
	} else if !pytest && toxEnv.MatchString(f.text("tox.ini")) {
		return Chain{File: "tox.ini", Check: []string{"tox"}, Makes: ".tox"}
	} else if what := installs(f, pytest && !needed); what != "" {
		c.Setup = []string{"python3 -m venv .venv", ".venv/bin/pip install " + what}
		c.Makes, tool, script = ".venv", ".venv/bin/python -m ", ".venv/bin/python "
	}
	if ruffNeeded.MatchString(all) {
		c.Check = append(c.Check, tool+"ruff check")
	}
	if pytest {
		c.Check = append(c.Check, tool+"pytest")
	} else if f.has("manage.py") {
		c.Check = append(c.Check, script+"manage.py test")
	}
	return c
}

// installs returns the arguments of pip install.
func installs(f files, pytest bool) string {
	var what []string
	for _, list := range []string{"requirements.txt", "requirements-dev.txt", "dev-requirements.txt", "requirements-test.txt"} {
		if f.has(list) {
			what = append(what, "-r "+list)
		}
	}
	_, extras, _ := strings.Cut(f.text("pyproject.toml"), "\n[project.optional-dependencies]")
	extras, _, _ = strings.Cut(extras, "\n[")
	if m := extraGroup.FindStringSubmatch(extras); m != nil {
		what = append(what, "-e '.["+m[1]+"]'")
	} else if f.has("setup.py") || buildSystem.MatchString(f.text("pyproject.toml")) {
		what = append(what, "-e .")
	}
	if pytest {
		what = append(what, "pytest")
	}
	return strings.Join(what, " ")
}
