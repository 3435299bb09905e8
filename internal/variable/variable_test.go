package variable

import (
	"strings"
	"testing"
)

// A name is split into words, so that what only contains a word is not taken for it.
func TestSaysSecret(t *testing.T) {
	t.Parallel()
	for name := range strings.FieldsSeq(`NPM_TOKEN NPMTOKEN GITHUB_TOKENS npm_config__authToken npm_config__auth MY_API_KEY APIKEY STRIPE_KEY AWS_ACCESS_KEY_ID
		SECRET_KEY_BASE CLIENT_SECRETS AUTH BASIC_AUTH OAUTH OAUTH2_CLIENT_ID AUTHORIZATION HTTP_AUTHORIZATION AUTH_TOKEN AUTHTOKEN DB_PASSWORD PGPASSWORD
		MYSQL_PWD DB_PASS GPG_PASSPHRASE AWS_CREDENTIALS CREDS GITHUB_PAT SSH_PRIVATE_KEY PRIVATEKEY JWT BEARER TOKEN1`) {
		if !SaysSecret(name) {
			t.Errorf("%s is not taken for a secret", name)
		}
	}
	for name := range strings.FieldsSeq(`GIT_AUTHOR_NAME AUTHOR AUTHORS GIT_AUTHOR_EMAIL AUTHORITY MONKEY MONKEYPATCH KEYBOARD_LAYOUT KEYCLOAK_URL TURKEY HOTKEYS PATH
		PATTERN COMPASS BYPASS_CACHE PASSENGER_ENV PASSIVE PWD OLDPWD TOKENIZERS_PARALLELISM SECRETARY CREDIT_LIMIT GOPRIVATE CC NODE_OPTIONS TZ NODE_ENV`) {
		if SaysSecret(name) {
			t.Errorf("%s is taken for a secret", name)
		}
	}
}

func TestWhoMaySetWhat(t *testing.T) {
	t.Parallel()
	for name := range strings.FieldsSeq("HOME PATH LD_PRELOAD https_proxy NO_PROXY LONGSHIFT_DATA TEMPORAL_ADDRESS BASH_ENV ENV SSH_AUTH_SOCK") {
		if !Reserved(name) {
			t.Errorf("%s may be given to tasks", name)
		}
	}
	for name := range strings.FieldsSeq("GIT_DIR GIT_SSH_COMMAND ANTHROPIC_BASE_URL CLAUDE_CODE_SHELL BASH_MAX_TIMEOUT_MS BASHOPTS SHELLOPTS IFS PS4") {
		if Reserved(name) || !OperatorOnly(name) {
			t.Errorf("%s: the operator may not give it, or a repository may", name)
		}
	}
	for name := range strings.FieldsSeq("TZ NODE_ENV NODE_OPTIONS DATABASE_URL HOMEPAGE PATHS ENVIRONMENT LDFLAGS BASHFUL") {
		if Reserved(name) || OperatorOnly(name) {
			t.Errorf("%s may not be set", name)
		}
	}
	for name, is := range map[string]bool{"A": true, "_x1": true, "": false, "1X": false, "A-B": false, "A B": false, "A=B": false, "BASH_FUNC_x%%": false} {
		if IsName(name) != is {
			t.Errorf("%q: a name is %v", name, !is)
		}
	}
}
