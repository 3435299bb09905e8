package base

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// infoPrograms print information on the machine, the time, and programs.
func infoPrograms() []grammar.Program {
	in := grammar.Inspect
	return []grammar.Program{
		judged("date gdate", in, `-d,--date=data -I?=data --iso-8601?=data -R,--rfc-email --rfc-3339=data -u,--utc,--universal
			-r,--reference=list --debug -v=data -j !-f,--file !-s,--set`, "data*", date),
		judged("id", in, "-u,--user -g,--group -G,--groups -n,--name -r,--real -z,--zero -a", "name*",
			plain(func(m *grammar.Match) bool { return oneFlag(m, "-u", "-g") })),
		yielding(grammar.YieldsPlain, "whoami nproc arch tty", "--all --ignore=number -s", ""),
		judged("uname", in, `-a,--all -s,--kernel-name -n,--nodename -r,--kernel-release -v,--kernel-version -m,--machine -p,--processor
			-i,--hardware-platform -o,--operating-system`, "",
			plain(func(m *grammar.Match) bool { return !m.Has("-a", "-v") && len(m.Flags) <= 2 })),
		{Names: []string{"hostname"}, Spec: grammar.Spec{Class: in, Yields: grammar.YieldsPlain, Opts: `-s,--short -f,--fqdn,--long -d,--domain
			-i,--ip-address -I,--all-ip-addresses !-F,--file !-b,--boot` + std, Args: "never?", Why: "a task does not rename the host"}},
		program("groups", in, "", "name*"), program("logname hostid", in, "", ""),
		judged("printenv", in, "-0,--null", "data*", variables),
		program("which", in, "-a,--all -s", "data+"), program("whereis", in, "-b -m -s -u", "name+"),
		program("type", in, "-v -V -p", "data+"), program("deactivate", in, "", ""),
		judged("man", in, `-k,--apropos -f,--whatis -w,--where,--path,--location -a,--all -s,-S,--sections=data --regex --wildcard
			--no-hyphenation --nh --nj !-P,--pager !-H,--html !-C,--config-file !-X,--gxditview !-T,--troff-device !-l,--local-file !-t,--troff
			!-p,--preprocessor !-M,--manpath !-m,--systems !-L,--locale !-K,--global-apropos !-E,--encoding !-R,--recode`, "name+",
			func(m *grammar.Match) {
				for _, i := range m.Operands() {
					if strings.Contains(m.Uses[i].Word.Prefix(), "/") {
						m.Ask(".file", "a page by its file is run through a formatter; name the page, or print the file with cat")
					}
				}
			}),
		program("apropos whatis", in, "-a,--and -e,--exact -l,--long -r,--regex -w,--wildcard -s,--sections=data", "data+"),
		program("getconf", in, "-a", "data*"), program("locale", in, "-a,--all-locales -m,--charmaps -c,--category-name -k,--keyword-name",
			"data*"),
		program("lscpu lsblk lsmem lsns", in, "-a -b -e,--extended?=data -p,--parse?=data -J,--json -f -o,--output=data", ""),
		program("cal ncal", in, "-1 -3 -y -m -j -h -M -b", "data*"), program("uuidgen", in, "-r,--random -t,--time -m -n=data -N=data", ""),
		program("lsb_release", in, "-a,--all -i,--id -d,--description -r,--release -c,--codename -s,--short", ""),
		{Names: []string{"sw_vers"}, Spec: grammar.Spec{Class: in, Style: grammar.Single, Opts: "-productVersion -productName -buildVersion"}},
		program("diffstat", in, "-p=number -w=number -m -s -u -C -l", "read*"), program("hexyl", in, "-n=number --length=number -s=number -v -C",
			"read*"),
		program("tput", in, "-T=data -S", "data*"), program("clear", in, "-x -T=data", ""),
		asked("it belongs to the tools of a language; ldd runs the file that it inspects", "ldd otool dwarfdump"),
		program("figlet cowsay fortune lolcat banner toilet", in, "-f=data", "data*"),
		program("gettext ngettext", in, "-e -n", "data*"),
		asked("it inserts any variable of the environment; use sed with the names that you mean", "envsubst"),
		asked("it looks outside the tree", "locate mlocate plocate updatedb mdfind info tldr cheat"),
		asked("it shows pictures, sounds or pages", `convert magick identify ffmpeg ffprobe dot pandoc pdftotext pdflatex xelatex latexmk
			tectonic typst gs inkscape wkhtmltopdf exiftool mermaid plantuml`),
	}
}

