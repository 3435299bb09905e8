package policy

import (
	"strings"
)

// readableSystem are folders and files outside the tree that may be read: headers, manuals, tool chains.
var readableSystem = []string{
	"/usr/include", "/usr/share", "/usr/lib", "/usr/lib64", "/usr/local/include", "/usr/local/lib", "/usr/local/share", "/usr/local/go",
	"/lib", "/lib64", "/usr/bin", "/bin", "/usr/local/bin", "/usr/src", "/opt/hostedtoolcache", "/usr/libexec",
	"/etc/os-release", "/etc/debian_version", "/etc/lsb-release", "/etc/alpine-release", "/etc/redhat-release", "/etc/issue", "/etc/timezone",
	"/etc/shells",
	"/proc/cpuinfo", "/proc/meminfo", "/proc/version", "/proc/loadavg", "/proc/uptime", "/proc/stat",
}

// deniedSystem are folders that are denied outright, without asking a person.
var deniedSystem = []string{
	"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh", "/etc/ssl/private", "/etc/kubernetes", "/etc/security",
	"/root", "/proc", "/sys", "/dev", "/boot", "/run", "/var/run", "/var/lib", "/var/log", "/var/spool",
}

// beyond judges an absolute path outside the tree.
func (a *paths) beyond(abs string, acc Access, what, shown string) {
	shown = part(shown)
	switch {
	case device(abs, acc):
		return
	case inside(abs, "/tmp"):
		a.tmp(abs, acc, what)
		return
	case acc == Write || acc == Remove:
		a.verdict.deny(what+".outside", "%s lies outside the repository; write only inside it", shown)
		return
	case acc == Execute:
		a.verdict.deny(what+".outside", "%s lies outside the repository; only code of the repository is run", shown)
		return
	case acc != Execute && a.ownCache(abs):
		return
	case a.secretOutside(abs):
		a.verdict.deny(what+".secret", "%s may contain secrets or other processes' memory; a task does not need it", shown)
		return
	case acc == dir:
		a.verdict.ask(what+".outside", "%s lies outside the repository; stay inside it", shown)
		return
	}
	if insideAny(abs, readableSystem) || insideAny(abs, a.policy.c.Readable) {
		return
	}
	a.verdict.ask(what+".outside", "%s lies outside the repository; what a task needs is inside it", shown)
}

// toolCaches are the folders below the home folder in which tool chains store downloads.
var toolCaches = strings.Fields(`go/pkg go/bin .cache/go-build .cache/pip .cache/yarn .cache/uv .cache/pypoetry .cache/pnpm .cache/ccache
	.cargo/registry .rustup/toolchains .npm .m2/repository .gradle/caches .nuget/packages .local/lib .pyenv/versions .nvm/versions
	.rbenv/versions .bun/install .deno .pnpm-store .local/share/pnpm .local/share/virtualenvs`)

// ownCache reports whether a path lies in a cache of tool chains below the home folder, which in the sandbox belongs to the task.
func (a *paths) ownCache(abs string) bool {
	if !a.policy.c.Boxed || a.policy.c.Home == "" {
		return false
	}
	for _, c := range toolCaches {
		if rest, ok := strings.CutPrefix(abs, a.policy.c.Home+"/"+c); ok && (rest == "" || rest[0] == '/') {
			return a.policy.guarded(strings.TrimPrefix(rest, "/"), Read) == nil
		}
	}
	return false
}

// tmp judges a path in /tmp.
func (a *paths) tmp(abs string, acc Access, what string) {
	switch {
	case acc == Execute && !(a.policy.c.Boxed && a.policy.c.PrivateTmp):
		a.verdict.deny(what+".outside",
			"what lies in /tmp is not code of the repository; put the script into the repository, where it is reviewed")
	case !a.policy.c.PrivateTmp:
		a.verdict.ask("need.tmp", "/tmp is not private here; use a folder of the repository that git ignores")
	case abs == "/tmp" && acc == Remove:
		a.verdict.deny(what+".outside", "/tmp itself stays")
	case acc == Read || acc == Write:
		if g := a.policy.guarded(strings.TrimPrefix(abs, "/tmp/"), acc); g != nil && g.rule == "path.secret" {
			a.refuse(g, abs)
		}
	}
	if link, ok := a.writes.belowLink(abs, false); ok {
		a.verdict.deny("path.link", "%s is a link that this script has made; use links in a separate step", part(link))
	}
}

// secretOutside reports whether an outside path usually holds secrets, by its folder or name.
func (a *paths) secretOutside(abs string) bool {
	low := strings.ToLower(abs)
	for _, d := range readableSystem {
		if inside(low, d) && strings.HasPrefix(d, "/proc/") {
			return false
		}
	}
	if insideAny(low, deniedSystem) {
		return !insideAny(abs, a.policy.c.Readable) // a configured folder below /root or /var/lib is allowed
	}
	for _, seg := range strings.Split(low, "/") {
		if secret[seg] || keys[seg] || control[seg] && strings.HasPrefix(seg, ".") ||
			seg == ".config" || seg == ".docker" || strings.HasPrefix(seg, ".env.") {
			return true
		}
	}
	return strings.HasSuffix(low, ".pem") || strings.HasSuffix(low, ".key") || strings.HasSuffix(low, ".sock")
}

// device reports whether a path is a device that allows this access.
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
