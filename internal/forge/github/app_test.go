package github

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/task"
)

// appKey is a real key, made once: that takes a while.
var appKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func pemOf(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func appPEM() string { return pemOf("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(appKey())) }

// everything is all that Longshift asks of an app.
var everything = map[string]string{"contents": "write", "pull_requests": "write", "issues": "write", "checks": "write",
	"actions": "read", "statuses": "read", "workflows": "write"}

// appBench is a bench whose forge is an app, installed for acme.
type appBench struct {
	*bench
	mu     sync.Mutex
	learnt []string
	app    App
}

func newAppBench(t *testing.T) *appBench {
	t.Helper()
	return appOf(newBench(t))
}

func appOf(from *bench) *appBench {
	b := &appBench{bench: from}
	b.server.UseApp(forgetest.App{ID: 123, Slug: "longshift-acme", Owner: "ann", Key: &appKey().PublicKey, Permissions: everything})
	b.server.Install(forgetest.Installation{ID: 7, Account: "acme", Permissions: everything})
	b.app = App{ID: "123", Key: func(context.Context) (string, error) { return appPEM(), nil }, Learn: b.learn}
	b.forge = b.as(b.app)
	b.t.Cleanup(func() {
		for _, secret := range b.known() {
			if strings.Contains(b.log.String(), secret) {
				b.t.Error("a token is in the log")
			}
		}
	})
	return b
}

func (b *appBench) as(a App) *Forge {
	b.t.Helper()
	c := Config{BaseURL: b.server.URL, App: &a}
	return b.open(c)
}

func (b *appBench) learn(secrets ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.learnt = append(b.learnt, secrets...)
}

func (b *appBench) known() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.learnt...)
}

const mints = "/access_tokens"

// An app can do what a token can.
func TestConformApp(t *testing.T) {
	forgetest.Conform(t, func(t *testing.T) forgetest.Fixture { return newAppBench(t).fixture("") })
}

// A token is asked for once, however many calls begin at the same time, kept until shortly before its end, and known to the redactor
// before it is used.
func TestAppTokenIsRenewed(t *testing.T) {
	b := newAppBench(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := b.forge.RepositoryState(t.Context(), shop(), "", "longshift/"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	first, err := b.forge.GitToken(t.Context(), shop())
	if err != nil || !b.server.Takes(first) || b.server.Count("POST", mints) != 1 || len(b.known()) != 1 || b.known()[0] != first {
		t.Fatalf("%d tokens were made, %d are known, %v", b.server.Count("POST", mints), len(b.known()), err)
	}
	for _, step := range []struct {
		after time.Duration
		mints int
	}{{49 * time.Minute, 1}, {2 * time.Minute, 2}, {49 * time.Minute, 2}, {2 * time.Hour, 3}} {
		b.clock.advance(step.after)
		text, err := b.forge.GitToken(t.Context(), shop())
		if n := b.server.Count("POST", mints); err != nil || n != step.mints || !b.server.Takes(text) {
			t.Errorf("%s later: %d tokens were made, want %d; %v", step.after, n, step.mints, err)
		}
	}
	if n := b.server.Count("GET", "/repos/acme/shop/installation"); n != 1 {
		t.Errorf("the installation was looked for %d times", n)
	}
}

// While GitHub makes no new token, the old one is used to its end.
func TestAppTokenOutlivesAnOutage(t *testing.T) {
	b := newAppBench(t)
	first, err := b.forge.GitToken(t.Context(), shop())
	if err != nil {
		t.Fatal(err)
	}
	b.server.Inject(forgetest.Fault{Method: "POST", Path: mints, Status: http.StatusBadGateway, Times: forgetest.Forever})
	b.clock.advance(55 * time.Minute)
	if text, err := b.forge.GitToken(t.Context(), shop()); err != nil || text != first {
		t.Errorf("the old token is not used: %v", err)
	}
	b.clock.advance(10 * time.Minute)
	if _, err := b.forge.GitToken(t.Context(), shop()); fault.KindOf(err) != fault.Infra {
		t.Errorf("after its end: %v", err)
	}
}

// A token that GitHub refuses is asked for again, once, also when the app was taken away and installed again.
func TestAppTokenRefused(t *testing.T) {
	b := newAppBench(t)
	b.ensure(b.request())
	b.server.Install(forgetest.Installation{ID: 8, Account: "acme", Permissions: everything})
	if _, err := b.forge.RepositoryState(t.Context(), shop(), "", "longshift/"); err != nil {
		t.Error(err)
	}
	b.server.ForgetTokens()
	if _, err := b.forge.RepositoryState(t.Context(), shop(), "", "longshift/"); err != nil || b.server.Count("POST", mints) != 3 {
		t.Errorf("%d tokens were made, want 3; %v", b.server.Count("POST", mints), err)
	}
	b.server.Inject(forgetest.Fault{Path: "/repos/acme/shop", Status: http.StatusUnauthorized, Times: 2})
	if _, err := b.forge.RepositoryState(t.Context(), shop(), "", "longshift/"); fault.KindOf(err) != fault.Denied {
		t.Errorf("GitHub refuses every token: %v", err)
	}
}

// What can be wrong with an app, each with its way out and without the key.
func TestAppRefused(t *testing.T) {
	keyOf := func(text string) func(context.Context) (string, error) {
		return func(context.Context) (string, error) { return text, nil }
	}
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	lost := errors.New("no such file")
	for name, c := range map[string]struct {
		change    func(b *appBench)
		kind      fault.Kind
		text, way string
	}{
		"another id":      {func(b *appBench) { b.app.ID = "124" }, fault.Denied, "refused", "LONGSHIFT_GITHUB_APP_ID"},
		"another key":     {func(b *appBench) { b.app.Key = keyOf(pemOf("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(other))) }, fault.Denied, "refused", "private key"},
		"no PEM":          {func(b *appBench) { b.app.Key = keyOf("secret") }, fault.Denied, "not in PEM", ".pem"},
		"no key of RSA":   {func(b *appBench) { b.app.Key = keyOf(pemOf("PUBLIC KEY", []byte("x"))) }, fault.Denied, "not a private key", ".pem"},
		"unreadable key":  {func(b *appBench) { b.app.Key = func(context.Context) (string, error) { return "", lost } }, "", "no such file", ""},
		"not installed":   {func(b *appBench) { b.server.Install() }, fault.NotFound, "not installed on acme/shop", "Install App"},
		"no installation": {func(b *appBench) { b.app.Installation = 99 }, fault.Denied, "no installation 99", "LONGSHIFT_GITHUB_APP_INSTALLATION"},
		"suspended": {func(b *appBench) { b.server.Install(forgetest.Installation{ID: 7, Account: "acme", Suspended: true}) }, fault.Denied, "suspended",
			"see whether"},
	} {
		b := newAppBench(t)
		c.change(b)
		b.forge = b.as(b.app)
		_, err := b.forge.RepositoryState(t.Context(), shop(), "", "longshift/")
		if err == nil || c.kind != "" && fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.text) || !strings.Contains(fault.HintOf(err), c.way) {
			t.Errorf("%s: %v; %s", name, err, fault.HintOf(err))
		}
	}
}

// The key may be converted to PKCS #8, and the installation be named.
func TestAppOtherForms(t *testing.T) {
	b := newAppBench(t)
	der, err := x509.MarshalPKCS8PrivateKey(appKey())
	if err != nil {
		t.Fatal(err)
	}
	b.app.Key = func(context.Context) (string, error) { return pemOf("PRIVATE KEY", der), nil }
	b.app.Installation = 7
	b.forge = b.as(b.app)
	b.ensure(b.request())
	if n := b.server.Count("GET", "/installation"); n != 0 {
		t.Errorf("an installation that is named was looked for %d times", n)
	}
}

// Proofs hold when our clock is wrong by less than a minute.
func TestAppClocks(t *testing.T) {
	for _, skew := range []time.Duration{-50 * time.Second, 50 * time.Second} {
		b := newAppBench(t)
		b.server.SetNow(func() time.Time { return b.clock.now().Add(skew) })
		if _, err := b.forge.GitToken(t.Context(), shop()); err != nil {
			t.Errorf("GitHub's clock is at %s: %v", skew, err)
		}
	}
}

// What the app itself has written is not work, and it holds no fork.
func TestAppKnowsItself(t *testing.T) {
	b := newAppBench(t)
	p := b.ensure(b.request())
	b.server.CommentOn("acme/shop", p.Number, "longshift-acme[bot]", "/longshift do it again")
	b.server.CommentOn("acme/shop", p.Number, "other[bot]", "/longshift do it as well")
	b.server.CommentOn("acme/shop", p.Number, "alice", "@longshift-acme call it Bonjour")
	l, err := b.forge.Snapshot(t.Context(), shop(), p.Number, "")
	if err != nil || len(l.Items) != 1 || l.Items[0].By != "alice" {
		t.Errorf("%+v, %v", l.Items, err)
	}
	if err := b.forge.SetNote(t.Context(), shop(), p.Number, forge.Note{Key: "k", Text: "Works on it"}); err != nil {
		t.Fatal(err)
	}
	notes, err := b.forge.Notes(t.Context(), shop(), p.Number)
	if err != nil || len(notes) != 1 || notes[0].Key != "k" {
		t.Errorf("notes %+v, %v", notes, err)
	}
	if name, err := b.forge.Account(t.Context()); name != "longshift-acme[bot]" || err != nil {
		t.Errorf("%q, %v", name, err)
	}
	if _, err := b.forge.Fork(t.Context(), shop()); fault.KindOf(err) != fault.Denied || !strings.Contains(fault.HintOf(err), "token of a user") {
		t.Errorf("a fork of an app: %v", err)
	}
	if n := b.server.Count("GET", "/user"); n != 0 {
		t.Errorf("GitHub was asked for the user of an app %d times", n)
	}
	if n := b.server.Count("GET", "/app"); n != 1 {
		t.Errorf("GitHub was asked for the app %d times", n)
	}
}

// A poll hears people and not the app, and costs nothing while nothing changes.
func TestAppPolls(t *testing.T) {
	b := newAppBench(t)
	_, from, err := b.forge.Since(t.Context(), shop(), "longshift", "")
	if err != nil {
		t.Fatal(err)
	}
	b.clock.advance(time.Minute)
	n := b.server.AddIssue("acme/shop", forgetest.Issue{Title: "Greet", Author: "alice"})
	b.server.Label("acme/shop", n, "alice", "longshift")
	b.server.CommentOn("acme/shop", n, "bob", "/longshift status")
	all, from, err := b.forge.Since(t.Context(), shop(), "longshift", from)
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	if _, _, err := b.forge.Since(t.Context(), shop(), "longshift", from); err != nil {
		t.Error(err)
	}
	if n := b.server.Count("GET", "/user"); n != 0 {
		t.Errorf("GitHub was asked for the user of an app %d times", n)
	}
}

// All tags are others with another token: what was handled is not handled again, and the new tags hold from then on.
func TestAppPollsWithAnotherToken(t *testing.T) {
	w := &watch{bench: newAppBench(t).bench}
	w.poll()
	n := w.server.AddIssue(repoName, forgetest.Issue{Title: "Greet", Author: "alice", Labels: []string{"longshift"}})
	w.server.CommentOn(repoName, n, "bob", "/longshift status")
	w.settle()
	w.settle()
	for _, step := range []struct {
		after time.Duration
		want  []int
	}{{time.Minute, []int{304, 304, 304}}, {51 * time.Minute, []int{201, 200, 200, 200}}, {time.Minute, []int{304, 304, 304}}} {
		w.clock.advance(step.after)
		before := len(w.server.Calls())
		w.expect()
		var got []int
		for _, c := range w.server.Calls()[before:] {
			got = append(got, c.Status)
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("%s later: answers %d, want %d", step.after, got, step.want)
		}
	}
	w.server.CommentOn(repoName, n, "bob", "/longshift retry")
	w.clock.advance(51 * time.Minute)
	w.expect(fmt.Sprintf("commanded %d bob: retry", n))
}

// Whether an app may push is what its installation has given, and not the account's right in the repository, which it has none of.
func TestAppMayPush(t *testing.T) {
	for level, want := range map[string]bool{"write": true, "read": false} {
		b := newAppBench(t)
		b.server.Install(forgetest.Installation{ID: 7, Account: "acme", Permissions: map[string]string{"contents": level}})
		if st, err := b.forge.RepositoryState(t.Context(), shop(), "", "longshift/"); err != nil || st.Writable != want {
			t.Errorf("%s: %+v, %v", level, st, err)
		}
	}
}

// Each installation has an allowance and tokens of its own.
func TestAppInstallations(t *testing.T) {
	b := newAppBench(t)
	b.server.AddRepository(forgetest.Repository{Name: "beta/site", Branches: map[string]string{"main": strings.Repeat("1", 40)}})
	b.server.Install(forgetest.Installation{ID: 7, Account: "acme"}, forgetest.Installation{ID: 9, Account: "beta"})
	site := task.Repository{Text: "beta/site", Owner: "beta", Name: "site"}
	if _, err := b.forge.RepositoryState(t.Context(), site, "main", "longshift/"); err != nil {
		t.Fatal(err)
	}
	b.server.Inject(forgetest.SecondaryLimit(http.StatusForbidden, time.Hour).On("GET", "/repos/acme/shop"))
	for range 2 {
		if _, err := b.forge.RepositoryState(t.Context(), shop(), "", "longshift/"); fault.KindOf(err) != fault.Infra {
			t.Errorf("during the pause: %v", err)
		}
		if _, err := b.forge.RepositoryState(t.Context(), site, "main", "longshift/"); err != nil {
			t.Errorf("another installation: %v", err)
		}
	}
	if n := b.server.Count("GET", "/repos/acme/shop"); n != 1 {
		t.Errorf("%d calls were made during the pause", n-1)
	}
}

// What the app lacks, and where it can be given: in the settings of its owner, or where it is installed.
func TestAppState(t *testing.T) {
	b := newAppBench(t)
	st, err := b.forge.AppState(t.Context())
	if err != nil || st.Name != "longshift-acme[bot]" || len(st.Missing) != 0 || strings.Join(st.For, " ") != "acme" {
		t.Fatalf("%+v, %v", st, err)
	}
	less := maps.Clone(everything)
	delete(less, "contents")
	less["checks"] = "read"
	b.server.Install(forgetest.Installation{ID: 7, Account: "acme", Permissions: less},
		forgetest.Installation{ID: 8, Account: "beta", Permissions: everything, Suspended: true})
	st, err = b.forge.AppState(t.Context())
	want := []forge.Lack{
		{Where: "acme", Permissions: []string{"Contents: write", "Checks: write"}, Needed: true, Page: b.server.URL + "/organizations/acme/settings/installations/7"},
		{Where: "beta", Permissions: []string{"any, because it is suspended"}, Needed: true, Page: b.server.URL + "/organizations/beta/settings/installations/8"},
	}
	if diff := cmp.Diff(want, st.Missing); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	b.app.Installation = 8
	if st, err := b.as(b.app).AppState(t.Context()); err != nil || strings.Join(st.For, " ") != "beta" {
		t.Errorf("%+v, %v", st, err)
	}
	delete(less, "checks")
	less["contents"] = "write"
	b.server.UseApp(forgetest.App{ID: 123, Slug: "longshift-acme", Owner: "ann", Key: &appKey().PublicKey, Permissions: less})
	st, err = b.as(b.app).AppState(t.Context())
	if err != nil || len(st.Missing) != 2 || st.Missing[0].Needed || st.Missing[0].Page != b.server.URL+"/settings/apps/longshift-acme/permissions" {
		t.Errorf("%+v, %v", st, err)
	}
}

// A repository whose installation is known does not wait while another one is looked for.
func TestKnownInstallationWaitsForNobody(t *testing.T) {
	b := newAppBench(t)
	if _, err := b.forge.GitToken(t.Context(), shop()); err != nil {
		t.Fatal(err)
	}
	if err := b.forge.app.looking.begin(t.Context()); err != nil { // as a slow look-up does
		t.Fatal(err)
	}
	defer b.forge.app.looking.end()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if _, err := b.forge.GitToken(ctx, shop()); err != nil {
		t.Error(err)
	}
}
