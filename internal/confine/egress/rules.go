package egress

import (
	"context"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"github.com/longshift/longshift/internal/fault"
)

// Rule allows one host, or all names below a domain.
type Rule struct {
	Host     string // a name, or *.domain for the names below it; international names in ASCII (xn--)
	Ports    []int  // nil: 443, or 80 for Plain
	Plain    bool   // plain HTTP instead of TLS
	Internal bool   // the name may resolve to a private address or to this host
}

// Defaults are the public registries of common package managers, and the hosts of the tool chains that these fetch themselves.
func Defaults() []Rule {
	var rules []Rule
	for _, host := range []string{
		"registry.npmjs.org",
		"registry.yarnpkg.com", "repo.yarnpkg.com",
		"pypi.org", "files.pythonhosted.org",
		"index.crates.io", "static.crates.io",
		"proxy.golang.org", "sum.golang.org",
		"rubygems.org", "index.rubygems.org",
		"packagist.org", "repo.packagist.org",
		"repo.maven.apache.org", "repo1.maven.org",
		"services.gradle.org", "plugins.gradle.org", "plugins-artifacts.gradle.org",
		"api.nuget.org",
		"repo.hex.pm", "builds.hex.pm",
		"nodejs.org",
		"static.rust-lang.org",
	} {
		rules = append(rules, Rule{Host: host})
	}
	return rules
}

// ParseRule parses a rule in the operator's notation: "registry.example", "*.example:8443", "http://mirror.example",
// each with " internal" appended for a host in the operator's network. Errors are faults.
func ParseRule(text string) (Rule, error) {
	var r Rule
	words := strings.Fields(text)
	if len(words) == 2 && words[1] == "internal" {
		r.Internal = true
	} else if len(words) != 1 {
		return r, fault.New(fault.Input, "host %q: must be one word", text).
			WithHint("for example registry.example, *.example:8443 or \"mirror.example internal\"")
	}
	host, plain := strings.CutPrefix(words[0], "http://")
	r.Plain = plain
	host = strings.TrimSuffix(strings.TrimPrefix(host, "https://"), "/")
	if before, port, ok := strings.Cut(host, ":"); ok {
		n, ok := parsePort(port)
		if !ok {
			return r, fault.New(fault.Input, "host %q: no port %q", text, port).WithHint("give a number from 1 to 65535")
		}
		host, r.Ports = before, []int{n}
	}
	r.Host = host
	return r.checked()
}

// checked validates a rule and normalizes it for comparison with requests.
func (r Rule) checked() (Rule, error) {
	name, below := strings.CutPrefix(r.Host, "*.")
	ascii, err := idna.Lookup.ToASCII(name)
	if err != nil {
		return r, fault.New(fault.Input, "host %q: %w", r.Host, err).WithHint("give a host name or *.domain")
	}
	ascii, why := hostName(ascii)
	switch {
	case why != "":
		return r, fault.New(fault.Input, "host %q: %s", r.Host, why).WithHint("give a host name or *.domain")
	case below && !strings.Contains(ascii, "."):
		return r, fault.New(fault.Input, "host %q: covers a whole top-level domain", r.Host).
			WithHint("name at least two labels, such as *.example.org")
	}
	r.Host = ascii
	if below {
		r.Host = "*." + ascii
	}
	switch {
	case len(r.Ports) > 0:
	case r.Plain:
		r.Ports = []int{80}
	default:
		r.Ports = []int{443}
	}
	for _, port := range r.Ports {
		if port < 1 || port > 65535 {
			return r, fault.New(fault.Input, "host %q: no port %d", r.Host, port).WithHint("give a number from 1 to 65535")
		}
	}
	return r, nil
}

func (r Rule) covers(host string) bool {
	if below, ok := strings.CutPrefix(r.Host, "*"); ok {
		return strings.HasSuffix(host, below) && len(host) > len(below)
	}
	return host == r.Host
}

type alsoKey struct{}

// Also returns a context for ServeConn with which one connection may reach more hosts. The rules come from ParseRule.
func Also(ctx context.Context, rules []Rule) context.Context {
	return context.WithValue(ctx, alsoKey{}, rules)
}

// rulesFor returns the rules of a connection: everybody's, and those of Also.
func (c *Config) rulesFor(ctx context.Context) []Rule {
	more, _ := ctx.Value(alsoKey{}).([]Rule)
	return slices.Concat(c.Rules, more)
}

// find returns the rule for a normalized host, or why there is none.
func find(rules []Rule, host string, port int, plain bool) (Rule, string) {
	why := "is not a listed host"
	for _, r := range rules {
		switch {
		case !r.covers(host):
		case r.Plain != plain:
			why = "is listed for another scheme"
		case !slices.Contains(r.Ports, port):
			why = "is listed for other ports"
		default:
			return r, ""
		}
	}
	return Rule{}, why
}

// hostName normalizes a name: lower case, without a trailing dot. It refuses everything but plain ASCII names, because a
// resolver, a registry and this package might read others differently.
func hostName(s string) (name, why string) {
	s = strings.TrimSuffix(s, ".")
	if s == "" || len(s) > 253 {
		return "", "is no host name"
	}
	lower := []byte(s)
	for i, c := range lower {
		switch {
		case c >= 'A' && c <= 'Z':
			lower[i] = c + 'a' - 'A'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '_', c == '.':
		case c >= 0x80:
			return "", "is not in its ASCII form"
		default:
			return "", "is no host name"
		}
	}
	s = string(lower)
	if _, err := netip.ParseAddr(s); err == nil || numeric(s[strings.LastIndexByte(s, '.')+1:]) {
		return "", "is an address, not a name"
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return "", "is no host name"
		}
	}
	return s, ""
}

// numeric reports whether some resolvers read the name as an address because of its last label: 127.1, 0x7f000001,
// 017700000001.
func numeric(label string) bool {
	if label != "" && strings.Trim(label, "0123456789") == "" {
		return true
	}
	hex, ok := strings.CutPrefix(label, "0x")
	return ok && strings.Trim(hex, "0123456789abcdef") == ""
}

// parsePort parses a port: digits only, no leading zero.
func parsePort(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 16)
	return int(n), err == nil && n > 0 && s[0] != '0' && s[0] != '+'
}