// dateSafe are the conversions of date that print neither a space, a slash nor a line break.
const dateSafe = "%aAbBCdeFgGhHIjklmMnNpPqRsSTuUVwWyYzZ"

// date refuses an operand that sets the clock, and marks output that is one plain token.
func date(m *grammar.Match) {
	at := m.Operands()
	one := len(at) <= 1
	for _, i := range at {
		text, ok := m.Uses[i].Word.Text()
		prefix := m.Uses[i].Word.Prefix()
		switch {
		case m.Has("-j"):
		case !strings.HasPrefix(prefix, "+") && ok:
			m.Deny(".clock", "an operand without + sets the clock; give a format like +%F")
			return
		case !strings.HasPrefix(prefix, "+"):
			m.Ask(".clock", "an unknown operand may set the clock; give a format like +%F")
			return
		}
		one = one && ok && plainFormat(strings.TrimPrefix(text, "+"))
	}
	if one && (len(at) == 1 || m.Has("-I", "--iso-8601")) {
		m.Yields = grammar.YieldsPlain
	}
}

// plainFormat reports whether a format of date gives one token that is no path and no option.
func plainFormat(f string) bool {
	if f == "" || f[0] == '-' || f[0] == '.' {
		return false
	}
	for i := 0; i < len(f); i++ {
		switch c := f[i]; {
		case c == '%' && i+1 < len(f):
			i++
			if f[i] == '-' && i+1 < len(f) {
				i++
			}
			if f[i] == '3' && i+1 < len(f) && f[i+1] == 'N' {
				i++
			}
			if strings.IndexByte(dateSafe, f[i]) <= 0 || f[i] == 'n' || f[i] == 'e' || f[i] == 'k' || f[i] == 'l' ||
				i == 1 && (f[i] == 'z' || f[i] == 'q') {
				return false
			}
		case isNameByte(c), c >= '0' && c <= '9', c == '-', c == ':', c == '+', c == '.' && i > 0 && f[i-1] != '.':
		default:
			return false
		}
	}
	return true
}

// variablesShown are the variables that may be printed by name.
var variablesShown = grammar.Set(`PATH HOME PWD OLDPWD USER LOGNAME SHELL TERM LANG LC_ALL LC_CTYPE TZ TMPDIR CI NODE_ENV
	NODE_PATH NODE_OPTIONS GOPATH GOROOT GOFLAGS GOCACHE GOMODCACHE GOPROXY GOOS GOARCH CGO_ENABLED PYTHONPATH VIRTUAL_ENV JAVA_HOME
	CARGO_HOME RUSTUP_HOME RUSTFLAGS GEM_HOME RAILS_ENV EDITOR PAGER HOSTNAME SHLVL COLUMNS LINES NO_COLOR FORCE_COLOR DEBIAN_FRONTEND`)

// variables allows printenv to print variables without secrets.
func variables(m *grammar.Match) {
	at := m.Operands()
	if len(at) == 0 && !m.Has("--help", "--version") {
		m.Deny(".dump", "this prints the whole environment; name the variable: printenv PATH")
	}
	for _, i := range at {
		if text, _ := m.Uses[i].Word.Text(); !variablesShown[text] {
			m.Ask(".variable", "this variable is not among those that are known to hold no secret")
			return
		}
	}
}
