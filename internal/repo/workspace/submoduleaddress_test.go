package workspace

import (
	"strings"
	"testing"
)

// Addresses in .gitmodules resolve as git resolves them, and are reached in the way that the repository itself is.
func TestSubmoduleAddresses(t *testing.T) {
	t.Parallel()
	login := Auth{Token: "secret"}
	web := remote{url: "https://example.com/acme/web.git", auth: login}
	overSSH, short := remote{url: "ssh://git@example.com:22/acme/web.git", ssh: true}, remote{url: "git@example.com:acme/web.git", ssh: true}
	here, file := remote{url: "/srv/acme/web.git", path: true}, remote{url: "file:///srv/acme/web.git", path: true}
	for _, c := range []struct {
		top           remote
		address, want string // the address, with how: "login" with ours, "nobody", "ssh", "path"; or a part of the error
	}{
		{web, "../lib.git", "https://example.com/acme/lib.git login"}, {web, "../../other/lib", "https://example.com/other/lib login"},
		{web, "./lib.git", "https://example.com/acme/web.git/lib.git login"}, {web, "../../../lib", "leads out"},
		{web, "https://EXAMPLE.com:443/x.git", "https://example.com:443/x.git login"}, {web, "https://example.com:8443/x.git", "https://example.com:8443/x.git nobody"},
		{web, "https://example.com.evil.org/x.git", "https://example.com.evil.org/x.git nobody"}, {web, "https://example.com@evil.org/x.git", "https://evil.org/x.git nobody"},
		{web, "http://example.com/x.git", "not encrypted"}, {web, "https://me:pw@other.org/x.git?a=b#c", "https://other.org/x.git nobody"},
		{web, "git@example.com:acme/lib.git", "https://example.com/acme/lib.git login"}, {web, "ssh://git@example.com:2222/acme/lib.git", "https://example.com/acme/lib.git login"},
		{web, "git@other.org:acme/lib.git", "over ssh"}, {web, "/srv/lib.git", "a path"}, {web, "file:///srv/lib.git", "a path"}, {web, "", "no address"},
		{web, "--upload-pack=x", "no address"}, {web, "ext::sh", "no address"}, {web, "ftp://example.com/x", "of no kind"}, {web, "lib.git", "of no kind"},
		{overSSH, "../lib.git", "ssh://git@example.com:22/acme/lib.git ssh"}, {short, "../lib.git", "git@example.com:acme/lib.git ssh"},
		{short, "../../../lib.git", "leads out"}, {short, "https://example.com/x.git", "https://example.com/x.git nobody"},
		{overSSH, "ssh://-oProxyCommand=x/y", "no server"}, {short, "git@-oProxyCommand:y", "no server"}, {short, "git@example.com:-x", "no server"}, {short, "/srv/x", "a path"},
		{here, "../lib.git", "/srv/acme/lib.git path"}, {here, "/other/../lib.git", "/lib.git path"}, {here, "file:///lib.git", "/lib.git path"}, {here, "../../../../lib", "leads out"},
		{file, "../lib.git", "/srv/acme/lib.git path"}, {here, "https://example.com/x.git", "https://example.com/x.git nobody"}, {here, "http://example.com/x.git", "not encrypted"},
		{here, "git@example.com:x.git", "over ssh"},
	} {
		got, err := c.top.submodule(c.top.url, c.address)
		text := got.url + " nobody"
		switch {
		case err != nil:
			if strings.Contains(c.want, " ") && strings.Contains(err.Error(), c.want) {
				continue
			}
			text = err.Error()
		case got.path:
			text = got.url + " path"
		case got.ssh:
			text = got.url + " ssh"
		case got.auth == login:
			text = got.url + " login"
		}
		if text != c.want {
			t.Errorf("%q in %s: got %s, want %s", c.address, c.top.url, text, c.want)
		}
	}
}
