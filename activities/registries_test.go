package activities

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// registries are small registries of Go, cargo and npm, with one package each that prints good, and a project that uses them.
type registries struct {
	dir     string // of the registries that are folders
	npm     string // address in a box
	dial    func(context.Context) (net.Conn, error)
	project map[string]string
}

func newRegistries(t *testing.T) registries {
	t.Helper()
	r := registries{dir: t.TempDir(), npm: fmt.Sprintf("http://127.0.0.1:%d/", EgressPort)}
	gittest.Write(t, r.dir, map[string]string{
		"go/example.com/dep/@v/list": "v1.0.0\n", "go/example.com/dep/@v/v1.0.0.info": `{"Version":"v1.0.0"}`,
		"go/example.com/dep/@v/v1.0.0.mod": "module example.com/dep\n",
		"go/example.com/dep/@v/v1.0.0.zip": zipped(t, map[string]string{
			"example.com/dep@v1.0.0/go.mod": "module example.com/dep\n", "example.com/dep@v1.0.0/dep.go": "package dep\n\nfunc Say() string { return \"good\" }\n"}),
	})
	crate := packed(t, map[string]string{"hello-0.1.0/Cargo.toml": "[package]\nname = \"hello\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"hello-0.1.0/src/lib.rs": "pub fn say() -> &'static str { \"good\" }\n"})
	gittest.Write(t, r.dir, map[string]string{"crates/hello-0.1.0.crate": crate,
		"crates/index/he/ll/hello": fmt.Sprintf(`{"name":"hello","vers":"0.1.0","deps":[],"cksum":"%x","features":{},"yanked":false}`+"\n",
			sha256.Sum256([]byte(crate)))})
	tarball := packed(t, map[string]string{"package/package.json": `{"name":"left","version":"1.0.0"}`, "package/index.js": `module.exports = "good"`})
	sum := sha512.Sum512([]byte(tarball))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=300")
		if strings.HasSuffix(q.URL.Path, ".tgz") {
			w.Header().Set("Content-Type", "application/octet-stream")
			fmt.Fprint(w, tarball)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"name":"left","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":"left","version":"1.0.0","dist":{"tarball":"%sleft/-/left-1.0.0.tgz","integrity":"sha512-%s"}}}}`,
			r.npm, base64.StdEncoding.EncodeToString(sum[:]))
	}))
	t.Cleanup(server.Close)
	r.dial = func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", server.Listener.Addr().String())
	}
	r.project = map[string]string{
		"go.mod":            "module example.com/app\n\ngo 1.26\n\nrequire example.com/dep v1.0.0\n",
		"main.go":           "package main\n\nimport \"example.com/dep\"\n\nfunc main() { println(dep.Say()) }\n",
		"crate/Cargo.toml":  "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nhello = \"0.1\"\n",
		"crate/src/main.rs": "fn main() { println!(\"{}\", hello::say()) }\n",
		"crate/.cargo/config.toml": fmt.Sprintf("[source.crates-io]\nreplace-with = \"local\"\n\n[source.local]\nlocal-registry = %q\n",
			filepath.Join(r.dir, "crates")),
		".gitignore": "target\n",
	}
	return r
}

func zipped(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		must(t, err)
		_, err = w.Write([]byte(text))
		must(t, err)
	}
	must(t, z.Close())
	return b.String()
}

func packed(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	g := gzip.NewWriter(&b)
	w := tar.NewWriter(g)
	for name, text := range files {
		must(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}))
		_, err := w.Write([]byte(text))
		must(t, err)
	}
	must(t, w.Close())
	must(t, g.Close())
	return b.String()
}
