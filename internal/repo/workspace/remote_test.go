package workspace

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

func TestHTTPWithLogin(t *testing.T) {
	t.Parallel()
	const token = "ghs_verysecret0123456789"
	h := gittest.NewHTTP(t, start)
	h.Login("x-access-token", token)
	b := newBench(t, h.URL)
	b.auth = Auth{Token: token}
	var seen sync.Map
	h.Before(func(service, step string) gittest.Action {
		seen.Store(service+" "+step, true)
		if found := inArguments(t, token); found != "" {
			t.Errorf("the token is in the arguments of a process: %s", found)
		}
		return gittest.Action{}
	})
	_, tree := b.prepare("t-1", 1)
	big := strings.Repeat("0123456789abcdef", 1<<17) // 2 MiB that do not compress away, sent in chunks
	b.commit(tree, "1", map[string]string{"a.txt": "a\n", "big.bin": scramble(big)})
	must(t, tree.Checkpoint(t.Context()))
	if _, err := tree.Push(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, request := range []string{"upload-pack serve", "receive-pack serve"} {
		if _, ok := seen.Load(request); !ok {
			t.Errorf("no request %s", request)
		}
	}
	if found := inFiles(t, b.m.config.Dir, token); found != "" || strings.Contains(b.log.String(), token) {
		t.Errorf("the token is in %q or in the log:\n%s", found, b.log.String())
	}
	b.auth = Auth{User: "x-access-token", Token: "wrong-" + token}
	_, err := b.m.Prepare(t.Context(), b.spec("t-2", 1))
	wantFault(t, err, fault.Denied, "owner/repo", "does not let us in")
	if strings.Contains(err.Error(), token) {
		t.Errorf("the error has the token: %v", err)
	}
	b.auth = Auth{}
	_, err = b.m.Prepare(t.Context(), b.spec("t-2", 1))
	wantFault(t, err, fault.Denied)
	b.remote = strings.Replace(h.URL, "http://", "http://x-access-token:"+token+"@", 1) // a login in the address is taken out
	if _, err = b.m.Prepare(t.Context(), b.spec("t-2", 1)); err != nil {
		t.Error(err)
	}
	if found := inFiles(t, b.m.config.Dir, token); found != "" {
		t.Errorf("the token is in %s", found)
	}
}

// scramble makes text that zlib can hardly compress.
func scramble(s string) string {
	b := []byte(s)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return string(b)
}

func inArguments(t *testing.T, secret string) string {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(list) == 0 {
		t.Skip("no /proc here")
	}
	for _, f := range list {
		if data, err := os.ReadFile(f); err == nil && strings.Contains(string(data), secret) {
			return string(data)
		}
	}
	return ""
}

func inFiles(t *testing.T, dir, secret string) (found string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), secret) {
			found = path
		}
		return err
	})
	must(t, err)
	return found
}

func TestFaultsOfTheRemote(t *testing.T) {
	t.Parallel()
	h := gittest.NewHTTP(t, start)
	b := newBench(t, h.URL)
	_, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	for name, c := range map[string]struct {
		action gittest.Action
		kind   fault.Kind
		words  string
	}{
		"401":  {gittest.Action{Status: 401}, fault.Denied, "does not let us in"},
		"403":  {gittest.Action{Status: 403}, fault.Denied, "does not let us in"},
		"404":  {gittest.Action{Status: 404}, fault.NotFound, "repository owner/repo is not there"},
		"301":  {gittest.Action{Status: 301}, fault.NotFound, "has moved"},
		"429":  {gittest.Action{Status: 429}, fault.Infra, "can't be reached"},
		"500":  {gittest.Action{Status: 500}, fault.Infra, "can't be reached"},
		"503":  {gittest.Action{Status: 503}, fault.Infra, "can't be reached"},
		"drop": {gittest.Action{Drop: true}, fault.Infra, "can't be reached"},
		"hang": {gittest.Action{Hang: true}, fault.Infra, "can't be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			b.m.remotes.silence = 30 * time.Second
			if c.action.Hang {
				b.m.remotes.silence = time.Second
			}
			for _, at := range []string{"advertise", "serve"} {
				if at == "serve" && c.action.Status/100 == 3 {
					continue
				}
				h.Before(func(_, step string) gittest.Action {
					if step == at {
						return c.action
					}
					return gittest.Action{}
				})
				wantFault(t, tree.Checkpoint(t.Context()), c.kind, c.words)
			}
		})
	}
	h.Before(nil)
	must(t, tree.Checkpoint(t.Context()))
}

