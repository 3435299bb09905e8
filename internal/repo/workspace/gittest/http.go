package gittest

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Action is what a server does with a request in place of serving it. The zero value serves it.
type Action struct {
	Status int  // answer with this status
	Drop   bool // close the connection without an answer
	Hang   bool // answer nothing until the client goes away or the test ends
}

// A Hook is called for each request: service is "upload-pack" or "receive-pack", step is "advertise" or "serve"; for Git LFS service is
// "lfs", and step "batch", "verify" or the name of the object.
type Hook func(service, step string) Action

// HTTP is a server of bare repositories over git's smart HTTP, and of what they keep in Git LFS.
type HTTP struct {
	Dir     string // where the repositories lie
	URL     string // of the repository that NewHTTP has made
	Bare    string // its folder
	Objects string // URL that objects of Git LFS are at, "" for URL

	mu            sync.Mutex
	user, token   string
	before, after Hook
	old           bool

	base string
	stop chan struct{}
	once sync.Once
}

// Login sets who may come in, by basic authentication. Without it everybody may.
func (h *HTTP) Login(user, token string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.user, h.token = user, token
}

// OldProtocol has the server speak git's first protocol, in which a commit is given only when a ref names it.
func (h *HTTP) OldProtocol() { h.old = true }

// Before sets what is called ahead of each request; nil for nothing.
func (h *HTTP) Before(f Hook) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.before = f
}

// After sets what is called when a request was served and its effect stands, before the answer goes out.
func (h *HTTP) After(f Hook) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.after = f
}

func (h *HTTP) hooks() (before, after Hook) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.before, h.after
}

func (h *HTTP) letsIn(r *http.Request) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	user, token, _ := r.BasicAuth()
	return h.user == "" && h.token == "" || user == h.user && token == h.token
}

// NewHTTP starts a server with one repository, repo.git, made as by NewBare.
func NewHTTP(t testing.TB, files map[string]string) *HTTP {
	t.Helper()
	h := &HTTP{Dir: t.TempDir(), stop: make(chan struct{})}
	s := httptest.NewServer(h)
	h.base = s.URL
	h.Bare, h.URL = filepath.Join(h.Dir, "repo.git"), s.URL+"/repo.git"
	fillBare(t, h.Bare, files)
	t.Cleanup(func() {
		h.once.Do(func() { close(h.stop) })
		s.CloseClientConnections()
		s.Close()
	})
	return h
}

// ServeHTTP serves one request.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	service, step := serviceOf(r)
	if before, _ := h.hooks(); before != nil && h.act(w, r, before(service, step)) {
		return
	}
	if !h.letsIn(r) {
		w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
		http.Error(w, "no such login", http.StatusUnauthorized)
		return
	}
	answer := httptest.NewRecorder()
	if h.serveLFS(answer, r) {
	} else if err := h.backend(answer, r); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if _, after := h.hooks(); after != nil && h.act(w, r, after(service, step)) {
		return
	}
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	w.Write(answer.Body.Bytes())
}

func serviceOf(r *http.Request) (service, step string) {
	if s := r.URL.Query().Get("service"); s != "" {
		return strings.TrimPrefix(s, "git-"), "advertise"
	}
	if strings.Contains(r.URL.Path, "/info/lfs/") {
		return "lfs", filepath.Base(r.URL.Path)
	}
	return strings.TrimPrefix(filepath.Base(r.URL.Path), "git-"), "serve"
}

// act carries an action out and tells whether the request is done with.
func (h *HTTP) act(w http.ResponseWriter, r *http.Request, a Action) bool {
	switch {
	case a.Hang:
		select {
		case <-r.Context().Done():
		case <-h.stop:
		}
		panic(http.ErrAbortHandler)
	case a.Drop:
		panic(http.ErrAbortHandler)
	case a.Status != 0:
		if a.Status/100 == 3 {
			w.Header().Set("Location", h.base+"/elsewhere.git"+strings.TrimPrefix(r.URL.Path, "/repo.git")+"?"+r.URL.RawQuery)
		}
		http.Error(w, http.StatusText(a.Status), a.Status)
		return true
	}
	return false
}

// backend runs git http-backend. CGI knows no chunked bodies, which git sends for large packs, so the body is read first.
func (h *HTTP) backend(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r = r.Clone(r.Context())
	r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	git, err := exec.LookPath("git")
	if err != nil {
		return err
	}
	if h.old {
		r.Header.Del("Git-Protocol") // which CGI hands on by itself
	}
	env := append(Env(), "GIT_PROJECT_ROOT="+h.Dir, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=tester")
	if p := r.Header.Get("Git-Protocol"); p != "" {
		env = append(env, "GIT_PROTOCOL="+p)
	}
	(&cgi.Handler{Path: git, Args: []string{"http-backend"}, Dir: h.Dir, Env: env}).ServeHTTP(w, r)
	return nil
}
