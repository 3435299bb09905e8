package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/repo/git"
)

// A URL in .gitmodules can be anything that a person has committed (an agent's is not used, see submoduleTree.modules). Submodules are
// fetched under the same rules as the task's own repository: the login goes only to the server it is for, local paths are allowed only when
// the repository is local too, and only plain files, http, https and ssh are used.

// scp is the short form of an address over ssh: user, host and path.
var scp = regexp.MustCompile(`^(?:([\w.-]+)@)?([\w.-]+):([^/].*|/[^/].*)$`)

// submodule returns the remote for a submodule URL in .gitmodules of the repository at parent.
func (r remote) submodule(parent, address string) (remote, error) {
	address, err := relativeTo(parent, address)
	if err != nil {
		return remote{}, err
	}
	if address == "" || address[0] == '-' || strings.Contains(address, "::") || hasControl(address) {
		return remote{}, fmt.Errorf("%.200q is no address that git can be given", address)
	}
	u, err := url.Parse(address)
	short := scp.FindStringSubmatch(address)
	switch {
	case strings.HasPrefix(address, "/"):
		return r.submodulePath(parent, address)
	case err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == "localhost"):
		return r.submodulePath(parent, u.Path)
	case err == nil && (u.Scheme == "https" || u.Scheme == "http"):
		return r.submoduleWeb(u)
	case err == nil && u.Scheme == "ssh":
		return r.submoduleSSH(address, u.User.Username(), u.Hostname(), u.Path)
	case short != nil:
		return r.submoduleSSH(address, short[1], short[2], short[3])
	}
	return remote{}, fmt.Errorf("%.200q is of no kind that is fetched", git.Scrub(address))
}

func hasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// relativeTo resolves a URL that begins with ./ or ../ against the parent's, as git does.
func relativeTo(parent, address string) (string, error) {
	if !strings.HasPrefix(address, "./") && !strings.HasPrefix(address, "../") {
		return address, nil
	}
	head, folder := "", strings.TrimRight(parent, "/")
	if scheme := strings.Index(folder, "://"); scheme >= 0 {
		host := strings.IndexByte(folder[scheme+3:]+"/", '/') + scheme + 3
		head, folder = folder[:host]+"/", strings.TrimPrefix(folder[host:], "/")
	} else if at := strings.IndexByte(folder, ':'); at >= 0 && !strings.HasPrefix(folder, "/") {
		head, folder = folder[:at+1], folder[at+1:]
	}
	if strings.HasPrefix(folder, "/") {
		head, folder = head+"/", folder[1:]
	}
	all := strings.FieldsFunc(folder, func(r rune) bool { return r == '/' })
	for part := range strings.SplitSeq(address, "/") {
		switch {
		case part == "" || part == ".":
		case part != "..":
			all = append(all, part)
		case len(all) == 0:
			return "", fmt.Errorf("%.200q leads out of %s", address, git.Scrub(parent))
		default:
			all = all[:len(all)-1]
		}
	}
	return head + strings.Join(all, "/"), nil
}

// submodulePath is the remote for a local path. It is allowed only when the repository is local too.
func (r remote) submodulePath(parent, dir string) (remote, error) {
	if !r.path || !strings.HasPrefix(parent, "/") && !strings.HasPrefix(parent, "file:") || hasControl(dir) {
		return remote{}, errors.New("it names a path of the machine, which a repository from elsewhere may not")
	}
	dir = path.Clean(dir)
	return remote{by: r.by, url: dir, name: dir, path: true, protocol: "file"}, nil
}

// submoduleWeb is the remote for http and https. Without a login, any https server is allowed and redirects are followed.
func (r remote) submoduleWeb(u *url.URL) (remote, error) {
	if u.Hostname() == "" || strings.HasPrefix(u.Host, "-") || hasControl(u.Path) || hasControl(u.Host) {
		return remote{}, errors.New("its address names no server")
	}
	u = &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host), Path: u.Path, RawPath: u.RawPath}
	out := remote{by: r.by, url: u.String(), name: u.String(), protocol: u.Scheme}
	top, err := url.Parse(r.url)
	same := err == nil && top.Scheme == u.Scheme && hostPort(top) == hostPort(u)
	switch {
	case same:
		out.auth = r.auth
	case u.Scheme == "http":
		return remote{}, errors.New("its address is not encrypted, and on another server than the repository's own")
	}
	return out, nil
}

func hostPort(u *url.URL) string {
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return strings.ToLower(u.Hostname()) + ":" + port
}

// submoduleSSH is the remote for ssh. When the repository itself comes from that server over https, the submodule does too, because there
// is no ssh key then.
func (r remote) submoduleSSH(address, user, host, dir string) (remote, error) {
	if host == "" || strings.HasPrefix(host, "-") || strings.HasPrefix(user, "-") || strings.HasPrefix(dir, "-") || hasControl(dir) {
		return remote{}, errors.New("its address names no server")
	}
	if r.ssh {
		return remote{by: r.by, url: address, name: git.Scrub(address), ssh: true, protocol: "ssh"}, nil
	}
	if top, err := url.Parse(r.url); err == nil && !r.path && strings.EqualFold(top.Hostname(), host) {
		return r.submoduleWeb(&url.URL{Scheme: top.Scheme, Host: top.Host, Path: "/" + strings.TrimPrefix(dir, "/")})
	}
	return remote{}, errors.New("it is reached over ssh, and the repository itself is not")
}

// elsewhere is the same remote without a login. Redirects are followed, because there is no login to leak.
func (r remote) elsewhere() remote {
	r.auth, r.moves = Auth{}, true
	return r
}
