package base

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// processPrograms list processes, and end those of the task.
func processPrograms() []grammar.Program {
	in := grammar.Inspect
	return []grammar.Program{
		whole("ps", in, ps),
		judged("pgrep", in, `-f,--full -l,--list-name -a,--list-full -x,--exact -n,--newest -o,--oldest -c,--count -i,--ignore-case
			-d,--delimiter=data -u,--euid=data -P,--parent=number`, "data?", nil),
		program("pidof", in, "-s,--single-shot -c,--check-root -x -q", "data+"),
		program("pstree", in, "-a,--arguments -p,--show-pids -c -l,--long -n,--numeric-sort -u,--uid-changes -h -A -U -T -s -t -g", "data?"),
		program("uptime", in, "-p,--pretty -s,--since -V", ""), program("free", in, `-b -k -m -g -h,--human -t,--total -w,--wide -l --si --mebi
			--gibi -V`, ""),
		program("vmstat iostat mpstat", in, "-a -s -S=data -w -t -n", "number? number?"),
		program("w who users", in, "-a -b -h -s -u -H -q", ""),
		program("ss netstat", in, `-l,--listening -t,--tcp -n,--numeric -p,--processes,--programs -a,--all -u,--udp -4 -6 -H -s,--summary -e -o
			-i -r --no-header`, ""),
		whole("kill", grammar.Run, kill),
		{Names: []string{"pkill"}, Spec: grammar.Spec{Class: grammar.Run, Needs: []grammar.Need{grammar.NeedNamespace}, Args: "data",
			Judge: pkill, Why: "it would reach processes that are not the task's own",
			Opts: `-f,--full -x,--exact -n,--newest -o,--oldest -e,--echo -i,--ignore-case -9 -15 -2 -1 -0 -TERM -KILL -INT -HUP -SIGTERM
				-SIGKILL -SIGINT -SIGHUP --signal=data !-u,--euid !-U,--uid !-G,--group !-g,--pgroup !-s,--session !-t,--terminal
				!-P,--parent !-v,--inverse !--ns !--nslist !-F,--pidfile !--cgroup` + std}},
		refused("it ends processes by name or by file, also those of others; end your own job with kill and its number",
			"killall killall5 skill snice fuser xkill"),
		judged("lsof", in, "-n -P -t -a -l -i=data -s=data -F?=data", "", port),
		asked("it shows all that runs on the host; use ps", "top htop btop atop glances iotop nethogs iftop fatrace procs pmap pwdx prtstat"),
		asked("it changes how processes are scheduled", "renice"),
		refused("it looks into other processes", `strace ltrace gdb lldb perf bpftrace bcc ptrace gcore pstack reptyr strace-log-merge systemtap
			stap uftrace rr jmap jcmd jstack dtrace dtruss sysdig`),
	}
}

// psWords are options of ps without a value.
var psWords = regexp.MustCompile(`^-(e|A|a|f|F|l|j|x|d|N|H|L|T|y|c|w|ww|ef|eF|el|elf|efL|efH|eH|eLf|ely|aux|auxw|auxww|axu|ax|fe|Af|AF` +
	`|al|aef|ejH|axjf|auxf|fx|xf)$|^--(forest|no-headers|no-heading|headers|help|version|cumulative)$`)

// ps reads the words of ps. The letter e without a dash shows the environment of processes.
func ps(m *grammar.Match) {
	for i := 0; i < len(m.Words); i++ {
		w := m.Words[i]
		text, ok := w.Text()
		name, _, joined := strings.Cut(w.Prefix(), "=")
		switch {
		case !ok && (w.Source() == grammar.Digits || w.Source() == grammar.Plain) && w.Prefix() == "":
		case psValue[name] && (joined || i+1 < len(m.Words)):
			value := w.Drop(len(name) + 1)
			if !joined {
				i++
				value = m.Words[i]
			}
			psFormat(m, value)
		case !ok:
			m.Ask(".unknown", "a word of ps is unknown; write it out")
			return
		case strings.HasPrefix(text, "-"):
			if !psWords.MatchString(text) {
				m.Ask(".option", "option "+text+" of ps is not among those that may be used unattended; ps aux and ps -ef are")
				return
			}
		case strings.Trim(text, "0123456789,") == "":
		case strings.ContainsAny(text, "eE"):
			m.Deny(".environment", "the letter e of ps shows the environment of processes; use ps aux or ps -ef")
			return
		case strings.Trim(text, "auxwfljvsTrhm") != "":
			m.Ask(".option", "ps "+text+" is not known; ps aux and ps -ef are")
			return
		}
	}
}

