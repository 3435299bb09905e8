package redact_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/redact"
)

// tokens generates one token of each format from the seed. The value says whether it stops a push.
func tokens(seed uint64) map[string]struct {
	text string
	sure bool
} {
	r := func(n int, alphabet string) string { seed += 1000; return random(seed, n, alphabet) }
	word := base62 + "_-"
	json := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	type token = struct {
		text string
		sure bool
	}
	all := map[string]token{}
	for rule, text := range map[string]string{
		"github-token": "gh" + "p_" + r(36, base62), "github-token ": "gh" + "s_" + r(20, digits) + "_ey" + r(90, base62) + "." + r(60, base62) + "." + r(43, word),
		"github-pat": "github_" + "pat_" + r(22, base62) + "_" + r(59, base62), "gitlab-token": "glp" + "at-" + r(20, word),
		"anthropic-key": "sk-" + "ant-api03-" + r(93, word) + "AA", "openai-key": "sk-" + "proj-" + r(80, word), "api-key": "sk-" + r(48, base62),
		"api-key ": "sk-" + "or-v1-" + r(64, hexes), "aws-key-id": "AK" + "IA" + r(15, upper+"234567") + "7", "aws-secret": "aws_secret" + "_access_key = " + r(40, base62+"+/"),
		"aws-secret ": `"SecretAccess` + `Key": "` + r(40, base62+"+/") + `"`, "google-api-key": "AI" + "za" + r(35, base62), "google-oauth": "ya" + "29." + r(120, word),
		"azure-account-key": "AccountName=x;Account" + "Key=" + r(86, base62+"+/") + "==", "slack-token": "xo" + "xb-" + r(12, digits) + "-" + r(12, digits) + "-" + r(24, base62),
		"slack-app-token": "xa" + "pp-1-A" + r(10, upper+digits) + "-" + r(13, digits) + "-" + r(64, hexes),
		"slack-webhook":   "https://hooks.slack" + ".com/services/T" + r(10, upper+digits) + "/B" + r(10, upper+digits) + "/" + r(24, base62),
		"discord-webhook": "https://discord.com" + "/api/webhooks/" + r(18, digits) + "/" + r(68, word), "telegram-bot": "7" + r(9, digits) + ":A" + "A" + r(33, base62),
		"npm-token": "np" + "m_" + r(36, base62), "pypi-token": "py" + "pi-AgEIcHlwaS5vcmc" + r(150, word), "rubygems-key": "ruby" + "gems_" + r(48, hexes),
		"docker-token": "dc" + "kr_pat_" + r(27, word), "huggingface-token": "h" + "f_" + r(34, upper+lower), "replicate-token": "r" + "8_" + r(37, base62),
		"groq-key": "gs" + "k_" + r(52, base62), "xai-key": "xa" + "i-" + r(80, base62), "perplexity-key": "pp" + "lx-" + r(48, base62), "digitalocean-token": "do" + "p_v1_" + r(64, hexes),
		"linear-key": "lin_" + "api_" + r(40, base62), "notion-token": "nt" + "n_" + r(46, base62), "stripe-key": "sk_" + "live_" + r(24, base62),
		"square-token": "sq0" + "csp-" + r(43, word), "shopify-token": "shp" + "at_" + r(32, hexes), "sendgrid-key": "S" + "G." + r(22, word) + "." + r(42, word) + "x",
		"databricks-token": "da" + "pi" + r(32, hexes), "planetscale-token": "ps" + "cale_tkn_" + r(43, word), "grafana-token": "gl" + "sa_" + r(32, base62) + "_" + r(8, hexes),
		"vault-token": "hv" + "s." + r(90, word), "pulumi-token": "pu" + "l-" + r(40, hexes), "sentry-token": "sn" + "trys_" + r(80, base62), "newrelic-key": "NR" + "AK-" + r(27, upper+digits),
		"tailscale-key": "ts" + "key-auth-k" + r(11, base62) + "CNTRL-" + r(32, base62), "atlassian-token": "AT" + "ATT3" + r(180, word), "age-key": "AGE-SECRET" + "-KEY-1" + r(58, upper+digits),
		"private-key": "-----BEGIN RSA PRIVATE" + " KEY-----\n" + pieces(r(800, base62+"+/"), 64, "\n") + "==\n-----END RSA PRIVATE" + " KEY-----",
		"jwt":         json(`{"alg":"RS256","kid":"Wvx"}`) + "." + json(`{"iss":"temp`+`oral.io","aud":["temporal.io"],"sub":"`+r(20, base62)+`"}`) + "." + r(86, word),
	} {
		all[rule] = token{text, true}
	}
	for rule, text := range map[string]string{
		"jwt ": json(`{"alg":"HS256"}`) + "." + json(`{"sub":"1234567890"}`) + "." + r(43, word), "stripe-test-key": "sk_" + "test_" + r(24, base62),
		"url-password": "postgres://ann:" + r(20, base62) + "@db.internal/x", "authorization": "Authorization" + ": Bearer " + r(30, word), "authorization ": "authorization" + "=" + r(40, base62),
		"authorization  ": `"Authorization": "Basic ` + r(24, base62) + `="`, "api-key-header": "X-Api-Key: " + r(40, base62),
	} {
		all[rule] = token{text, false}
	}
	return all
}

