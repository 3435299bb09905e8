package policy

import (
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// eachName calls see with every run of letters, digits and other characters of file names, and those in more, until it is true.
func eachName(text, more string, see func(name string) bool) bool {
	start := -1
	for i := 0; i <= len(text); i++ {
		if i < len(text) && (strings.IndexByte(more, text[i]) >= 0 || strings.IndexByte("_.-", text[i]) >= 0 || letterOrDigit(text[i])) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 && see(text[start:i]) {
			return true
		}
		start = -1
	}
	return false
}

var (
	variableRead = regexp.MustCompile(`(?:environ(?:\.get)?|process\.env|\bENV(?:\.fetch)?|getenv|Deno\.env\.get` +
		`|env::var)\W{1,4}([A-Za-z_]\w*)(['"\])\s]*=[^=])?`)
)

// secretInside reports whether a text names a file or a variable that holds secrets.
func secretInside(s *scanner, text string) bool {
	if strings.Contains(text, "/etc/shadow") || strings.Contains(text, "/etc/passwd") {
		return true
	}
	if eachName(text, "", secretByName) {
		return true
	}
	if !strings.Contains(strings.ToLower(text), "env") {
		return false
	}
	for _, v := range variableRead.FindAllStringSubmatch(text, -1) {
		if v[2] == "" && secretName(v[1]) {
			return true
		}
	}
	return false
}

// secretByName reports whether a name is that of a file or a folder of secrets.
func secretByName(name string) bool {
	name = strings.ToLower(strings.Trim(name, "-"))
	if !strings.HasPrefix(name, ".") && !strings.ContainsAny(name, "_.-") || exampleEnv(name) {
		return false
	}
	switch name {
	case ".bash_history", ".zsh_history", ".bashrc", ".profile", ".mozilla", ".config", ".docker":
		return true
	}
	return secret[name] || keys[name] || strings.HasPrefix(name, ".env.") && len(name) > 5
}

var (
	reaches = regexp.MustCompile(`(?i)urlopen|urlretrieve|getstore|getprint|get_file|download|\brequests?\b|http\.client|httpx|aiohttp` +
		`|fetch\b|axios|xmlhttprequest|https?\.(get|post|request)|\.connect\b|create_?connection|connect_ex|net::http|net/http|open-uri` +
		`|uri\.open|\blwp\b|io::socket|fsockopen|stream_socket|curl|wget|file_get_contents|\bsocket|tcpsocket|websocket|ftplib|smtplib` +
		`|paramiko|/inet/(tcp|udp)|/dev/(tcp|udp)|\b(nc|ncat|netcat|socat|ssh|scp|sftp|rsync|ftp|telnet|ping|dig|nslookup)\b|sendto` +
		`|gethostby|getaddrinfo|dns\.|dial\(|url\(`)
	machine = regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]*://([^\s'"\x60/)<>]+)|\b(\d{1,3}(?:\.\d{1,3}){3})\b|(?:^` +
		`|[^\w./@-])((?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|example|invalid|local|internal|app|co|ai|cloud|info|biz|xyz|ru|cn|de|uk|eu|us|me` +
		`|onion|link|site|online|top))\b`)
	bare6 = regexp.MustCompile(`(^|[^\w:])([0-9a-fA-F]{1,4}:){3,}[0-9a-fA-F:.]*`)
)

// mayNameMachine is a quick check whether a text may name a machine: by an address, or by a dot between two names.
func mayNameMachine(text string) bool {
	for i := 1; i+1 < len(text); i++ {
		if text[i] == '.' && letterOrDigit(text[i-1]) && letterOrDigit(text[i+1]) || text[i] == ':' && (text[i+1] == ':' || text[i+1] == '/') {
			return true
		}
	}
	return false
}

func letterOrDigit(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }

// networkInside reports whether a text names another machine and something that connects to machines.
func networkInside(_ *scanner, text string) bool {
	if !mayNameMachine(text) || !reaches.MatchString(text) {
		return false
	}
	for _, m := range machine.FindAllStringSubmatch(text, -1) {
		host := strings.ToLower(m[1] + m[2] + m[3])
		if i := strings.LastIndexByte(host, '@'); i >= 0 {
			return true // a user before the host, or a host that only looks like this machine
		}
		host, _, _ = strings.Cut(host, ":")
		switch {
		case host == "" || host == "localhost" || strings.HasPrefix(host, "127.") || host == "0.0.0.0" || host == "[",
			strings.ContainsAny(host, "${%\x01"):
		default:
			return true
		}
	}
	return bare6.MatchString(text)
}