func TestLoginIsNotShownToAnotherPlace(t *testing.T) {
	t.Parallel()
	h := gittest.NewHTTP(t, start)
	h.Login("x-access-token", "secret")
	b := newBench(t, h.URL)
	b.auth = Auth{Token: "secret"}
	var requests atomic.Int32
	h.Before(func(string, string) gittest.Action {
		requests.Add(1)
		return gittest.Action{Status: 302}
	})
	_, err := b.m.Prepare(t.Context(), b.spec("t-1", 1))
	wantFault(t, err, fault.NotFound, "has moved")
	if requests.Load() != 1 {
		t.Errorf("%d requests, the redirect was followed", requests.Load())
	}
}

func TestRemoteThatIsNotThere(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, l.Close())
	for name, c := range map[string]struct {
		remote string
		kind   fault.Kind
		words  string
	}{
		"no folder":     {t.TempDir() + "/none.git", fault.NotFound, "owner/repo is not there"},
		"no repository": {t.TempDir(), fault.NotFound, "owner/repo is not there"},
		"nobody there":  {"http://" + l.Addr().String() + "/repo.git", fault.Infra, "can't be reached"},
		"helper":        {"ext::sh -c touch%20/tmp/x", fault.Input, "can't be given"},
		"option":        {"--upload-pack=x", fault.Input, "can't be given"},
		"ssh":           {"ssh://git@" + l.Addr().String() + "/repo.git", fault.Infra, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, c.remote)
			_, err := b.m.Prepare(t.Context(), b.spec("t-1", 1))
			wantFault(t, err, c.kind, c.words)
		})
	}
}

func TestServerThatRefusesByItsOwnRules(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	_, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	hook := filepath.Join(bare, "hooks", "pre-receive")
	must(t, os.MkdirAll(filepath.Dir(hook), 0o755))
	gittest.Program(t, hook, "#!/bin/sh\necho 'GH013: Repository rule violations found' >&2\nexit 1\n")
	_, err := tree.Push(t.Context())
	wantFault(t, err, fault.Denied, "rule of its own", "GH013")
}

func TestClassify(t *testing.T) {
	t.Parallel()
	rem := remote{name: "owner/repo"}
	for said, want := range map[string]fault.Kind{
		"remote: Repository not found.\nfatal: repository 'https://github.com/a/b.git/' not found":                         fault.NotFound,
		"ERROR: Repository not found.\nfatal: Could not read from remote repository.":                                      fault.NotFound,
		"fatal: could not read Username for 'https://github.com': terminal prompts disabled":                               fault.Denied,
		"remote: Permission to a/b.git denied to c.\nfatal: unable to access: The requested URL returned error: 403":       fault.Denied,
		"git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.":                    fault.Denied,
		"fatal: detected dubious ownership in repository at '/repos/a'":                                                    fault.Denied,
		"remote: error: GH006: Protected branch update failed\n ! [remote rejected] (protected branch hook declined)":      fault.Denied,
		"fatal: unable to access 'https://x/': Could not resolve host: x":                                                  fault.Infra,
		"error: RPC failed; curl 56 Recv failure: Connection reset by peer\nfatal: early EOF":                              fault.Infra,
		"ssh: connect to host x port 22: Connection timed out":                                                             fault.Infra,
		"fatal: something nobody has seen before":                                                                          fault.Infra,
		"remote: fatal: unable to write loose object file: No space left on device\nerror: remote unpack failed: abnormal": fault.Infra,
	} {
		if err := classify(&git.Error{Command: "fetch", Stderr: said}, rem, "", said); fault.KindOf(err) != want || !strings.Contains(err.Error(), "owner/repo") {
			t.Errorf("%q is %v", said, err)
		}
	}
}
