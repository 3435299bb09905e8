package gateway

import (
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// serverTool is a tool that the vendor runs and that an operator has granted. It reaches the hosts that the grant names and
// no others, whatever a request says.
type serverTool struct {
	name  string
	kind  string   // its type in requests
	beta  string   // that it needs, or needed
	hosts []string // as allowed_domains has them; any when empty
}

// grantable are the tools that an operator may grant.
var grantable = []serverTool{
	{name: "web_search", kind: "web_search_20250305", beta: "web-search-2025-03-05"},
	{name: "web_fetch", kind: "web_fetch_20250910", beta: "web-fetch-2025-09-10"},
}

// ungranted is a tool that an operator could grant.
type ungranted struct{ name string }

func (t ungranted) check(*review, value) error {
	return refuse("is a tool of the vendor's own; an operator can grant it with LONGSHIFT_SERVER_TOOLS=%s", t.name)
}

// Bounds of what a granted tool does in one call. A request that names none gets them.
const (
	maxUses    = 8
	useTokens  = 20_000 // of input that a use adds, or of a page that is fetched
	grantsHint = "write web_search, web_search(docs.example) or WebFetch(https://docs.example/*)"
)

// parseGrants reads grants as people write them: the name of a tool, with the hosts that it may reach in brackets.
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

var domainPattern = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+(/[A-Za-z0-9._~-]+)*$`)

func isDomain(s string) bool { return domainPattern.MatchString(s) && !strings.Contains(s, "/.") }

// domainOf turns an address as people write it into one of allowed_domains, which a domain's own subdomains and everything
// below a path are part of. It gives none for a star.
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

// check writes the bounds of the grant into a request's definition of the tool.
func (t serverTool) check(r *review, v value) error {
	err := record{name: "tool", keys: keys{"type": text, "name": words{t.name}, "max_uses": integer, "max_content_tokens": integer,
		"allowed_domains": list{text}, "blocked_domains": list{text}, "user_location": anything, "citations": anything,
	}}.check(r, v)
	if err != nil {
		return err
	}
	d := v.(*dict) // a record's check has seen to it
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
	d.members = slices.DeleteFunc(d.members, func(m member) bool { return m.key == "blocked_domains" }) // the API takes one of them
	return nil
}

// within gives the hosts that were asked for as far as they are granted; all that are when none were.
func (t serverTool) within(asked value) (hosts []value) {
	items, _ := asked.([]value)
	for _, item := range items {
		host := item.(string) // by the check of the list
		if isDomain(host) && slices.ContainsFunc(t.hosts, func(granted string) bool { return covers(granted, host) }) {
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

// covers tells whether one entry of allowed_domains is part of another.
func covers(granted, host string) bool {
	domain, path, _ := strings.Cut(granted, "/")
	under, rest, _ := strings.Cut(host, "/")
	return (under == domain || strings.HasSuffix(under, "."+domain)) && strings.HasPrefix(rest+"/", strings.TrimPrefix(path+"/", "/"))
}

// bound holds a number of a request below a bound, which it also is when the request does not say.
func bound(d *dict, key string, most int64) int64 {
	n, given := whole(d.get(key))
	if !given || n > most {
		n = most
		d.set(key, number64(n))
	}
	return n
}
