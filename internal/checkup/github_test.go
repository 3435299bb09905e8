package checkup

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
)

func process(t *testing.T, env map[string]string) config.Config {
	t.Helper()
	conf, err := config.Load(func(name string) (string, bool) {
		if name == "HOME" {
			return t.TempDir(), true
		}
		return env[name], env[name] != ""
	})
	if err != nil {
		t.Fatal(err)
	}
	return conf
}

// Each state of the app, with the pages that mend it.
func TestCheckApp(t *testing.T) {
	conf := process(t, map[string]string{"LONGSHIFT_GITHUB_APP_ID": "123", "LONGSHIFT_GITHUB_APP_PRIVATE_KEY": "pem"})
	const install, settings, given = "https://hub/apps/ls/installations/new", "https://hub/settings/apps/ls/permissions", "https://hub/i/7"
	for name, c := range map[string]struct {
		state        forge.AppState
		err          error
		want         signals.HostState
		detail, hint string
	}{
		"good": {forge.AppState{Name: "ls[bot]", For: []string{"acme", "beta"}}, nil, signals.HostOK,
			"ls[bot], with the key of LONGSHIFT_GITHUB_APP_PRIVATE_KEY, installed for acme, beta", ""},
		"nowhere": {forge.AppState{Name: "ls[bot]", Install: install}, nil, signals.HostFail, "installed nowhere", install},
		"sees less": {forge.AppState{Name: "ls[bot]", For: []string{"acme"}, Missing: []forge.Lack{
			{Where: "the app", Permissions: []string{"Checks: write", "Actions: read"}, Page: settings}}}, nil, signals.HostWarn,
			"the app lacks Checks: write, Actions: read", settings},
		"can't push": {forge.AppState{Name: "ls[bot]", For: []string{"acme"}, Missing: []forge.Lack{
			{Where: "the app", Permissions: []string{"Checks: write"}, Page: settings},
			{Where: "acme", Permissions: []string{"Contents: write"}, Needed: true, Page: given}}}, nil, signals.HostFail,
			"acme lacks Contents: write", settings + " and " + given},
		"refused": {forge.AppState{}, fault.New(fault.Denied, "%w", errors.New("refused")).WithHint("look"), signals.HostFail, "refused", "look"},
	} {
		m := &Machine{App: func(context.Context, config.Config) (forge.AppState, error) { return c.state, c.err }}
		got := m.checkGitHub(t.Context(), conf)
		if got.Check != OfApp || got.State != c.want || !strings.Contains(got.Detail, c.detail) || !strings.Contains(got.Hint, c.hint) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A token is only good when GitHub takes it. Who is not reached says nothing about it.
func TestCheckTokenAsksGitHub(t *testing.T) {
	conf := process(t, map[string]string{"LONGSHIFT_GITHUB_TOKEN": "ghp-1"})
	for name, c := range map[string]struct {
		err    error
		want   signals.HostState
		detail string
	}{
		"good":    {nil, signals.HostOK, "ann, from LONGSHIFT_GITHUB_TOKEN"},
		"revoked": {fault.New(fault.Denied, "GitHub refuses the token"), signals.HostFail, "refuses the token"},
		"away":    {fault.New(fault.Infra, "no route"), signals.HostWarn, "could not be asked: no route"},
	} {
		m := &Machine{Account: func(context.Context, config.Config) (string, error) { return "ann", c.err }}
		if got := m.checkGitHub(t.Context(), conf); got.Check != OfGitHub || got.State != c.want || !strings.Contains(got.Detail, c.detail) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestCheckTokenTellsOfApps(t *testing.T) {
	got := new(Machine).checkLogin(t.Context(), process(t, map[string]string{"LONGSHIFT_GITHUB_TOKEN": "ghp-1"}))
	if got.Check != OfGitHub || got.State != signals.HostOK || !strings.Contains(got.Detail, "check runs on pull requests need a GitHub App") {
		t.Errorf("%+v", got)
	}
}
