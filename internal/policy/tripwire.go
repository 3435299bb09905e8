package policy

import (
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
	"github.com/longshift/longshift/task"
)

// Commands that only run code inside a sandbox need no person, and code in another language can't be judged word by word. It is
// searched for names of what lies outside: a tripwire for what is written plainly. The sandbox is the wall.

// scanner searches texts that may be code for wires.
type scanner struct {
	policy  *Policy
	role    task.Role
	verdict *collector
	at      []place // the folders that the code may run in
	clean   string  // the text that was searched last, when nothing was found
}

// wire is one thing that is searched for, if the text contains one of its hints in lower case.
type wire struct {
	rule, reason string
	hints        []string
	found        func(s *scanner, text string) bool
}

// wires are tried in order. The first one found is reported.
var wires = []wire{
	{"inline.git", "this code names git's own folder, or a command of git that reaches outside; use git's plain commands, outside of the code",
		strings.Fields("git longshift hookspath core."), byPattern(gitInside)},
	{"inline.secret", "this code names a file or a variable that holds secrets; a task has no use for it", nil, secretInside},
	{"inline.environment", "this code prints the whole environment; name the one variable that is needed",
		strings.Fields("env _server export declare"), byPattern(dumpsEnvironment)},
	{"inline.network", "this code reaches another machine; a task reaches none but its package registries, through their own programs",
		append(strings.Fields(`urlopen urlretrieve getstore getprint get_file download request http fetch axios connect create_ lwp socket fsock
			curl wget file_get ftp smtp paramiko /inet/ /dev/tcp /dev/udp netcat ncat socat ssh scp rsync telnet ping dig nslookup sendto gethost
			getaddr dns. dial( url(`), " nc ", "'nc ", `"nc `, "`nc ", "|nc ", ";nc ", "(nc ", "'nc'", `"nc"`), networkInside},
	{"inline.deliver", "this code publishes, signs in or leaves the sandbox; Longshift delivers the change by a pull request",
		strings.Fields(`publish deploy login adduser upload push docker podman nerdctl kubectl helm sudo pkexec crontab nsenter unshare chroot
			systemctl gh glab aws gcloud az flyctl vercel netlify heroku`), byPattern(deliverInside)},
	{"inline.home", "this code looks into a home folder; what a task needs is in the repository or in /tmp",
		strings.Fields("~ expanduser .home homedir home_dir $home {home home' home\" home] home)"), byPattern(homeInside)},
	{"inline.outside", "this code names a path outside the repository and /tmp; write only inside them, and read what lies there",
		strings.Fields(".. /etc /root /home /var /usr /opt /proc /sys /dev /boot /run /srv /mnt /media /lib /bin /sbin /users"), outsideInside},
	{"inline.control", "this code changes a file that an agent, a hook or CI obeys; a person decides on changes to it", nil, controlInside},
	{"inline.path", "this code names a file that the settings of this project close to it; do without it", nil, closedInside},
	{"inline.remove", "this code removes the whole repository or what lies above it; name the files that should go",
		strings.Fields("rm remove rimraf empty delete"), byPattern(removesAll)},
}

var (
	gitInside = regexp.MustCompile(`(^|[^\w.-])\.git(/|\\|['"\x60)\s,;]|$)|(^|[^\w.-])\.longshift\b|hooksPath|fsmonitor|core\.(pager` +
		`|editor|sshCommand|askPass)` +
		`|\bgit['",\s\]\[]+(-C['",\s]+\S+\s+)?(push|fetch|pull|clone|remote|config|ls-remote|submodule|credential|daemon|send-email|worktree` +
		`|gc|filter-branch|update-ref|update-server-info|maintenance)\b`)
	dumpsEnvironment = regexp.MustCompile(`process\.env\s*([^.\[?\w\s]|$)|\bos\.environ\s*([^.\[\w\s]|$)|\bos\.environ\.(items|copy` +
		`|values)\b|\bENV\.(to_h|to_a|each|inspect|values|map)\b|\b(puts|p|pp|print)[ (]+ENV\b\s*($|[^.\[])|%ENV\b|\$_ENV\b|\$_SERVER\b` +
		`|getenv\(\s*\)|Deno\.env\.toObject|(^|[;&|"'\x60(]\s*)(env|printenv|set|export -p|declare -[xp])\s*($|[;&|"'\x60)])` +
		`|/proc/\w+/environ`)
	deliverInside = regexp.MustCompile(`(?i)\b(npm|yarn|pnpm|bun|cargo|poetry|uv|flit|hatch|lerna|mvn)\W+(publish|deploy|login` +
		`|adduser)\b|\btwine\W+upload|\bgem\W+push|\b(docker|podman|nerdctl|kubectl|helm)\W+(run|exec|build|push|pull|compose|ps|login|apply` +
		`|create|delete|install)\b|docker\.sock|docker\.from_env|\b(sudo|pkexec|crontab|nsenter|unshare|chroot|systemctl)\W+\w|\bgh\W+(pr` +
		`|issue|gist|api|auth|release|repo|secret|workflow|run)\b|\bglab\W+(mr|issue|api|auth|release)\b|\b(aws|gcloud|az|flyctl|vercel` +
		`|netlify|heroku)\W+[a-z]+\W+[a-z]`)
	homeInside = regexp.MustCompile(`expanduser|Path\.home|homedir\(|Dir\.home|home_dir\(|\$\{?HOME\b|\bHOME['"\])]|env\.HOME\b` +
		`|user\.home|(^|['"\s=(\x60])~(root)?/`)
	removesAll = regexp.MustCompile(`(rmtree|rm_rf|rm_r|rmSync|rmdirSync|remove_tree|remove_dir_all|emptyDir\w*|rimraf|deleteTree` +
		`|removeSync)\W+(\.{1,2}(/\.\.)*/?|/)['"\x60]|\brm\s+-\w*[rR]\w*\s+(-\S+\s+)*(/|\.|\.\.|\*|~)(/\*?)?(['"\x60;&|\s]|$)`)
)

func byPattern(r *regexp.Regexp) func(*scanner, string) bool {
	return func(_ *scanner, text string) bool { return r.MatchString(text) }
}

// tripped returns the rule and the reason of the first wire found in a text.
func (s *scanner) tripped(text string) (rule, reason string) {
	if !strings.ContainsAny(text, "/.~$%_'\"( ") {
		return "", "" // a plain word
	}
	low := strings.ToLower(text)
	for i := range wires {
		w := &wires[i]
		if w.hints != nil && !slices.ContainsFunc(w.hints, func(h string) bool { return strings.Contains(low, h) }) {
			continue
		}
		if w.found(s, text) {
			return w.rule, w.reason
		}
	}
	return "", ""
}

// check asks about a text in which a wire is found.
func (s *scanner) check(text string, st *state) {
	if text == s.clean && slices.Equal(s.at, st.cwd) {
		return // it has been searched
	}
	s.at, s.clean = st.cwd, ""
	if rule, reason := s.tripped(text); rule != "" {
		s.verdict.ask(rule, "%s", reason)
		return
	}
	s.clean = text
}

// knownText returns the known text of a word, with holes for the rest.
func knownText(w grammar.Word) string {
	var b strings.Builder
	for _, p := range w.Parts {
		if p.Source == grammar.Literal || p.Source == grammar.Tree {
			b.WriteString(p.Text)
		}
		if p.Source != grammar.Literal {
			b.WriteByte(hole)
		}
	}
	return b.String()
}
