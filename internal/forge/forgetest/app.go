package forgetest

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// App is a GitHub App that the server knows.
type App struct {
	ID          int64
	Slug        string
	Owner       string // a user; an organisation when it is that of the installation's account
	Key         *rsa.PublicKey
	Permissions map[string]string
}

// Installation is the app in an account, in all of its repositories.
type Installation struct {
	ID          int64
	Account     string
	Permissions map[string]string // as the account has accepted them
	Suspended   bool
}

// appTokens are the app, its installations, and what was given to them.
type appTokens struct {
	app       App
	installed []Installation
	given     map[string]appToken
}

type appToken struct {
	installation int64
	ends         time.Time
}

// servedApps are the operations of apps.
var servedApps = map[string][]string{
	"/app":                               {"get"},
	"/app/installations":                 {"get"},
	"/repos/{owner}/{repo}/installation": {"get"},
	"/app/installations/{installation_id}/access_tokens": {"post"},
	"/repos/{owner}/{repo}/check-runs":                   {"post"},
	"/repos/{owner}/{repo}/check-runs/{check_run_id}":    {"patch"},
}

// UseApp makes the callers an app and takes their token away.
func (g *GitHub) UseApp(a App) {
	g.set(func() {
		g.apps.app, g.apps.given, g.people.app, g.user = a, map[string]appToken{}, true, a.Slug+"[bot]"
	})
}

// Install sets the installations of the app. Tokens of others are void.
func (g *GitHub) Install(all ...Installation) {
	g.set(func() {
		g.apps.installed = all
		for text, t := range g.apps.given {
			if g.installation(t.installation) == nil {
				delete(g.apps.given, text)
			}
		}
	})
}

// ForgetTokens makes all tokens of installations void.
func (g *GitHub) ForgetTokens() { g.set(func() { clear(g.apps.given) }) }

// Takes tells whether a token may be used now, as the password of git too.
func (g *GitHub) Takes(token string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.takes(token) == nil
}

// takes says why a token is refused; g.mu is held.
func (g *GitHub) takes(token string) *answer {
	t, given := g.apps.given[token]
	ok := token == Token && g.apps.app.ID == 0 || given && g.now().Before(t.ends)
	switch i := g.installation(t.installation); {
	case !ok:
		a := refuse(http.StatusUnauthorized, "Bad credentials")
		return &a
	case given && i.Suspended:
		a := refuse(http.StatusForbidden, "This installation has been suspended")
		return &a
	}
	return nil
}

func (g *GitHub) installation(id int64) *Installation {
	for n := range g.apps.installed {
		if g.apps.installed[n].ID == id {
			return &g.apps.installed[n]
		}
	}
	return nil
}

// reaches tells whether the token of a call is for a repository; g.mu is held.
func (g *GitHub) reaches(r *http.Request, repo *Repository) bool {
	t, given := g.apps.given[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	return !given || strings.EqualFold(g.installation(t.installation).Account, repo.owner())
}

// ofApp tells whether a call is one that an app makes with its own proof.
func ofApp(path string) bool {
	return path == "/app" || strings.HasPrefix(path, "/app/") || strings.HasPrefix(path, "/repos/") && strings.HasSuffix(path, "/installation")
}

// proven holds the proof of an app against the rules of GitHub; g.mu is held.
func (g *GitHub) proven(proof string) error {
	parts := strings.Split(proof, ".")
	if len(parts) != 3 || g.apps.app.Key == nil {
		return fmt.Errorf("A JSON web token could not be decoded")
	}
	var header struct{ Alg string }
	var claims struct {
		Iss      string
		Iat, Exp int64
	}
	for n, into := range []any{&header, &claims} {
		data, err := base64.RawURLEncoding.DecodeString(parts[n])
		if err != nil || json.Unmarshal(data, into) != nil {
			return fmt.Errorf("A JSON web token could not be decoded")
		}
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	now := g.now()
	switch {
	case err != nil || header.Alg != "RS256" || rsa.VerifyPKCS1v15(g.apps.app.Key, crypto.SHA256, sum[:], signature) != nil:
		return fmt.Errorf("A JSON web token could not be decoded")
	case claims.Iss != fmt.Sprint(g.apps.app.ID):
		return fmt.Errorf("Integration not found")
	case time.Unix(claims.Iat, 0).After(now):
		return fmt.Errorf("'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued")
	case !time.Unix(claims.Exp, 0).After(now):
		return fmt.Errorf("'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires")
	case time.Unix(claims.Exp, 0).After(now.Add(10 * time.Minute)):
		return fmt.Errorf("'Expiration time' claim ('exp') is too far in the future")
	}
	return nil
}

// operateApp carries out a call of an app about itself; g.mu is held.
func (g *GitHub) operateApp(rt *route, r *http.Request) answer {
	switch rt.path {
	case "/app":
		return answer{status: http.StatusOK, body: g.appBody("integration")}
	case "/app/installations":
		list := []any{}
		for _, i := range g.apps.installed {
			m := g.installationBody(i)
			account := g.object("enterprise", g.userBody(i.Account)) // here the description asks for what users and enterprises have
			account["name"], account["slug"] = i.Account, i.Account
			m["account"] = account
			list = append(list, m)
		}
		return g.page(list, r.URL)
	case "/repos/{owner}/{repo}/installation":
		for _, i := range g.apps.installed {
			if strings.EqualFold(i.Account, rt.params["owner"]) && g.repo(rt.params["owner"]+"/"+rt.params["repo"]) != nil {
				return answer{status: http.StatusOK, body: g.installationBody(i)}
			}
		}
		return refuse(http.StatusNotFound, "Not Found")
	}
	for _, i := range g.apps.installed {
		if fmt.Sprint(i.ID) != rt.params["installation_id"] {
			continue
		}
		if i.Suspended {
			return refuse(http.StatusForbidden, "This installation has been suspended")
		}
		text := fmt.Sprintf("ghs_testInstallation%dToken%012d", i.ID, g.id())
		ends := g.now().Add(time.Hour).Truncate(time.Second)
		g.apps.given[text] = appToken{i.ID, ends}
		return answer{status: http.StatusCreated, body: g.object("installation-token", map[string]any{"token": text, "expires_at": stamp(ends),
			"permissions": permissionsOf(i.Permissions)})}
	}
	return refuse(http.StatusNotFound, "Not Found")
}

func (g *GitHub) appBody(schema string) map[string]any {
	a := g.apps.app
	return g.object(schema, map[string]any{"id": a.ID, "slug": a.Slug, "name": a.Slug, "owner": g.userBody(a.Owner),
		"html_url": g.URL + "/apps/" + a.Slug, "permissions": permissionsOf(a.Permissions), "events": []any{}})
}

func (g *GitHub) installationBody(i Installation) map[string]any {
	m := g.object("installation", map[string]any{"id": i.ID, "app_id": g.apps.app.ID, "app_slug": g.apps.app.Slug,
		"account": g.userBody(i.Account), "permissions": permissionsOf(i.Permissions), "repository_selection": "all", "events": []any{}, "suspended_at": nil,
		"html_url": fmt.Sprintf("%s/organizations/%s/settings/installations/%d", g.URL, i.Account, i.ID)})
	if i.Suspended {
		m["suspended_at"] = stamp(g.now())
	}
	return m
}

func permissionsOf(all map[string]string) map[string]any {
	out := map[string]any{"metadata": "read"}
	for name, level := range all {
		out[name] = level
	}
	return out
}
