package gateway

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
)

// Try reports in one line whether an endpoint accepts a key, and spends nothing.
func TestTry(t *testing.T) {
	json := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status); _, _ = w.Write([]byte(body)) }
	}
	only := func(path string, f http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != path {
				http.NotFound(w, r)
				return
			}
			f(w, r)
		}
	}
	const models, count = "/anthropic/v1/models", "/anthropic/v1/messages/count_tokens"
	for _, c := range []struct {
		name  string
		kind  Kind
		serve http.HandlerFunc
		fault fault.Kind
		say   string
		paths string
	}{
		{"models", APIKey, only(models, json(200, `{"data":[]}`)), "", "", models},
		{"a gateway without a list", Bearer, only(count, json(200, `{"input_tokens":1}`)), "", "", models + " " + count},
		{"a model that it does not serve", APIKey, only(count, json(400, `{"error":{"message":"model"}}`)), "", "", models + " " + count},
		{"a login", OAuth, only(count, json(200, `{"input_tokens":1}`)), "", "", count},
		{"wrong key", APIKey, json(401, `{"error":{"message":"invalid x-api-key"}}`), fault.Denied, "refuses the key: 401 invalid x-api-key", models},
		{"no right", APIKey, json(403, "no"), fault.Denied, "refuses the key: 403 Forbidden", models},
		{"wrong path", APIKey, http.NotFound, fault.NotFound, "does not answer as the Anthropic API does: 404 Not Found", models + " " + count},
		{"a web site", APIKey, json(200, "<html>"), fault.NotFound, "404 the answer is not JSON", models + " " + count},
		{"elsewhere", APIKey, http.RedirectHandler("https://api.anthropic.com", 302).ServeHTTP, fault.NotFound, "302 Found", models},
		{"overloaded", APIKey, json(529, "{}"), fault.Infra, "is down or overloaded: 529", models},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := newUpstream(t, func(w http.ResponseWriter, r *http.Request, _ []byte) { c.serve(w, r) })
			host := strings.TrimPrefix(u.URL, "http://")
			name, err := Try(t.Context(), Config{Endpoint: Endpoint{Upstream: u.URL + "/anthropic", Credential: fixed(c.kind, testKey)}}, Anthropic)
			if name != host || fault.KindOf(err) != c.fault || err != nil &&
				(!strings.Contains(err.Error(), c.say) || !strings.Contains(err.Error(), host) || fault.HintOf(err) == "") {
				t.Errorf("%s: %v; %s", name, err, fault.HintOf(err))
			}
			var paths []string
			for i := range u.count() {
				r, _ := u.request(i)
				paths = append(paths, r.URL.Path)
				key, auth := r.Header.Get("X-Api-Key"), r.Header.Get("Authorization")
				if c.kind == APIKey && (key != testKey || auth != "") || c.kind != APIKey && (key != "" || auth != "Bearer "+testKey) {
					t.Errorf("shown: %q, %q", key, auth)
				}
			}
			if got := strings.Join(paths, " "); got != c.paths {
				t.Errorf("asked for %s", got)
			}
		})
	}
}

func TestTryUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := l.Addr().String()
	_ = l.Close()
	_, err = Try(t.Context(), Config{Endpoint: Endpoint{Upstream: "http://" + dead + "/hidden-path", Credential: fixed(APIKey, testKey)}}, Anthropic)
	if fault.KindOf(err) != fault.Infra || !strings.Contains(err.Error(), dead+" can't be reached: ") || strings.Contains(err.Error(), "hidden-path") {
		t.Error(err)
	}
	_, err = Try(t.Context(), Config{Endpoint: Endpoint{Credential: func(context.Context) (Credential, error) { return Credential{}, fault.New(fault.Denied, "no key") }}}, Anthropic)
	if fault.KindOf(err) != fault.Denied {
		t.Error(err)
	}
}
