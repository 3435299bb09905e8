package lang

import (
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/policy/grammar"
)

var uvRunTable = sync.OnceValue(func() *grammar.Table {
	opts := strings.Replace(uvSync, "~--env-file", "--env-file=read", 1)
	return mustCompile(program(python, "uv.run", grammar.Spec{Class: grammar.Run, Style: grammar.Posix, Why: whyFetch, Args: "command",
		Opts: opts + "-m,--module=command --no-project ~--with ~--with-editable ~--with-requirements ~-s ~--gui-script ~-w"}))
})

// djangoSub are the standard commands of manage.py.
const djangoCommon = ` -v,--verbosity=number --settings=name --pythonpath=code --traceback --no-color --force-color --skip-checks -h,--help
	--version `

var djangoTable = sync.OnceValue(func() *grammar.Table {
	return mustCompile(program(python, "manage.py", djangoSpec()))
})

func djangoSpec() grammar.Spec {
	run, inspect := grammar.Run, grammar.Inspect
	return grammar.Spec{Class: run, Opts: djangoCommon, Why: whyInline, Subs: table(
		row{"test", grammar.Spec{Class: run, Args: "data*", Judge: unittestNames,
			Opts: djangoCommon + `--noinput,--no-input --failfast --testrunner=name -t,--top-level=code -p,--pattern=data --keepdb
				--shuffle?=number -r,--reverse --debug-mode -d,--debug-sql --parallel?=data --tag=data --exclude-tag=data ~--pdb -b,--buffer
				--no-faulthandler --timing -k=data --durations=number`}},
		row{"check", grammar.Spec{Class: run, Args: "name*", Opts: djangoCommon + `-t,--tag=name --list-tags --deploy --fail-level=name
			--database=name`}},
		row{"makemigrations", grammar.Spec{Class: run, Args: "name*", Opts: djangoCommon + `--dry-run --merge --empty --noinput,--no-input
			-n,--name=name --no-header --check --scriptable --update`}},
		row{"migrate", grammar.Spec{Class: run, Args: "name*", Opts: djangoCommon + `--noinput,--no-input --database=name --fake --fake-initial
			--plan --run-syncdb --check --prune`}},
		row{"showmigrations sqlmigrate squashmigrations optimizemigration inspectdb diffsettings findstatic sqlflush sqlsequencereset",
			grammar.Spec{Class: run, Args: "name*", Opts: djangoCommon + `--database=name -l,--list -p,--plan --all --backwards --check
				--noinput,--no-input --first --nostatic --output=name --default=name`}},
		row{"makemessages compilemessages", grammar.Spec{Class: run, Args: "name*", Opts: djangoCommon + `-l,--locale=name -x,--exclude=name
			-d,--domain=name -a,--all -e,--extension=data -i,--ignore=data --no-location --no-obsolete --no-wrap --keep-pot -f,--use-fuzzy`}},
		row{"collectstatic", grammar.Spec{Class: run, Opts: djangoCommon + `--noinput,--no-input -n,--dry-run -l,--link --no-post-process
			-i,--ignore=data --no-default-ignore ~-c,--clear`}},
		row{"startapp", grammar.Spec{Class: run, Args: "name write?", Opts: djangoCommon + "-e,--extension=data -n,--name=data !--template"}},
		row{"loaddata", grammar.Spec{Class: run, Args: "read+", Opts: djangoCommon + `--database=name --app=name -i,--ignorenonexistent
			-e,--exclude=name --format=name`}},
		row{"dumpdata", grammar.Spec{Class: run, Args: "name*", Opts: djangoCommon + `--format=name --indent=number --database=name
			-e,--exclude=name -n,--natural-foreign --natural-primary -a,--all --pks=data -o,--output=write`}},
		row{"createcachetable clearsessions remove_stale_contenttypes spectacular show_urls validate_templates collectstatic_js",
			grammar.Spec{Class: run, Opts: djangoCommon + `--dry-run --database=name --noinput,--no-input --file=write --format=name --validate
				--fail-on-warn --color`}},
		row{"help version", grammar.Spec{Class: inspect, Args: "name*", Opts: djangoCommon + "--commands"}},
		row{"shell shell_plus dbshell", asked(whyInline)},
		row{"runserver runserver_plus testserver", grammar.Spec{Class: run, Args: "data*", Opts: djangoCommon + `--noreload --nothreading
			--nostatic --insecure --noinput,--no-input --addrport=data`, Judge: serverAddress}},
		row{"flush createsuperuser changepassword sendtestemail startproject reset_db", asked("it destroys data, makes accounts or sends mail")},
	), SubElse: &grammar.Spec{Class: run, Whole: func(m *grammar.Match) {
		if len(m.Words) == 0 {
			m.Class = grammar.Inspect
			return
		}
		// A command that the project itself defines.
		m.Use(grammar.Name, m.Words[0], "command")
		scriptArgs(m, m.Words[1:], true)
	}}}
}

// serverAddress judges "8000", "127.0.0.1:8000" or nothing as what a development server listens on.
func serverAddress(m *grammar.Match) {
	for _, w := range dropOperands(m, 0) {
		t, ok := w.Text()
		host, _, found := strings.Cut(t, ":")
		if !ok || found && host != "127.0.0.1" && host != "localhost" || !found && strings.Trim(t, "0123456789") != "" {
			m.Ask(".listen", "it would listen on more than the loopback; use 127.0.0.1")
		}
	}
	m.Needs = append(m.Needs, grammar.NeedLoopback)
}

