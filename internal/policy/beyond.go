package policy

import (
	"strings"
)

// readableSystem are folders and files outside the tree that anybody may read: they hold headers, manuals, tool chains.
var readableSystem = []string{
	"/usr/include", "/usr/share", "/usr/lib", "/usr/lib64", "/usr/local/include", "/usr/local/lib", "/usr/local/share", "/usr/local/go",
	"/lib", "/lib64", "/usr/bin", "/bin", "/usr/local/bin", "/usr/src", "/opt/hostedtoolcache", "/usr/libexec",
	"/etc/os-release", "/etc/debian_version", "/etc/lsb-release", "/etc/alpine-release", "/etc/redhat-release", "/etc/issue", "/etc/timezone", "/etc/shells",
	"/proc/cpuinfo", "/proc/meminfo", "/proc/version", "/proc/loadavg", "/proc/uptime", "/proc/stat",
}

// deniedSystem are places whose content nobody asks a person about.
var deniedSystem = []string{
	"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh", "/etc/ssl/private", "/etc/kubernetes", "/etc/security",
	"/root", "/proc", "/sys", "/dev", "/boot", "/run", "/var/run", "/var/lib", "/var/log", "/var/spool",
}

// beyond judges an absolute path outside the tree.
func (j *judge) beyond(abs string, acc Access, what, shown string) {
	shown = part(shown)
	switch {
	case device(abs, acc):
		return
	case inside(abs, "/tmp"):
		j.inTmp(abs, acc, what)
		return
	case acc == Write || acc == Remove:
		j.deny(what+".outside", "%s lies outside the repository; write only inside it", shown)
		return
	case acc == Execute:
		j.deny(what+".outside", "%s lies outside the repository; only code of the repository is run", shown)
		return
	case acc != Execute && j.ownCache(abs):
		return
	case j.secretOutside(abs):
		j.deny(what+".secret", "%s may hold secrets or other processes' memory; a task has no use for it", shown)
		return
	case acc == dir:
		j.ask(what+".outside", "%s lies outside the repository; stay inside it", shown)
		return
	}
	for _, r := range readableSystem {
		if inside(abs, r) {
			return
		}
	}
	for _, r := range j.p.c.Readable {
		if inside(abs, r) {
			return
		}
	}
	j.ask(what+".outside", "%s lies outside the repository; what a task needs is inside it", shown)
}

// toolCaches are where tool chains keep what they have fetched, below the home folder.
var toolCaches = strings.Fields(`go/pkg go/bin .cache/go-build .cache/pip .cache/yarn .cache/uv .cache/pypoetry .cache/pnpm .cache/ccache .cargo/registry .rustup/toolchains .npm .m2/repository .gradle/caches .nuget/packages .local/lib .pyenv/versions
	.nvm/versions .rbenv/versions .bun/install .deno .pnpm-store .local/share/pnpm .local/share/virtualenvs`)

// ownCache tells whether a path lies in a cache of tool chains below the home folder, which in the box is the task's own.
func (j *judge) ownCache(abs string) bool {
	if !j.p.c.Boxed || j.p.c.Home == "" {
		return false
	}
	for _, c := range toolCaches {
		if rest, ok := strings.CutPrefix(abs, j.p.c.Home+"/"+c); ok && (rest == "" || rest[0] == '/') {
			return j.p.guarded(strings.TrimPrefix(rest, "/"), Read) == nil
		}
	}
	return false
}

// inTmp judges a path in /tmp.
func (j *judge) inTmp(abs string, acc Access, what string) {
	switch {
	case acc == Execute && !(j.p.c.Boxed && j.p.c.PrivateTmp):
		j.deny(what+".outside", "what lies in /tmp is not code of the repository; put the script into the repository, where it is reviewed")
	case !j.p.c.PrivateTmp:
		j.ask("need.tmp", "/tmp is not private here; use a folder of the repository that git ignores")
	case abs == "/tmp" && acc == Remove:
		j.deny(what+".outside", "/tmp itself stays")
	case acc == Read || acc == Write:
		if g := j.p.guarded(strings.TrimPrefix(abs, "/tmp/"), acc); g != nil && g.rule == "path.secret" {
			j.guard(g, abs)
		}
	}
	if link, ok := j.belowLink(abs, false); ok {
		j.deny("path.link", "%s is a link that this script has made; use links in a separate step", part(link))
	}
}

// secretOutside tells whether an outside path is one that holds secrets by its place or by its name.
func (j *judge) secretOutside(abs string) bool {
	low := strings.ToLower(abs)
	for _, d := range readableSystem {
		if inside(low, d) && strings.HasPrefix(d, "/proc/") {
			return false
		}
	}
	for _, d := range deniedSystem {
		if inside(low, d) {
			// A configured folder or home below /root or /var/lib is judged by itself.
			return !j.listed(abs)
		}
	}
	for _, seg := range strings.Split(low, "/") {
		if secret[seg] || keys[seg] || control[seg] && strings.HasPrefix(seg, ".") || seg == ".config" || seg == ".docker" || strings.HasPrefix(seg, ".env.") {
			return true
		}
	}
	return strings.HasSuffix(low, ".pem") || strings.HasSuffix(low, ".key") || strings.HasSuffix(low, ".sock")
}

// listed tells whether the settings name a folder above the path.
func (j *judge) listed(abs string) bool {
	for _, r := range j.p.c.Readable {
		if inside(abs, r) {
			return true
		}
	}
	return false
}

// device tells whether a path is one of the devices that are fine for this access.
func device(abs string, acc Access) bool {
	switch abs {
	case "/dev/null":
		return acc != Execute && acc != Remove && acc != dir
	case "/dev/stdin":
		return acc == Read || acc == list
	case "/dev/stdout", "/dev/stderr":
		return acc == Write || acc == list
	}
	if n, ok := strings.CutPrefix(abs, "/dev/fd/"); ok {
		return acc != Execute && acc != Remove && acc != dir && strings.Trim(n, "0123456789\x01") == "" && n != ""
	}
	return false
}
