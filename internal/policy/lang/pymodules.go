package lang

import (
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// pyModuleTools are modules that do the same as a program with a table.
var pyModuleTools = map[string]string{
	"pytest": "pytest", "mypy": "mypy", "ruff": "ruff", "black": "black", "coverage": "coverage", "pip": "pip", "flake8": "flake8",
	"pylint": "pylint", "isort": "isort", "pyright": "pyright", "basedpyright": "basedpyright", "tox": "tox", "nox": "nox",
	"bandit": "bandit", "sphinx": "sphinx-build", "sphinx.cmd.build": "sphinx-build", "mkdocs": "mkdocs", "uv": "uv", "poetry": "poetry",
	"pdm": "pdm", "hatch": "hatch", "django": "django-admin", "alembic": "alembic", "gunicorn": "gunicorn", "uvicorn": "uvicorn",
	"flask":  "flask",
	"celery": "celery", "pyflakes": "pyflakes", "pycodestyle": "pycodestyle", "pydocstyle": "pydocstyle", "vulture": "vulture",
	"radon": "radon", "twine": "twine", "virtualenv": "virtualenv", "pre_commit": "pre-commit", "yapf": "yapf", "autopep8": "autopep8",
	"autoflake": "autoflake", "behave": "behave", "pyupgrade": "pyupgrade", "codespell_lib": "codespell", "piptools": "pip-compile",
	"pip_audit": "pip-audit", "pipx": "pipx", "IPython": "ipython", "jupyter": "jupyter", "notebook": "jupyter", "ty": "ty",
	"build":  "pyproject-build",
	"deptry": "deptry", "interrogate": "interrogate", "docformatter": "docformatter", "djlint": "djlint", "yamllint": "yamllint",
}

// pyStandard are packages of the standard library that python -m could run and that have no table.
var pyStandard = grammar.Set(`abc aifc antigravity argparse ast asynchat asyncio asyncore base64 bdb binascii binhex bisect builtins bz2
	cProfile calendar cgi cgitb chunk cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib copy copyreg
	crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler
	filecmp fileinput fnmatch formatter fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib gzip hashlib heapq
	hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma
	mailbox mailcap marshal math mimetypes mmap modulefinder multiprocessing netrc nntplib ntpath nturl2path numbers opcode operator optparse
	os parser pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile profiling pstats pty pwd
	py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline repr reprlib resource rlcompleter runpy sched secrets select
	selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver sqlite3 sre_compile sre_constants sre_parse ssl stat
	statistics string stringprep struct subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios
	test textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing
	unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib
	zoneinfo annotationlib compression SimpleHTTPServer CGIHTTPServer BaseHTTPServer SimpleXMLRPCServer SocketServer StringIO urllib2 httplib
	commands popen2 rexec`)

// pyRefused are packages whose modules connect to other machines or take code.
var pyRefused = grammar.Set(`aiosmtpd pyftpdlib httpie httpx requests awscli boto3 botocore paramiko fabric ansible mitmproxy sshtunnel
	scrapy keyring localtunnel ngrok pyngrok dotenv websockets websocket streamlit gradio jupyterlab ipykernel bpython ptpython pudb ipdb
	debugpy rpyc xonsh invoke easy_install setuptools conda mamba pipenv rope_lsp pylsp jedi pip_run pyxtermjs webssh updog uploadserver
	simple_http_server snakeviz locust openai anthropic llm kaggle nltk spacy playwright huggingface_hub wandb mlflow dvc gsutil azure
	twisted circus supervisor nuitka PyInstaller cx_Freeze shiv pex zipapp memray py_spy scalene pyinstrument viztracer austin trio_monitor
	aiomonitor`)

// pyModuleTable are modules of the standard library that only read, or that run code of the tree.
var pyModuleTable = sync.OnceValue(func() map[string]*grammar.Table {
	run, inspect, change := grammar.Run, grammar.Inspect, grammar.Change
	specs := table(
		row{"unittest", grammar.Spec{Class: run, Args: "data*", Judge: unittestNames,
			Opts: `-h,--help -v,--verbose -q,--quiet -f,--failfast -b,--buffer -c,--catch -k=data --locals --durations=number
				-s,--start-directory=code -p,--pattern=data -t,--top-level-directory=code`}},
		row{"py_compile", grammar.Spec{Class: inspect, Args: "read+", Opts: "-q,--quiet"}},
		row{"compileall", grammar.Spec{Class: inspect, Args: "read*", Opts: `-l -f -q -qq -b -r=number -j,--workers=number -x=data -d=data
			-o=number -e=read -i=read --invalidation-mode=name --hardlink-dupes`}},
		row{"doctest", grammar.Spec{Class: run, Args: "code+", Opts: "-v,--verbose -f,--fail-fast -o,--option=name"}},
		row{"json.tool json", grammar.Spec{Class: inspect, Args: "read? write?", Opts: `--sort-keys --no-ensure-ascii --json-lines --indent=number
			--tab --no-indent --compact`}},
		row{"venv", grammar.Spec{Class: run, Args: "write+", Opts: `--system-site-packages --symlinks --copies ~--clear --upgrade --without-pip
			--prompt=name ~--upgrade-deps --without-scm-ignore-files`,
			Why: "it removes what is there, or fetches"}},
		row{"http.server", grammar.Spec{Class: run, Args: "number?", Judge: loopbackOnly("-b"), Opts: `-b,--bind=data -d,--directory=dir
			-p,--protocol=name ~--cgi ~--tls-cert ~--tls-key ~--tls-password-file`, Why: whyServe}},
		row{"cProfile profile", grammar.Spec{Class: run, Whole: pyProfile}},
		row{"trace", grammar.Spec{Class: run, Style: grammar.Posix, Args: "code data*",
			Judge: func(m *grammar.Match) { scriptArgs(m, dropOperands(m, 1), false) },
			Opts: `-c,--count -t,--trace -l,--listfuncs -T,--trackcalls -m,--missing -s,--summary -g,--timing -R,--no-report -f,--file=write
				-C,--coverdir=write --ignore-module=data --ignore-dir=data`}},
		row{"dis ast tokenize symtable pyclbr tabnanny pickletools modulefinder", grammar.Spec{Class: inspect, Args: "read*",
			Opts: "-v -q -e,--exact -m,--mode=name -i,--indent=number -a -C -O -S -P -h,--help"}},
		row{"site sysconfig platform this calendar locale", grammar.Spec{Class: inspect, Args: "name*", Opts: "--user-base --user-site"}},
		row{"pydoc", grammar.Spec{Class: inspect, Args: "name*", Opts: "-k=data ~-b ~-p ~-n ~-w", Why: whyServe}},
		row{"zipfile", grammar.Spec{Class: inspect, Args: "write*", Opts: `-l,--list=read -t,--test=read -e,--extract=read -c,--create=write
			--metadata-encoding=name`}},
		row{"tarfile", grammar.Spec{Class: inspect, Args: "read*", Opts: "-v,--verbose -l,--list=read -t,--test=read ~-e,--extract ~-c,--create",
			Why: "use tar"}},
		row{"gzip base64 quopri", grammar.Spec{Class: change, Args: "write*", Opts: "-d -e -u -t --fast --best"}},
		row{"uuid random secrets", grammar.Spec{Class: inspect, Args: "data*", Opts: "-u,--uuid=name -c=data -i=data -f=data -n=number"}},
		row{"ensurepip", grammar.Spec{Class: grammar.Ask, Why: whyGlobal}},
		row{"zipapp", grammar.Spec{Class: run, Args: "read", Opts: "-o,--output=write -m,--main=name -c,--compress --info ~-p,--python",
			Why: whyExec}},
		row{"timeit pdb code asyncio sqlite3 idlelib", asked(whyInline)},
		row{"smtpd webbrowser telnetlib ftplib", denied("it talks to other machines or opens a browser; test against a server on the loopback")},
	)
	all := map[string]*grammar.Table{}
	for name, s := range specs {
		all[name] = mustCompile(program(python, name, s))
	}
	return all
})

// unittestNames judges operands: dotted names of tests, files of the tree, or "discover".
func unittestNames(m *grammar.Match) {
	words := dropOperands(m, 0)
	for i, w := range words {
		t, ok := w.Text()
		if i == 0 && t == "discover" {
			continue
		}
		if ok && pyModule.MatchString(t) && !strings.HasSuffix(t, ".py") {
			m.Use(grammar.Name, w, "test")
			continue
		}
		m.Use(grammar.Code, w, "test")
	}
}

// loopbackOnly makes a judge that asks about servers without a loopback address in the option.
func loopbackOnly(option string) func(m *grammar.Match) {
	return func(m *grammar.Match) {
		w := m.Flags[option]
		t, _ := w.Text()
		switch host, _, _ := strings.Cut(t, ":"); host {
		case "127.0.0.1", "localhost":
			m.Needs = append(m.Needs, grammar.NeedLoopback)
		default:
			m.Ask(".listen", "it would listen on every address; bind it to 127.0.0.1 with "+option)
		}
	}
}

// pyProfile is a profiler before a script or a module.
func pyProfile(m *grammar.Match) {
	for i := 0; i < len(m.Words); i++ {
		t, _ := m.Words[i].Text()
		rest := m.Words[i+1:]
		switch {
		case (t == "-o" || t == "-s") && len(rest) > 0:
			if t == "-o" {
				m.Use(grammar.Write, rest[0], "-o")
			}
			i++
		case t == "-m" && len(rest) > 0:
			command(m, "python", m.Words[i:], "-m")
			return
		case strings.HasPrefix(t, "-"):
			m.Ask(".option", "the option "+t+" of the profiler is not known")
			return
		default:
			command(m, "python", m.Words[i:], "script")
			return
		}
	}
	m.Ask(".operand", "the profiler misses a script")
}
