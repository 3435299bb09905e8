package lfs

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

func pointerTo(content string) Pointer {
	return Pointer{fmt.Sprintf("%x", sum256(content)), int64(len(content))}
}

// batches serves batch requests by a function of each, and the rest by another. It notes each request with the login that it bears.
type batches struct {
	mu    sync.Mutex
	seen  []string
	reply func(operation string, list []Pointer) any
	rest  http.HandlerFunc
}

func (b *batches) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	b.seen = append(b.seen, fmt.Sprintf("%s %s %q", r.Method, r.URL.Path, r.Header.Get("Authorization")))
	b.mu.Unlock()
	if !strings.HasSuffix(r.URL.Path, ".git/info/lfs/objects/batch") {
		b.rest(w, r)
		return
	}
	var asked batch
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || r.Header.Get("Accept") != mediaType || r.Header.Get("Content-Type") != mediaType {
		http.Error(w, "no batch", http.StatusUnprocessableEntity)
		return
	}
	json.NewEncoder(w).Encode(b.reply(asked.Operation, asked.Objects))
}

func (b *batches) requests() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.seen, "\n")
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

func none(string) string { return "" }

func remoteAt(url string) Remote {
	return Remote{URL: url + "/o/r", Name: "o/r", Login: "Basic mine", Client: NewClient(none, time.Minute)}
}

func filled(t *testing.T, contents ...string) (s Store, list []Pointer) {
	t.Helper()
	s = Store(t.TempDir())
	for _, c := range contents {
		p := pointerTo(c)
		if err := s.Put(p, strings.NewReader(c)); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return s, list
}

// The login goes only to the repository's own host, not to the host that the server's answer names or redirects to.
func TestLoginStaysHome(t *testing.T) {
	t.Parallel()
	elsewhere := &batches{rest: func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("content")) }}
	other := serve(t, elsewhere)
	home := &batches{}
	url := serve(t, home)
	home.rest = func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/moved/") {
			http.Redirect(w, r, other+"/redirected", http.StatusFound)
		}
	}
	places := map[string]action{}
	home.reply = func(operation string, list []Pointer) any {
		return answer{Objects: []object{{Pointer: list[0], Actions: places}}}
	}
	from, list := filled(t, "content")
	for name, c := range map[string]struct {
		actions  map[string]action
		download bool
		home     []string
		other    []string
	}{
		"upload elsewhere": {map[string]action{"upload": {Href: other + "/up"}, "verify": {Href: url + "/verify"}}, false,
			[]string{`POST /verify "Basic mine"`}, []string{`PUT /up ""`}},
		"upload at home":        {map[string]action{"upload": {Href: url + "/up"}}, false, []string{`PUT /up "Basic mine"`}, nil},
		"a login of the answer": {map[string]action{"upload": {Href: other + "/up", Header: map[string]string{"Authorization": "theirs"}}}, false, nil, []string{`PUT /up "theirs"`}},
		"there already":         {nil, false, nil, nil},
		"download elsewhere":    {map[string]action{"download": {Href: other + "/down"}}, true, nil, []string{`GET /down ""`}},
		"download that moved":   {map[string]action{"download": {Href: url + "/moved/x"}}, true, []string{`GET /moved/x "Basic mine"`}, []string{`GET /redirected ""`}},
	} {
		places, home.seen, elsewhere.seen = c.actions, nil, nil
		r, to := remoteAt(url), Store(t.TempDir())
		var err error
		if c.download {
			err = r.Download(t.Context(), list, to)
		} else {
			err = r.Upload(t.Context(), list, from)
		}
		if err != nil || c.download != to.Has(list[0]) {
			t.Errorf("%s: %v", name, err)
		}
		want := strings.Join(append([]string{`POST /o/r.git/info/lfs/objects/batch "Basic mine"`}, c.home...), "\n")
		if got := home.requests(); got != want {
			t.Errorf("%s: at home\n%s\nwant\n%s", name, got, want)
		}
		if got := elsewhere.requests(); got != strings.Join(c.other, "\n") {
			t.Errorf("%s: elsewhere\n%s", name, got)
		}
	}
}

