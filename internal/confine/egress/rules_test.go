package egress

import (
	"reflect"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
)

func TestParseRule(t *testing.T) {
	for text, want := range map[string]Rule{
		"registry.example":               {Host: "registry.example", Ports: []int{443}},
		" Registry.Example. ":            {Host: "registry.example", Ports: []int{443}},
		"*.example.org:8443":             {Host: "*.example.org", Ports: []int{8443}},
		"https://registry.example/":      {Host: "registry.example", Ports: []int{443}},
		"http://mirror.example":          {Host: "mirror.example", Ports: []int{80}, Plain: true},
		"http://mirror.corp:81 internal": {Host: "mirror.corp", Ports: []int{81}, Plain: true, Internal: true},
		"nexus internal":                 {Host: "nexus", Ports: []int{443}, Internal: true},
		"bücher.example":                 {Host: "xn--bcher-kva.example", Ports: []int{443}},
		"*.Bücher.example":               {Host: "*.xn--bcher-kva.example", Ports: []int{443}},
	} {
		if got, err := ParseRule(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "a b", "a external", "*", "*.com", "*.", "a.*.example", "10.0.0.1", "[::1]", "127.1 internal", "a:0",
		"a:65536", "a:b", "a:80:81",
		"user@host", "host/path", "ftp://host", "a..b", "-a.example", "a\x00b", strings.Repeat("a", 64) + ".example"} {
		_, err := ParseRule(text)
		if fault.KindOf(err) != fault.Input || fault.HintOf(err) == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, r := range []Rule{{Host: "a", Ports: []int{0}}, {Host: "a", Ports: []int{443, 70000}}, {Host: ""}, {Host: "1.2.3.4"}} {
		if _, err := New(Config{Rules: []Rule{r}, Setting: "NAME"}); fault.KindOf(err) != fault.Input || !strings.HasPrefix(err.Error(), "NAME: ") {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

func TestPatternInOtherScript(t *testing.T) {
	c, err := Config{Rules: []Rule{{Host: "*.bücher.example"}}}.checked()
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]string{"a.xn--bcher-kva.example": "", "xn--bcher-kva.example": "is not a listed host",
		"a.bucher.example": "is not a listed host"} {
		if _, why := find(c.Rules, host, 443, false); why != want {
			t.Errorf("%s: %q", host, why)
		}
	}
}

// A connection may reach more hosts than the others, and no other port or scheme of them.
func TestAlso(t *testing.T) {
	c, err := Config{Rules: []Rule{{Host: "registry.example"}}}.checked()
	if err != nil {
		t.Fatal(err)
	}
	page, err := ParseRule("docs.example")
	if err != nil {
		t.Fatal(err)
	}
	also := Also(t.Context(), []Rule{page})
	if _, why := find(c.rulesFor(t.Context()), "docs.example", 443, false); why == "" {
		t.Error("every connection reaches it")
	}
	for host, want := range map[string]bool{"docs.example": true, "registry.example": true, "a.docs.example": false, "other.example": false} {
		if _, why := find(c.rulesFor(also), host, 443, false); (why == "") != want {
			t.Errorf("%s: %q", host, why)
		}
	}
	for port, plain := range map[int]bool{80: true, 8443: false} {
		if _, why := find(c.rulesFor(also), "docs.example", port, plain); why == "" {
			t.Errorf("port %d is open", port)
		}
	}
}

func TestDefaults(t *testing.T) {
	p, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, host := range []string{"registry.npmjs.org", "pypi.org", "files.pythonhosted.org", "index.crates.io", "static.crates.io",
		"proxy.golang.org", "sum.golang.org",
		"rubygems.org", "repo.packagist.org", "repo.maven.apache.org", "repo1.maven.org", "api.nuget.org", "registry.yarnpkg.com",
		"services.gradle.org", "plugins.gradle.org", "plugins-artifacts.gradle.org", "repo.hex.pm", "builds.hex.pm", "nodejs.org", "static.rust-lang.org"} {
		if r, why := find(p.config.Rules, host, 443, false); why != "" || r.Internal {
			t.Errorf("%s: %+v, %q", host, r, why)
		}
		for _, plain := range []bool{false, true} {
			if _, why := find(p.config.Rules, host, 80, plain); why == "" {
				t.Errorf("%s:80 is open", host)
			}
		}
	}
	none, err := New(Config{Rules: []Rule{}})
	if err != nil {
		t.Fatal(err)
	}
	defer none.Close()
	if _, why := find(none.config.Rules, "pypi.org", 443, false); why == "" {
		t.Error("an empty list lets the defaults through")
	}
}