// psValue are the options of ps that take a value.
var psValue = grammar.Set(`-o -eo -p -C -u -U -g -t --pid --ppid --sort -q --format --user -Ao -axo -efo --cols --columns
	--width -ao -fp`)

func psFormat(m *grammar.Match, w grammar.Word) {
	text, ok := w.Text()
	if !ok && w.Source() != grammar.Digits && w.Source() != grammar.Plain {
		m.Ask(".unknown", "what ps is to show is not known; write it out")
	} else if strings.Contains(strings.ToLower(text), "env") {
		m.Deny(".environment", "this shows the environment of processes; leave environ out")
	}
}

var signals = regexp.MustCompile(`^-?(0|1|2|3|6|9|10|12|15|18|19|(SIG)?(HUP|INT|QUIT|ABRT|KILL|USR1|USR2|TERM|CONT|STOP))$`)

// kill reads the words of kill: single processes by number, or jobs of the shell.
func kill(m *grammar.Match) {
	words := m.Words
	if len(words) > 0 {
		switch text, _ := words[0].Text(); {
		case text == "-l" || text == "-L" || text == "--list" || text == "--version" || text == "--help":
			m.Class = grammar.Inspect
			return
		case (text == "-s" || text == "-n" || text == "--signal") && len(words) > 1:
			if name, ok := words[1].Text(); !ok || !signals.MatchString(name) {
				m.Ask(".signal", "this signal is not known")
			}
			words = words[2:]
		case strings.HasPrefix(text, "-") && signals.MatchString(text):
			words = words[1:]
		}
	}
	if len(words) > 0 && words[0].Is("--") {
		words = words[1:]
	}
	if len(words) == 0 {
		m.Ask(".operand", "kill needs the number of a process")
	}
	m.Needs = append(m.Needs, grammar.NeedNamespace)
	for _, w := range words {
		victim(m, w)
	}
}

// victim judges one operand of kill.
func victim(m *grammar.Match, w grammar.Word) {
	text, ok := w.Text()
	number := strings.TrimLeft(text, "0")
	switch {
	case !ok && w.Source() == grammar.Digits && w.Prefix() == "":
	case !ok:
		m.Ask(".process", "which process this ends is not known; write its number, $! or %1")
	case strings.HasPrefix(text, "%") && len(text) > 1 && strings.Trim(text[1:], "0123456789+%") == "":
	case strings.HasPrefix(text, "-"):
		m.Deny(".group", "this would end a whole group of processes; name one process")
	case number == "" || number == "1" || strings.Trim(number, "0123456789") != "":
		m.Deny(".process", "this is no process of the task")
	}
}

// pkillOwn are the programs that a task starts as servers and watchers.
var pkillOwn = regexp.MustCompile(`^(node|vite|next|webpack|nodemon|tsx|ts-node|bun|deno|esbuild|rollup|parcel|turbo|nuxt|astro|remix` +
	`|react-scripts|vue-cli-service|ng|jest|vitest|mocha|playwright|cypress|storybook|tsc|python3?|uvicorn|gunicorn|flask|celery|pytest` +
	`|manage\.py|rails|puma|sidekiq|rspec|php|artisan|java|gradle|mvn|go|air|cargo|dotnet|make|npm|pnpm|yarn|hugo|mkdocs|http-server` +
	`|serve|http\.server)([ /-][A-Za-z0-9 ._:/=-]*)?$`)

func pkill(m *grammar.Match) {
	at := m.Operands()
	text := ""
	if len(at) == 1 {
		text, _ = m.Uses[at[0]].Word.Text()
	}
	if !pkillOwn.MatchString(text) {
		m.Ask(".name", "only servers and watchers of the project may be ended by name (pkill -f vite); end your own job with kill and its number")
	}
	if s, ok := m.Flags["--signal"]; ok {
		if name, literal := s.Text(); !literal || !signals.MatchString(name) {
			m.Ask(".signal", "this signal is not known")
		}
	}
}

var onePort = regexp.MustCompile(`(?i)^(4|6)?(tcp|udp)?(@(localhost|127\.0\.0\.1))?:[0-9,-]{1,40}$`)

// port allows lsof to print who listens on a port, and nothing else.
func port(m *grammar.Match) {
	if text, ok := m.Flags["-i"].Text(); !ok || !onePort.MatchString(text) {
		m.Ask(".port", "it shows everything that runs on the host; name a port (lsof -i :3000), or use ps")
	}
}