// absolute matches absolute paths in a text that begin with a folder of the system.
var absolute = regexp.MustCompile(`(?:^|[\s'"\x60=(:,\[{<>|@])(/+(?:etc|root|home|var|usr|opt|proc|sys|dev|boot|run|srv|mnt|media|lib` +
	`|lib64|bin|sbin|Users|tmp/\.\.)(?:/[^\s'"\x60);,:|<>\]}]*)?)(?:$|[\s'"\x60);,:|<>\]}])`)

var climbs = regexp.MustCompile(`['"\x60]((?:\./)?(?:\.\./)*\.\.(?:/[^'"\x60]*)?)['"\x60]`)

var imports = regexp.MustCompile(`(?:\brequire(?:_relative)?|\bfrom|\bimport|\brequire\.resolve|\binclude` +
	`|\bmock)\s*\(?\s*['"\x60][^'"\x60]*['"\x60]`)

// routes are folders of the system whose names are more often paths of web pages.
var routes = grammar.Set("/home /run /dev /media /lib /bin")

// outsideInside reports whether a text names a path that leads out of the tree and of the private /tmp.
func outsideInside(s *scanner, text string) bool {
	for _, m := range absolute.FindAllStringSubmatch(text, -1) {
		if abs := clean(m[1]); !s.harmless(abs, text) && !(routes[abs] && !changing.MatchString(text)) {
			return true
		}
	}
	if !strings.Contains(text, "..") || !changing.MatchString(text) {
		return false
	}
	for _, m := range climbs.FindAllStringSubmatch(imports.ReplaceAllString(text, ""), -1) {
		for _, at := range s.at {
			if p := clean(at.path + "/" + m[1]); !s.policy.within(p) && !s.policy.temporary(p) {
				return true
			}
		}
	}
	return false
}

// harmless reports whether a path in code is one that may be looked at.
func (s *scanner) harmless(abs, text string) bool {
	if s.policy.within(abs) || s.policy.temporary(abs) || device(abs, Read) || device(abs, Write) {
		return true
	}
	if !insideAny(abs, readableSystem) && !insideAny(abs, s.policy.c.Readable) {
		return false
	}
	return !changing.MatchString(text) || strings.Contains(text, "#!"+abs) || hasPrefix(abs, []string{"/usr/bin/", "/bin/"})
}

// changing matches code that changes files.
var changing = regexp.MustCompile(`(?i)write|append|unlink|rename|remove|rmtree|rmdir|rm_|\brm\b|delete|copy|\bcp\b|move|\bmv\b` +
	`|symlink|chmod|mkdir|touch|truncate|put_contents|['"][wax]b?\+?['"]|['"]\+?>|(^|[^=<-])>>?\s*['"]?[./\w]|\btee\b|dump\(|\bsave|-i\b` +
	`|\bsed\b|\.backup|\.output|\.once|\.import\b`)

// controlInside reports whether code changes a file that tools obey.
func controlInside(_ *scanner, text string) bool {
	return eachName(text, "", controlByName) && changing.MatchString(text)
}

func controlByName(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case ".bundle", ".cargo", ".yarn":
		return false
	}
	return control[name] && (strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".md") || name == "codeowners" || name == "jenkinsfile")
}

// closedInside reports whether code names a path that the settings close, or changes one that they protect.
func closedInside(s *scanner, text string) bool {
	closed, own := s.policy.scopes[s.role], s.policy.own
	if len(closed.ignore)+len(closed.readOnly)+len(closed.taskWritable)+len(own) == 0 {
		return false
	}
	changes := changing.MatchString(text)
	return eachName(text, "/", func(name string) bool {
		rel := strings.TrimPrefix(clean("/"+strings.TrimPrefix(name, s.policy.c.Root)), "/")
		return rel != "" && (matchAny(closed.ignore, rel, false) ||
			changes && (matchAny(closed.readOnly, rel, false) || matchAny(own, rel, false) ||
				matchAny(closed.taskWritable, rel, false) && !slices.Contains(closed.named, rel)))
	})
}
