package redact

import "regexp"

// PrivateKey is the rule for PEM private keys. It is exported because test data is full of them.
const PrivateKey = "private-key"

const ruleJWT = "jwt"

const privateKeyShape = `-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----`

var privateKey = regexp.MustCompile(`^` + privateKeyShape)

// rules are the public formats of tokens, as documented by their issuers. They aim at precision: a format that also
// occurs in ordinary code is left out. Whether a rule is sure enough to stop a push depends on how often tests and
// documents contain such text: passwords in URLs, Authorization headers, JWTs and keys of test accounts are hidden but
// stop nothing.
func rules() []rule {
	return []rule{
		{name: "github-token", literals: "ghp_ gho_ ghu_ ghs_ ghr_", sure: true,
			shape: `gh[pousr]_[A-Za-z0-9_]{20,}(?:\.[A-Za-z0-9_-]{16,}){0,2}`},
		{name: "github-pat", literals: "github_pat_", shape: `github_pat_[A-Za-z0-9_]{22,}`, sure: true},
		{name: "gitlab-token", literals: "glpat- gloas- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent-", sure: true,
			shape: `gl[a-z]{2,5}-[A-Za-z0-9_=-]{20,}(?:\.[A-Za-z0-9_-]+)*`},
		{name: "anthropic-key", literals: "sk-ant-", shape: `sk-ant-[A-Za-z0-9_-]{16,}`, sure: true},
		{name: "openai-key", literals: "sk-proj- sk-svcacct- sk-admin-", shape: `sk-[a-z]+-[A-Za-z0-9_-]{20,}`, sure: true},
		{name: "api-key", literals: "sk-", shape: `sk-(?:or-v1-)?[A-Za-z0-9]{32,}`, sure: true},
		{name: "aws-key-id", literals: "AKIA ASIA ABIA ACCA", shape: `A[KSBC]IA[A-Z0-9]{16}\b`, sure: true},
		{name: "aws-secret", inside: true, sure: true,
			literals: "ws_secret_access_key WS_SECRET_ACCESS_KEY ecretAccessKey ws_session_token WS_SESSION_TOKEN",
			shape: `[A-Za-z_]+\\*["']?\s{0,8}(?::?=|:|=>)\s{0,8}\\*["']?([A-Za-z0-9/+]{40}|[A-Za-z0-9/+]{100,}={0,2})` +
				`(?:[^A-Za-z0-9/+=]|$)`},
		{name: "google-api-key", literals: "AIza", shape: `AIza[A-Za-z0-9_-]{35}\b`, sure: true},
		{name: "google-oauth", literals: "ya29. GOCSPX-", shape: `(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{24,}`, sure: true},
		{name: "azure-account-key", literals: "AccountKey= SharedAccessKey=", inside: true, sure: true,
			shape: `[A-Za-z]+=([A-Za-z0-9+/]{42,}={0,2})`},
		{name: "slack-token", literals: "xoxb- xoxa- xoxp- xoxr- xoxs- xoxe- xoxe.", sure: true,
			shape: `xox[abeprs](?:\.xox[bp])?-[A-Za-z0-9-]{20,}`},
		{name: "slack-app-token", literals: "xapp-", shape: `xapp-[0-9]-[A-Za-z0-9]+-[0-9]+-[A-Za-z0-9]{16,}`, sure: true},
		{name: "slack-webhook", literals: "hooks.slack.com/", inside: true, sure: true,
			shape: `hooks\.slack\.com/((?:services|workflows|triggers)/[A-Za-z0-9_+/-]{24,})`},
		{name: "discord-webhook", literals: "/api/webhooks/", shape: `/api/webhooks/([0-9]{15,20}/[A-Za-z0-9_-]{50,})`, inside: true, sure: true},
		{name: "telegram-bot", literals: ":AA", back: "0123456789", shape: `[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b`, sure: true},
		{name: "npm-token", literals: "npm_", shape: `npm_[A-Za-z0-9]{36}\b`, sure: true},
		{name: "pypi-token", literals: "pypi-AgE", shape: `pypi-AgE[A-Za-z0-9_-]{50,}`, sure: true},
		{name: "rubygems-key", literals: "rubygems_", shape: `rubygems_[a-f0-9]{48}\b`, sure: true},
		{name: "docker-token", literals: "dckr_pat_ dckr_oat_", shape: `dckr_[op]at_[A-Za-z0-9_-]{24,}`, sure: true},
		{name: "huggingface-token", literals: "hf_ api_org_", shape: `(?:hf|api_org)_[A-Za-z0-9]{34}\b`, sure: true},
		{name: "replicate-token", literals: "r8_", shape: `r8_[A-Za-z0-9]{37}\b`, sure: true},
		{name: "groq-key", literals: "gsk_", shape: `gsk_[A-Za-z0-9]{48,}`, sure: true},
		{name: "xai-key", literals: "xai-", shape: `xai-[A-Za-z0-9]{70,}`, sure: true},
		{name: "perplexity-key", literals: "pplx-", shape: `pplx-[A-Za-z0-9]{40,}`, sure: true},
		{name: "digitalocean-token", literals: "dop_v1_ doo_v1_ dor_v1_", shape: `do[opr]_v1_[a-f0-9]{64}\b`, sure: true},
		{name: "linear-key", literals: "lin_api_ lin_oauth_", shape: `lin_(?:api|oauth)_[A-Za-z0-9]{32,}`, sure: true},
		{name: "notion-token", literals: "ntn_", shape: `ntn_[A-Za-z0-9]{40,}`, sure: true},
		{name: "stripe-key", literals: "sk_live_ rk_live_ whsec_", shape: `(?:[sr]k_live|whsec)_[A-Za-z0-9+/]{20,}`, sure: true},
		{name: "stripe-test-key", literals: "sk_test_ rk_test_", shape: `[sr]k_test_[A-Za-z0-9]{20,}`},
		{name: "square-token", literals: "sq0atp- sq0csp- sq0idp-", shape: `sq0[a-z]{3}-[A-Za-z0-9_-]{22,}`, sure: true},
		{name: "shopify-token", literals: "shpat_ shpca_ shppa_ shpss_", shape: `shp[a-z]{2}_[a-fA-F0-9]{32}\b`, sure: true},
		{name: "sendgrid-key", literals: "SG.", shape: `SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}\b`, sure: true},
		{name: "databricks-token", literals: "dapi", shape: `dapi[a-f0-9]{32}\b`, sure: true},
		{name: "planetscale-token", literals: "pscale_", shape: `pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,}`, sure: true},
		{name: "grafana-token", literals: "glsa_ glc_", shape: `gl(?:sa|c)_[A-Za-z0-9+/_=]{32,}`, sure: true},
		{name: "vault-token", literals: "hvs. hvb. hvr.", shape: `hv[sbr]\.[A-Za-z0-9_-]{24,}`, sure: true},
		{name: "pulumi-token", literals: "pul-", shape: `pul-[a-f0-9]{40}\b`, sure: true},
		{name: "sentry-token", literals: "sntrys_ sntryu_", shape: `sntry[su]_[A-Za-z0-9+/=_]{40,}`, sure: true},
		{name: "newrelic-key", literals: "NRAK-", shape: `NRAK-[A-Z0-9]{27}\b`, sure: true},
		{name: "tailscale-key", literals: "tskey-", shape: `tskey-[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]{20,}`, sure: true},
		{name: "atlassian-token", literals: "ATATT3 ATCTT3", shape: `AT[AC]TT3[A-Za-z0-9_=-]{60,}`, sure: true},
		{name: "age-key", literals: "AGE-SECRET-KEY-1", shape: `AGE-SECRET-KEY-1([A-Z0-9]{58})\b`, sure: true},
		{name: ruleJWT, literals: "eyJ", shape: `eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`},
		{name: PrivateKey, literals: "-----BEGIN", shape: privateKeyShape, inside: true},
		{name: "url-password", literals: "://", shape: `://([^/\s@:"'` + "`" + `]*:[^/\s@"'` + "`" + `]+)@`, inside: true},
		{name: "authorization", literals: "uthorization UTHORIZATION", inside: true,
			shape: `(?i:uthorization\\*["']?\s{0,4}[:=,]\s{0,4}\\*["']?(?:bearer|basic|token|digest|apikey)\s+)([A-Za-z0-9_.~+/:-]{8,}={0,2})`},
		{name: "authorization", literals: "uthorization UTHORIZATION", inside: true, random: true,
			shape: `(?i:uthorization\\*["']?\s{0,4}[:=]\s{0,4}\\*["']?)([A-Za-z0-9_.~+/-]{16,}={0,2})`},
		{name: "api-key-header", literals: "-api-key: -Api-Key: -API-KEY:", inside: true, random: true,
			shape: `-[A-Za-z]+-[A-Za-z]+:\s{0,4}([A-Za-z0-9_.~+/-]{16,}={0,2})`},
	}
}