// secretPart is what must be removed: the longest run of letters and digits that is not a word.
func secretPart(text string) string {
	longest := ""
	for part := range strings.FieldsFuncSeq(text, func(c rune) bool { return !strings.ContainsRune(base62, c) }) {
		if len(part) > len(longest) && !strings.HasSuffix(part, "uthorization") && part != "SecretAccess"+"Key" {
			longest = part
		}
	}
	return longest
}

func TestTokens(t *testing.T) {
	var none *redact.Redactor
	for seed := range uint64(12) {
		for rule, token := range tokens(seed) {
			rule = strings.TrimSpace(rule)
			for _, in := range []string{token.text, "a " + token.text + " b", `{"x":` + quoted(token.text) + `}`, "x='" + token.text + "'\n",
				"+" + token.text + "\n+next line"} {
				found := none.Find(in)
				if len(found) != 1 || found[0].Rule != rule || found[0].Sure != token.sure {
					t.Errorf("seed %d: %s in %q: %+v", seed, rule, in, found)
					continue
				}
				out := none.String(in)
				if strings.Contains(out, secretPart(token.text)) || none.String(out) != out {
					t.Errorf("seed %d: %s: %q became %q", seed, rule, in, out)
				}
			}
		}
	}
}

// A few letters less, another character inside, or a letter in front make it something else.
func TestNearMisses(t *testing.T) {
	var none *redact.Redactor
	for _, in := range []string{
		"gh" + "p_short", "ghp-" + random(1, 36, base62), "xgh" + "p_" + random(1, 36, base62), "github_" + "pat_" + random(1, 12, base62), "sk-" + "ant-short", "task-" + "ant-" + random(1, 40, base62),
		"sk-learn-is-a-library-with-a-long-name", "risk-" + random(1, 40, base62), "AK" + "IA" + random(2, 20, upper), "AK" + "IA" + random(2, 12, upper), "MAK" + "IA" + random(2, 16, upper),
		"AI" + "za" + random(3, 20, base62), "AI" + "za" + random(3, 50, base62), "xo" + "xb-short", "npm" + "_config_cache", "np" + "m_" + random(1, 50, base62), "h" + "f_model_name", "h" + "f_" + random(1, 40, base62),
		"glp" + "at-short", "SG.short.short", "12:A" + "A" + random(1, 33, base62), "1234567890123:A" + "A" + random(1, 33, base62), "eyJhbGciOiJIUzI1NiJ9", "eyJhbGciOiJIUzI1NiJ9.abc.def",
		"-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----", "-----BEGIN CERTIFICATE-----", "https://example.com:8080/a@b", "http://[::1]:7233/", "https://github.com/a/b.git", "git@github.com:a/b.git",
		"Authorization: Bearer $TOKEN", "Authorization: Bearer ${TOKEN}", "Authorization: Bearer <token>", "Authorization: Bearer {{ .Token }}", `req.Header.Set("Authorization", "Bearer "+token)`,
		`req.Header.Set("Authorization", authorizationHeaderOfTheForge)`, "Authorization: required-for-everything", "authorization is done by the forge", "x-api-key: ${KEY}", "aws_secret" + "_access_key = ${AWS_SECRET}",
		"hooks.slack.com/services/T/B/x", "/api/webhooks/list", "da" + "pi-docs", "pul-request", "hv" + "s.example", "lin_api_url", "dop_v1_token", "sk_live_mode", "AccountKey=${KEY}", "tskey-auth-x", "AGE-SECRET-KEY-1",
		"gl" + "c_short", "r" + "8_short", "sntrys_token", "whsec_short", "ya" + "29.short", "https://user@host/x", "ssh://git@host:22/x",
	} {
		if found := none.Find(in); len(found) != 0 || none.String(in) != in {
			t.Errorf("%q: %+v", in, found)
		}
	}
}