func pythonWeb() []grammar.Program {
	run, inspect := grammar.Run, grammar.Inspect
	alembic := " -c,--config=code -n,--name=name -x=data --raiseerr -q,--quiet "
	return []grammar.Program{
		tool("django-admin", djangoSpec()),
		program(python, "manage.py ./manage.py", grammar.Spec{Class: run, Whole: func(m *grammar.Match) {
			rule := m.Rule
			adopt(m, djangoTable().Parse(m.Words))
			m.Rule = rule
		}}),
		tool("alembic", grammar.Spec{Class: run, Opts: alembic + "--version", Subs: table(
			row{"upgrade downgrade stamp", grammar.Spec{Class: run, Args: "data?", Opts: alembic + "-# --sql --tag=name --purge"}},
			row{"revision", grammar.Spec{Class: run, Opts: alembic + `-m,--message=data --autogenerate --sql --head=rev --splice --branch-label=name
				--version-path=write --rev-id=name --depends-on=rev`}},
			row{"merge", grammar.Spec{Class: run, Args: "rev+", Opts: alembic + "-m,--message=data --branch-label=name --rev-id=name"}},
			row{"history current heads branches show check", grammar.Spec{Class: run, Args: "rev?", Opts: alembic + `-r,--rev-range=data -v,--verbose
				-i,--indicate-current --check-heads --resolve-dependencies`}},
			row{"init", grammar.Spec{Class: run, Args: "write", Opts: alembic + "-t,--template=name --package"}}, row{"edit", asked(whyWatch)})}),
		tool("flask", grammar.Spec{Class: run, Opts: "-A,--app=data --debug --no-debug --version ~-e,--env-file", Why: whyServe, Subs: table(
			row{"routes", grammar.Spec{Class: run, Opts: "-s,--sort=name --all-methods"}},
			row{"db", grammar.Spec{Class: run, Subs: table(row{"upgrade downgrade migrate current history heads stamp check revision show branches",
				grammar.Spec{Class: run, Args: "data*", Opts: "-m,--message=data -d,--directory=code --sql"}})}},
			row{"run", grammar.Spec{Class: run, Judge: flaskRun, Opts: `-h,--host=data -p,--port=number --debug --no-debug --reload --no-reload
				--debugger --no-debugger --with-threads --without-threads ~--cert ~--key --extra-files=data --exclude-patterns=data`}},
			row{"shell", asked(whyInline)}), Judge: flaskApp}),
		tool("gunicorn uvicorn hypercorn daphne waitress-serve", grammar.Spec{Class: run, Args: "name", Judge: asgi, Why: whyServe,
			Opts: `--host=data --port=number -b,--bind=data -w,--workers=number -k,--worker-class=name --threads=number --reload --log-level=name
				--timeout=number -t=number --app-dir=code --factory --lifespan=name --no-access-log --access-logfile=write --error-logfile=write
				--check-config --version -p=number --loop=name --http=name !-c,--config !--pythonpath !--chdir !-D,--daemon !--ssl-keyfile !--env-file
				!--fd !--uds !--log-config`}),
		tool("celery", grammar.Spec{Class: run, Opts: "-A,--app=name --version", Subs: table(
			row{"report inspect status", grammar.Spec{Class: run, Args: "name*"}}), SubElse: ptr(asked("workers of queues are started by a " +
			"person; test tasks in eager mode"))}),
		tool("scrapy streamlit gradio locust", asked(whyServe)),
		program(python, "fab", asked("it acts on other machines")),
		program(python, "cookiecutter copier", asked(whyFetch)),
		tool("cython", grammar.Spec{Class: inspect, Args: "write*", Opts: `-3 -2 --3str --cplus,-+ -a,--annotate -o,--output-file=write -I=read
			-X=data --embed --fast-fail -v,--verbose`}),
		tool("maturin", grammar.Spec{Class: run, Subs: table(
			row{"develop build sdist", grammar.Spec{Class: run, Opts: `-r,--release -m,--manifest-path=code -o,--out=write -F,--features=data --uv
				--skip-install -E,--extras=data -i,--interpreter=name --strip -q,--quiet -v,--verbose`}},
			row{"publish upload", denied(whyPublish)}), SubElse: ptr(asked(whyAdd))}),
	}
}

func flaskApp(m *grammar.Match) {
	if w, ok := m.Flags["-A"]; ok {
		t, literal := w.Text()
		if module, _, _ := strings.Cut(t, ":"); !literal || !pyModule.MatchString(strings.TrimSuffix(module, ".py")) {
			m.Use(grammar.Code, before(w, ":"), "-A")
		}
	}
}

func flaskRun(m *grammar.Match) {
	if w, ok := m.Flags["-h"]; ok && !w.Is("127.0.0.1") && !w.Is("localhost") {
		m.Ask(".listen", "it would listen on more than the loopback; use --host 127.0.0.1")
	}
	m.Needs = append(m.Needs, grammar.NeedLoopback)
}

// asgi judges where a server listens; without an option, on the loopback interface.
func asgi(m *grammar.Match) {
	for _, o := range []string{"--host", "-b"} {
		if w, ok := m.Flags[o]; ok {
			t, _ := w.Text()
			if host, _, _ := strings.Cut(t, ":"); host != "127.0.0.1" && host != "localhost" {
				m.Ask(".listen", "it would listen on more than the loopback; use 127.0.0.1")
			}
		}
	}
	m.Needs = append(m.Needs, grammar.NeedLoopback)
}
