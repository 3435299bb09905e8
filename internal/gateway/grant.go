package gateway

import (
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// serverTool is a tool that the vendor runs and the operator has granted. It reaches only the hosts of the grant,
// whatever a request asks for.
type serverTool struct {
	name  string
	kind  string   // its type in requests
	beta  string   // that it needs or needed in the past
	hosts []string // in the form of allowed_domains; empty means any
}

// grantable lists the tools that an operator may grant.
var grantable = []serverTool{
	{name: "web_search", kind: "web_search_20250305", beta: "web-search-2025-03-05"},
	{name: "web_fetch", kind: "web_fetch_20250910", beta: "web-fetch-2025-09-10"},
}

// ungranted refuses a tool that an operator could grant.
type ungranted struct{ name string }

func (t ungranted) check(*review, value) error {
	return refuse("is a tool of the vendor's own; an operator can grant it with LONGSHIFT_SERVER_TOOLS=%s", t.name)
}

// Limits of a granted tool per call. A request that sets none gets these.
const (
	maxUses    = 8
	useTokens  = 20_000 // of input per use or per fetched page
	grantsHint = "write web_search, web_search(docs.example) or WebFetch(https://docs.example/*)"
)

// parseGrants parses grants such as WebFetch(https://docs.example/*): a tool's name, with the hosts it may reach in
// brackets.
func parseGrants(list []string) ([]serverTool, error) {
	var granted []serverTool
	for _, entry := range list {
		name, hosts, some := strings.Cut(strings.TrimSuffix(entry, ")"), "(")
		name = strings.ToLower(strings.ReplaceAll(name, "_", ""))
		i := slices.IndexFunc(grantable, func(t serverTool) bool { return strings.ReplaceAll(t.name, "_", "") == name })
		if i < 0 || some != strings.HasSuffix(entry, ")") {
			return nil, fault.New(fault.Input, "%q is not a tool that can be granted", entry).WithHint(grantsHint)
		}
		t := grantable[i]
		for host := range strings.FieldsSeq(hosts) {
			domain, err := domainOf(host)
			if err != nil {
				return nil, err
			}
			t.hosts = append(t.hosts, domain...)
		}
		if some && strings.TrimSpace(hosts) == "" || !some && t.name == "web_fetch" {
			return nil, fault.New(fault.Input, "%q names no host", entry).WithHint("%s, or WebFetch(*) for any host", grantsHint)
		}
		at := slices.IndexFunc(granted, func(g serverTool) bool { return g.kind == t.kind })
		switch {
		case at < 0:
			granted = append(granted, t)
		case t.hosts == nil || granted[at].hosts == nil:
			granted[at].hosts = nil
		default:
			granted[at].hosts = append(granted[at].hosts, t.hosts...)
		}
	}
	return granted, nil
}

// Pages returns the hosts that the operator names in grants of WebFetch, which programs of sessions may then reach too. WebFetch(*) names
// none: any host is for the vendor's own tool only. Invalid grants, which New refuses, grant nothing.
func Pages(grants []string) (hosts []string) {
	for _, entry := range grants {
		granted, err := parseGrants([]string{entry})
		if err == nil && granted[0].name == "web_fetch" {
			hosts = append(hosts, granted[0].hosts...)
		}
	}
	return hosts
}

var domainPattern = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+(/[A-Za-z0-9._~-]+)*$`)

func isDomain(s string) bool { return domainPattern.MatchString(s) && !strings.Contains(s, "/.") }

// domainOf converts a host or URL into the form of allowed_domains, where an entry includes its subdomains and
// everything below its path. For a star, which means any host, it returns no entry.
func domainOf(address string) ([]string, error) {
	if address == "*" {
		return nil, nil
	}
	domain := strings.TrimPrefix(strings.TrimPrefix(address, "https://"), "*.")
	domain = strings.TrimSuffix(strings.TrimSuffix(domain, "*"), "/")
	if !isDomain(domain) {
		return nil, fault.New(fault.Input, "%q is not a host that a tool can be granted for", address).WithHint(grantsHint)
	}
	return []string{domain}, nil
}

// check writes the limits of the grant into a request's definition of the tool.
func (t serverTool) check(r *review, v value) error {
	if !slices.Contains(r.tools, t.name) {
		return refuse("is %s, which this task's settings do not allow; they can in tools.allow", t.name)
	}
	err := record{name: "tool", keys: keys{"type": text, "name": words{t.name}, "max_uses": integer, "max_content_tokens": integer,
		"allowed_domains": list{text}, "blocked_domains": list{text}, "user_location": anything, "citations": anything,
	}}.check(r, v)
	if err != nil {
		return err
	}
	d := v.(*dict) // record.check has verified the type
	r.uses += bound(d, "max_uses", maxUses)
	if t.name == "web_fetch" {
		bound(d, "max_content_tokens", useTokens)
	}
	if t.hosts == nil {
		return nil
	}
	hosts := t.within(d.get("allowed_domains"))
	if len(hosts) == 0 {
		return within("allowed_domains", refuse("names no host that the operator has granted; these are: %s", strings.Join(t.hosts, ", ")))
	}
	d.set("allowed_domains", hosts)
	d.members = slices.DeleteFunc(d.members, func(m member) bool { return m.key == "blocked_domains" }) // the API accepts one of the two
	return nil
}

// within returns the requested hosts that the grant covers, or all granted hosts when the request names none.
func (t serverTool) within(asked value) (hosts []value) {
	items, _ := asked.([]value)
	for _, item := range items {
		host := item.(string) // list.check has verified the type
		if isDomain(host) && slices.ContainsFunc(t.hosts, func(granted string) bool { return task.PageWithin(granted, host) }) {
			hosts = append(hosts, host)
		}
	}
	if asked == nil {
		for _, granted := range t.hosts {
			hosts = append(hosts, granted)
		}
	}
	return hosts
}

// bound lowers a number of a request to most, and sets it to most when it is missing.
func bound(d *dict, key string, most int64) int64 {
	n, given := whole(d.get(key))
	if !given || n > most {
		n = most
		d.set(key, number64(n))
	}
	return n
}
