package github

import (
	"cmp"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"time"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
)

// App is a GitHub App to work as. ID and Key are required.
type App struct {
	ID           string                                    // number or client id
	Key          func(ctx context.Context) (string, error) // its private key in PEM, read for each signature; never logged
	Installation int64                                     // 0: found by the repository
	Learn        func(secrets ...string)                   // is told each token before it is used
}

const (
	proofBefore = time.Minute     // GitHub's clock may be as much behind ours
	proofHolds  = 9 * time.Minute // GitHub takes 10 at most
)

// asApp begins a call about the app itself. Its proof is signed anew each time.
func (a *app) asApp(ctx context.Context) (*session, error) {
	proof, err := a.proof(ctx, a.hub.now())
	if err != nil {
		return nil, err
	}
	return &session{connection: a.hub, key: proof, who: "app"}, nil
}

// proof returns the JSON Web Token by which GitHub knows the app.
func (a *app) proof(ctx context.Context, now time.Time) (string, error) {
	text, err := a.Key(ctx)
	if err != nil {
		return "", fmt.Errorf("read the private key of the GitHub App: %w", err)
	}
	key, err := privateKey([]byte(text))
	if err != nil {
		return "", fault.New(fault.Denied, "the private key of the GitHub App: %w", err).
			WithHint("make one on the app's page and give its .pem file in LONGSHIFT_GITHUB_APP_PRIVATE_KEY_FILE")
	}
	claims, err := json.Marshal(map[string]any{"iss": a.ID, "iat": now.Add(-proofBefore).Unix(), "exp": now.Add(proofHolds).Unix()})
	if err != nil {
		return "", err
	}
	base := base64.RawURLEncoding
	signed := base.EncodeToString([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + base.EncodeToString(claims)
	sum := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		return "", fmt.Errorf("sign as the GitHub App: %w", err)
	}
	return signed + "." + base.EncodeToString(signature), nil
}

// privateKey reads a key as GitHub gives it, or as openssl converts it.
func privateKey(text []byte) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("it is not in PEM")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("it is not a private key of RSA")
	}
	if key, ok := key.(*rsa.PrivateKey); ok {
		return key, nil
	}
	return nil, errors.New("it is not a key of RSA")
}

// appAnswer is what GitHub says of an app.
type appAnswer struct {
	Slug  string `json:"slug"`
	Page  string `json:"html_url"`
	Owner struct {
		Login string `json:"login"`
		Type  string `json:"type"`
	} `json:"owner"`
	Permissions map[string]string `json:"permissions"`
}

// itself asks GitHub for the app.
func (a *app) itself(ctx context.Context) (appAnswer, error) {
	s, err := a.asApp(ctx)
	if err != nil {
		return appAnswer{}, err
	}
	i, err := get[appAnswer](ctx, s, "read the app", "app", "")
	if err == nil && i.value.Slug == "" {
		err = fault.New(fault.Infra, "GitHub: the app has no name")
	}
	return i.value, err
}

// login returns the name by which an app acts.
func (a *app) login(ctx context.Context) (string, error) { return a.name.login(ctx) }

// installation finds the installation that has a repository.
func (a *app) installation(ctx context.Context, owner, name string) (int64, error) {
	if id := cmp.Or(a.Installation, a.known(owner, name)); id != 0 {
		return id, nil
	}
	if err := a.looking.begin(ctx); err != nil {
		return 0, err
	}
	defer a.looking.end()
	if id := a.known(owner, name); id != 0 { // another has found it meanwhile
		return id, nil
	}
	s, err := a.asApp(ctx)
	if err != nil {
		return 0, err
	}
	var i *gh.Installation
	err = s.repeat(ctx, "find the installation", func(c *gh.Client) (resp *gh.Response, err error) {
		i, resp, err = c.Apps.FindRepositoryInstallation(ctx, owner, name)
		return resp, err
	})
	switch {
	case answered(err, http.StatusNotFound):
		return 0, fault.New(fault.NotFound, "GitHub: the app is not installed on %s/%s, or that is not there: %w", owner, name, err).
			WithHint("install it there, from the app's page under Install App; `longshift doctor` names the page")
	case err != nil:
		return 0, err
	}
	a.found(owner, name, i.GetID())
	return i.GetID(), nil
}
