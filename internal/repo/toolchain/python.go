package toolchain

import (
	"regexp"
	"strings"
)

// envs maps lock files to environment managers. They run the environment's programs by name. extra and group name what they leave out of
// an environment unless told; "" where they leave out nothing of the kind.
var envs = map[string]struct{ setup, extra, group, run, makes string }{
	"uv.lock":      {"uv sync --locked", " --extra ", " --group ", "uv run ", ".venv"},
	"poetry.lock":  {"poetry install", " --extras ", "", "poetry run ", ""}, // stored in the home directory
	"pdm.lock":     {"pdm sync", " -G ", "", "pdm run ", ".venv"},
	"Pipfile.lock": {"pipenv sync --dev", "", "", "pipenv run ", ""},
}

var (
	pytestConfig = regexp.MustCompile(`(?m)^\[(tool\.pytest|tool:pytest|pytest\])`)
	pytestNeeded = regexp.MustCompile(`(?m)(^|["'\s])pytest\b`)
	ruffNeeded   = regexp.MustCompile(`(?m)(^|["'\s])ruff\b`)
	buildSystem  = regexp.MustCompile(`(?m)^\[build-system\]`)
	toxEnv       = regexp.MustCompile(`(?m)^\[(tox|testenv)\]`)
)

var pythonFiles = []string{"pyproject.toml", "requirements.txt", "requirements-dev.txt", "dev-requirements.txt", "requirements-test.txt",
	"setup.cfg", "setup.py", "Pipfile", "tox.ini"}

var requirementLists = []string{"requirements.txt", "requirements-dev.txt", "dev-requirements.txt", "requirements-test.txt"}

// python creates an environment in the work tree unless a manager keeps one. It creates none when there is nothing to install.
func python(f files, file string) Chain {
	all, p := f.text(pythonFiles...), readPyproject(f)
	ruff := ruffNeeded.MatchString(all)
	pytest := pytestNeeded.MatchString(all) || pytestConfig.MatchString(all) || f.has("pytest.ini", "conftest.py", "tests/conftest.py")
	c := Chain{File: file}
	tool, script := "python3 -m ", "python3 "
	if env, managed := envs[file]; managed {
		c.Setup, c.Makes = []string{env.setup + p.options(env.extra, env.group)}, env.makes
		tool, script, c.inside = env.run, env.run+"python ", env.run
	} else if !pytest && toxEnv.MatchString(f.text("tox.ini")) {
		return Chain{File: "tox.ini", Check: []string{"tox"}, Makes: ".tox"}
	} else {
		what, named := installs(f, p)
		if pytest && !pytestNeeded.MatchString(named) {
			what = append(what, "pytest")
		}
		ruff = ruffNeeded.MatchString(named)
		if what != nil {
			c.Setup = []string{"python3 -m venv .venv", ".venv/bin/pip install " + strings.Join(what, " ")}
			c.Makes, tool, script, c.inside = ".venv", ".venv/bin/python -m ", ".venv/bin/python ", activate
		}
	}
	if ruff {
		c.Check = append(c.Check, tool+"ruff check")
	}
	if pytest {
		c.Check = append(c.Check, tool+"pytest")
	} else if f.has("manage.py") {
		c.Check = append(c.Check, script+"manage.py test")
	}
	return c
}

// installs returns the arguments of pip install, and the text that names what they install.
func installs(f files, p pyproject) (what []string, named string) {
	for _, list := range requirementLists {
		if f.has(list) {
			what = append(what, "-r "+list)
		}
	}
	named = f.text(requirementLists...)
	extras := forChecks(p.Project.Extras)
	if extras != nil {
		what = append(what, "-e '.["+strings.Join(extras, ",")+"]'")
	} else if f.has("setup.py") || buildSystem.MatchString(f.text("pyproject.toml")) {
		what = append(what, "-e .")
	}
	named += strings.Join(p.Project.Needs, "\n") + "\n"
	for _, extra := range extras {
		named += strings.Join(p.Project.Extras[extra], "\n") + "\n"
	}
	for _, tool := range p.toolsOfGroups() { // by name, because pip before 25.1 knows no groups
		if !strings.Contains(named, tool) {
			what, named = append(what, quoted(tool)), named+tool+"\n"
		}
	}
	return what, named
}