// Placeholders are hidden and do not stop a push.
func TestPlaceholders(t *testing.T) {
	var none *redact.Redactor
	for _, in := range []string{
		"gh" + "p_" + strings.Repeat("x", 36), "gh" + "p_0123456789abcdefghijklmnopqrstuvwxyz", "gh" + "p_" + strings.Repeat("a1", 18), "gh" + "p_" + strings.Repeat("0", 36), "AKIAIOSFODNN7" + "EXAMPLE",
		"aws_secret" + "_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY", "aws_secret" + "_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "DIFFERENTX", "sk-" + "ant-api03-your-key-goes-here-please", "sk-" + "ant-" + strings.Repeat("abc", 10), "sk_" + "test_" + random(4, 24, base62),
		"np" + "m_thisisonlyawayofwritingatokenforadoc", "github_" + "pat_11AAAAAAA0" + strings.Repeat("A", 60), "xo" + "xb-123456789012-1234567890123-abcdefghijklmnopqrstuvwx", "-----BEGIN PRIVATE" + " KEY-----\nMII...\n-----END PRIVATE" + " KEY-----",
		"sk-" + "proj-replace-me-with-your-own-key-000", "https://user:password@localhost/db",
	} {
		found := none.Find(in)
		if len(found) != 1 || found[0].Sure {
			t.Errorf("%q: %+v", in, found)
		}
	}
}

// A held value counts whatever it looks like.
func TestHeldPlaceholder(t *testing.T) {
	v := "gh" + "p_" + strings.Repeat("x", 36)
	if found := redact.New(v).Find(v); len(found) != 1 || !found[0].Sure || found[0].Rule != "held-value" {
		t.Errorf("%+v", found)
	}
}

func TestTokenAfterEscape(t *testing.T) {
	var none *redact.Redactor
	token := "gh" + "p_" + random(5, 36, base62)
	for _, before := range []string{`\n`, `\t`, "%3D", `\u003d`, "x=", "_", "-", `\\n`} {
		if got := none.String(before + token); got != before+redact.Mark {
			t.Errorf("after %q: %q", before, got)
		}
	}
	if got := none.String(`"\npm_` + token[4:] + `"`); strings.Contains(got, `\[`) {
		t.Errorf("half an escape is left: %q", got)
	}
}

// Keys occur in code, in JSON and in files; text after an incomplete one stays.
func TestPrivateKeys(t *testing.T) {
	var none *redact.Redactor
	begin, end, body := "-----BEGIN OPENSSH PRIVATE"+" KEY-----", "-----END OPENSSH PRIVATE"+" KEY-----", random(1, 1200, base62+"+/")
	lines := pieces(body, 70, "\n")
	for in, want := range map[string]string{
		"a " + begin + "\n" + lines + "\n" + end + " b":  "a [hidden]" + strings.Repeat("\n", strings.Count(lines, "\n")+2) + " b",
		quoted(begin + "\n" + lines + "\n" + end + "\n"): `"[hidden]\n"`,
		begin + "\n" + lines + "\n{ no end }":            "[hidden]" + strings.Repeat("\n", strings.Count(lines, "\n")+2) + "{ no end }",
		"look for \"" + begin + "\" in it":               "look for \"[hidden]\" in it",
		quoted("HasPrefix(s, \"" + begin + "\")"):        `"HasPrefix(s, \"[hidden]\")"`,
		quoted(quoted("x(\"" + begin + "\n\")")):         quoted(`"x(\"[hidden]\")"`),
	} {
		if got := none.String(in); got != want {
			t.Errorf("%.60q became %q, want %q", in, got, want)
		}
	}
	code := "x := \"" + begin + "\\n\" +\n\t\"" + strings.ReplaceAll(lines, "\n", "\\n\" +\n\t\"") + "\\n\" +\n\t\"" + end + "\""
	if found := none.Find(code); len(found) != 1 || !found[0].Sure || found[0].Offset+found[0].Length != len(code)-1 {
		t.Errorf("in code: %+v of %d", found, len(code))
	}
}
