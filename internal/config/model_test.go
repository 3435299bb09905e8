package config

import "testing"

// ANTHROPIC_BASE_URL is used when LONGSHIFT_ANTHROPIC_URL is not set.
func TestModelAddress(t *testing.T) {
	for _, c := range []struct {
		env          []string
		want, origin string
	}{
		{nil, "https://api.anthropic.com", OriginDefault},
		{[]string{"ANTHROPIC_BASE_URL=https://gw.example.com/anthropic/"}, "https://gw.example.com/anthropic", "ANTHROPIC_BASE_URL"},
		{[]string{"ANTHROPIC_BASE_URL=https://gw.example.com", "LONGSHIFT_ANTHROPIC_URL=https://own.example.com"}, "https://own.example.com", OriginEnvironment},
	} {
		got, err := Load(lookup(c.env...))
		if err != nil || got.Model.URL != c.want {
			t.Errorf("%v: %q, %v", c.env, got.Model.URL, err)
		}
		for _, v := range got.Describe() {
			if v.Name == "LONGSHIFT_ANTHROPIC_URL" && v.Origin != c.origin {
				t.Errorf("%v: shown as from %s", c.env, v.Origin)
			}
		}
	}
}

// A key, or another address than OpenAI's own, however that is written.
func TestHasOpenAI(t *testing.T) {
	for env, want := range map[string]bool{"": false, "OPENAI_API_KEY=k": true, "OPENAI_BASE_URL=http://127.0.0.1:11434": true,
		"OPENAI_BASE_URL=https://api.openai.com/v1/": false, "LONGSHIFT_OPENAI_URL=https://api.openai.com": false} {
		if c, err := Load(lookup(env)); err != nil || c.Model.HasOpenAI() != want {
			t.Errorf("%s: %t, %v", env, !want, err)
		}
	}
}

// The first fallback variable is used, and only when LONGSHIFT_GITHUB_TOKEN is not set.
func TestGitHubToken(t *testing.T) {
	for _, c := range []struct {
		env          []string
		want, source string
	}{
		{[]string{"GITHUB_TOKEN=g"}, "g", "GITHUB_TOKEN"},
		{[]string{"GITHUB_TOKEN=g", "GH_TOKEN=h"}, "h", "GH_TOKEN"},
		{[]string{"GITHUB_TOKEN=g", "GH_TOKEN=h", "LONGSHIFT_GITHUB_TOKEN=l"}, "l", "LONGSHIFT_GITHUB_TOKEN"},
	} {
		got, err := Load(lookup(c.env...))
		if err != nil {
			t.Fatal(err)
		}
		if v, err := got.GitHub.Token.Read(); err != nil || v != c.want || got.GitHub.Token.Source() != c.source {
			t.Errorf("%v: %q from %q, %v", c.env, v, got.GitHub.Token.Source(), err)
		}
	}
}