// A wrong or unexpected answer of a server does no harm and is an error of the right kind.
func TestStrangeAnswers(t *testing.T) {
	t.Parallel()
	from, list := filled(t, "content")
	evil := Pointer{"../../../../" + strings.Repeat("e", 52), 7}
	failing := func(code int) any {
		return map[string]any{"objects": []any{map[string]any{"oid": list[0].ID, "size": 7, "error": map[string]any{"code": code, "message": "no room"}}}}
	}
	get := func(p Pointer, href string) any {
		return answer{Objects: []object{{Pointer: p, Actions: map[string]action{"download": {Href: href}, "upload": {Href: href}}}}}
	}
	for name, c := range map[string]struct {
		reply any
		kind  fault.Kind
		words string
	}{
		"a transfer we do not know": {answer{Transfer: "tus"}, fault.Denied, `"tus"`},
		"an object not asked for":   {get(evil, "http://127.0.0.1:1/x"), "", ""},
		"another size":              {get(Pointer{list[0].ID, 1 << 40}, "http://127.0.0.1:1/x"), "", ""},
		"a file":                    {get(list[0], "file:///etc/passwd"), fault.Denied, "can't be called"},
		"refused":                   {failing(422), fault.Denied, "422 no room"},
		"failed":                    {failing(503), fault.Infra, "no room"},
		"no JSON":                   {json.RawMessage(`"x"`), fault.Infra, "o/r"},
	} {
		url := serve(t, &batches{reply: func(string, []Pointer) any { return c.reply }})
		err := remoteAt(url).Upload(t.Context(), list, from)
		if c.kind == "" && err != nil || c.kind != "" && (fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.words)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for status, kind := range map[int]fault.Kind{401: fault.Denied, 403: fault.Denied, 404: fault.NotFound, 307: fault.NotFound, 413: fault.Denied,
		429: fault.Infra, 500: fault.Infra, 501: fault.NotFound, 507: fault.Denied} {
		url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
			w.WriteHeader(status)
			w.Write([]byte(`{"message":"because"}`))
		}))
		if err := remoteAt(url).Offer(t.Context(), list); fault.KindOf(err) != kind || !strings.Contains(err.Error(), "because") {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// Many objects are requested in parts, and an object that is missing does not stop the others.
func TestManyObjects(t *testing.T) {
	t.Parallel()
	var contents []string
	for i := range 250 {
		contents = append(contents, fmt.Sprint("content ", i))
	}
	from, list := filled(t, contents...)
	b := &batches{}
	url := serve(t, b)
	b.reply = func(_ string, list []Pointer) any {
		if len(list) > 100 {
			t.Errorf("%d objects at once", len(list))
		}
		var a answer
		for _, p := range list {
			a.Objects = append(a.Objects, object{Pointer: p, Actions: map[string]action{"download": {Href: url + "/" + p.ID}}})
		}
		return a
	}
	b.rest = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/"+list[3].ID {
			w.Write([]byte("contenT 3"))
			return
		}
		http.ServeFile(w, r, from.path(Pointer{ID: strings.TrimPrefix(r.URL.Path, "/")}))
	}
	to := Store(t.TempDir())
	err := remoteAt(url).Download(t.Context(), list, to)
	if err == nil || !strings.Contains(err.Error(), list[3].ID) {
		t.Errorf("a forged object: %v", err)
	}
	for i, p := range list {
		if to.Has(p) == (i == 3) {
			t.Errorf("object %d: %v", i, to.Has(p))
		}
	}
	if left, err := os.ReadDir(string(to) + "/tmp"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A server that stops sending, at once or in the middle, counts as down; a slow server does not.
func TestSilence(t *testing.T) {
	t.Parallel()
	const silence = 3 * time.Second
	content := strings.Repeat("x", 8)
	_, list := filled(t, content)
	for name, c := range map[string]struct {
		pieces int // that come, each after a sixth of the silence; the rest never does
		kind   fault.Kind
	}{"at once": {0, fault.Infra}, "in the middle": {4, fault.Infra}, "slow": {8, ""}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &batches{}
			url := serve(t, b)
			b.reply = func(string, []Pointer) any {
				return answer{Objects: []object{{Pointer: list[0], Actions: map[string]action{"download": {Href: url + "/x"}}}}}
			}
			b.rest = func(w http.ResponseWriter, r *http.Request) {
				for range c.pieces {
					select {
					case <-time.After(silence / 6):
					case <-r.Context().Done():
					}
					w.Write([]byte("x"))
					w.(http.Flusher).Flush()
				}
				if c.pieces < len(content) {
					<-r.Context().Done()
				}
			}
			r := remoteAt(url)
			r.Client = NewClient(none, silence)
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			err := r.Download(ctx, list, Store(t.TempDir()))
			if c.kind == "" && err != nil || c.kind != "" && (fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), "silent")) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// Calls go through the proxy that git uses.
func TestProxy(t *testing.T) {
	t.Parallel()
	_, list := filled(t, "content")
	var asked string
	proxy := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Host + r.URL.Path
		w.Write([]byte(`{"objects":[]}`))
	}))
	for _, name := range []string{"http_proxy", "all_proxy", "ALL_PROXY"} {
		asked = ""
		r := Remote{URL: "http://git.example/o/r.git", Name: "o/r", Client: NewClient(func(v string) string {
			if v == name {
				return proxy
			}
			return ""
		}, time.Minute)}
		if err := r.Offer(t.Context(), list); err != nil || asked != "git.example/o/r.git/info/lfs/objects/batch" {
			t.Errorf("%s: the proxy was asked for %q: %v", name, asked, err)
		}
	}
}
