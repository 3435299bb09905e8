package config

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
)

const pem = "-----BEGIN RSA PRIVATE KEY-----\nbm90LWEta2V5\n-----END RSA PRIVATE KEY-----"

func TestGitHubApp(t *testing.T) {
	file := filepath.Join(t.TempDir(), "app.pem")
	write(t, file, pem+"\n")
	for name, env := range map[string][]string{
		"file":    {"LONGSHIFT_GITHUB_APP_PRIVATE_KEY_FILE=" + file},
		"text":    {"LONGSHIFT_GITHUB_APP_PRIVATE_KEY=" + pem},
		"escaped": {"LONGSHIFT_GITHUB_APP_PRIVATE_KEY=" + strings.ReplaceAll(pem, "\n", `\n`)},
	} {
		c, err := Load(lookup(append(env, "LONGSHIFT_GITHUB_APP_ID=123", "LONGSHIFT_GITHUB_APP_INSTALLATION=77", "GH_TOKEN=g")...))
		if err != nil {
			t.Fatal(name, err)
		}
		key, err := c.GitHub.App.Key.Read()
		if err != nil || key != pem || c.GitHub.App.ID != "123" || c.GitHub.App.Installation != 77 || !c.GitHub.Authorized() {
			t.Errorf("%s: %q, %v, %+v", name, key, err, c.GitHub)
		}
		if c.GitHub.Token.Present() || !strings.HasPrefix(c.GitHub.Source(), "LONGSHIFT_GITHUB_APP_PRIVATE_KEY") {
			t.Errorf("%s: the token of another program is used beside the app, from %s", name, c.GitHub.Source())
		}
		for _, v := range c.Describe() {
			if v.Name == "LONGSHIFT_GITHUB_TOKEN" && (v.Value != "" || v.Origin != OriginDefault) {
				t.Errorf("%s: described as %+v", name, v)
			}
		}
	}
	write(t, file, "")
	c, err := Load(lookup("LONGSHIFT_GITHUB_APP_ID=Iv1.abc", "LONGSHIFT_GITHUB_APP_PRIVATE_KEY_FILE="+file))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.GitHub.App.Key.Read(); fault.KindOf(err) != fault.Denied {
		t.Errorf("an empty file: %v", err)
	}
}

func TestGitHubHost(t *testing.T) {
	for url, want := range map[string]string{"": "github.com", "https://api.github.com": "github.com",
		"https://ghe.example.com/":     "ghe.example.com",
		"http://127.0.0.1:3000/api/v3": "127.0.0.1:3000", "https://api.acme.ghe.com": "acme.ghe.com"} {
		if got := (GitHub{URL: url}).Host(); got != want {
			t.Errorf("%q: %s, want %s", url, got, want)
		}
	}
}

func TestGitHubAppMistakes(t *testing.T) {
	app := []string{"LONGSHIFT_GITHUB_APP_ID=123", "LONGSHIFT_GITHUB_APP_PRIVATE_KEY=" + pem}
	for _, c := range []struct {
		env  []string
		want string
	}{
		{append(app, "LONGSHIFT_GITHUB_TOKEN="+key),
			"LONGSHIFT_GITHUB_TOKEN: set together with LONGSHIFT_GITHUB_APP_ID; give a token or an app"},
		{append(app, "LONGSHIFT_GITHUB_TOKEN_FILE=/x"),
			"LONGSHIFT_GITHUB_TOKEN_FILE: set together with LONGSHIFT_GITHUB_APP_ID; give a token or an app"},
		{app[:1], `LONGSHIFT_GITHUB_APP_ID="123": has no private key; set LONGSHIFT_GITHUB_APP_PRIVATE_KEY_FILE`},
		{app[1:], "LONGSHIFT_GITHUB_APP_PRIVATE_KEY: of no app; set LONGSHIFT_GITHUB_APP_ID as well"},
		{append(app[1:], "LONGSHIFT_GITHUB_APP_ID=my app"), `LONGSHIFT_GITHUB_APP_ID="my app": not the id of an app; give its number or client id, ` +
			"which its page under Developer settings shows"},
		{append(app, "LONGSHIFT_GITHUB_APP_INSTALLATION=-1"), `LONGSHIFT_GITHUB_APP_INSTALLATION="-1": not the number of an installation; ` +
			"give the one at the end of its page's address, or leave it out"},
		{[]string{"LONGSHIFT_GITHUB_APP_INSTALLATION=7"}, `LONGSHIFT_GITHUB_APP_INSTALLATION="7": of no app; set LONGSHIFT_GITHUB_APP_ID as well`},
	} {
		if _, err := Load(lookup(c.env...)); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
