package slack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	slackgo "github.com/slack-go/slack"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
)

const (
	unnamedWait = 30 * time.Second // pause when Slack asks for one without a duration
	longestWait = time.Hour
)

// kinds maps Slack's error codes to fault kinds. Others are temporary or Slack's own: Infra.
var kinds = map[string]fault.Kind{
	"invalid_auth": fault.Denied, "not_authed": fault.Denied, "account_inactive": fault.Denied, "token_revoked": fault.Denied,
	"token_expired": fault.Denied, "no_permission": fault.Denied, "missing_scope": fault.Denied, "access_denied": fault.Denied,
	"not_allowed_token_type": fault.Denied, "not_in_channel": fault.Denied, "is_archived": fault.Denied,
	"restricted_action": fault.Denied, "restricted_action_read_only_channel": fault.Denied,
	"restricted_action_thread_only_channel": fault.Denied, "restricted_action_non_threadable_channel": fault.Denied,
	"restricted_action_thread_locked": fault.Denied, "ekm_access_denied": fault.Denied, "team_access_not_granted": fault.Denied,
	"org_login_required": fault.Denied, "user_not_in_channel": fault.Denied, "messages_tab_disabled": fault.Denied,
	"channel_is_limited_access": fault.Denied,
	"two_factor_setup_required": fault.Denied, "enterprise_is_restricted": fault.Denied, "cannot_reply_to_message": fault.Denied,
	"user_is_restricted": fault.Denied, "not_enabled": fault.Denied,

	"channel_not_found": fault.NotFound, "message_not_found": fault.NotFound, "thread_not_found": fault.NotFound,
	"user_not_found": fault.NotFound, "team_not_found": fault.NotFound,
	"cant_update_message": fault.NotFound, "edit_window_closed": fault.NotFound, // the message can't be changed: a new one is posted

	"msg_too_long": fault.Input, "msg_blocks_too_long": fault.Input, "no_text": fault.Input, "invalid_blocks": fault.Input,
	"invalid_blocks_format": fault.Input, "view_too_large": fault.Input, "invalid_arguments": fault.Input, "invalid_arg_name": fault.Input,
	"metadata_too_large": fault.Input, "invalid_metadata_format": fault.Input, "invalid_metadata_schema": fault.Input,
	"metadata_must_be_sent_from_app": fault.Input, "invalid_ts_latest": fault.Input, "invalid_ts_oldest": fault.Input,
	"invalid_trigger_id": fault.Input, "expired_trigger_id": fault.Input, "exchanged_trigger_id": fault.Input,
}

// hints are the ways out, where there is one.
var hints = map[string]string{
	"invalid_auth":      "check the Slack token",
	"not_authed":        "set the Slack token",
	"account_inactive":  "install the app in the workspace again and set the new token",
	"token_revoked":     "install the app in the workspace again and set the new token",
	"token_expired":     "set a new Slack token",
	"missing_scope":     "install the app again from its manifest, so that it gets all scopes",
	"not_in_channel":    "invite the app to the channel: /invite @longshift",
	"channel_not_found": "check the channel's id, and invite the app to the channel",
	"not_enabled":       "enable the app's home tab: take over features.app_home of its manifest",
	"is_archived":       "the channel is archived: name another one",
}

// problem converts an error of the library to a fault, without the library's types and without URLs, since those of
// connections contain a ticket. does describes the operation: "post to Slack".
func problem(ctx context.Context, does string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fault.New(fault.Infra, "%s: %w", does, ctx.Err())
	}
	var (
		limited *slackgo.RateLimitedError
		status  slackgo.StatusCodeError
		said    slackgo.SlackErrorResponse
		call    *url.Error
	)
	switch {
	case errors.As(err, &limited):
		return later(does, limited.RetryAfter)
	case errors.As(err, &status):
		return problemOfStatus(does, status.Code)
	case errors.As(err, &said):
		return problemOfCode(does, said)
	case errors.As(err, &call):
		return fault.New(fault.Infra, "%s: no answer: %w", does, call.Err)
	}
	return fault.New(kindOr(err), "%s: %w", does, err)
}

func problemOfStatus(does string, status int) error {
	switch status {
	case http.StatusTooManyRequests:
		return later(does, 0)
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return fault.New(fault.Denied, "%s: HTTP %d", does, status)
	}
	return fault.New(fault.Infra, "%s: HTTP %d", does, status)
}

func problemOfCode(does string, e slackgo.SlackErrorResponse) error {
	code := channel.Shorten(e.Err, 80)
	if code == "ratelimited" || code == "rate_limited" {
		return later(does, 0)
	}
	kind, ok := kinds[code]
	if !ok {
		kind = fault.Infra
	}
	text := fmt.Sprintf("%s: %s", does, code)
	if e.Needed != "" {
		text += ", needs " + e.Needed
	}
	if more := strings.Join(e.ResponseMetadata.Messages, "; "); more != "" {
		text += ": " + channel.Shorten(more, 300)
	}
	f := fault.New(kind, "%s", text)
	if hint := hints[code]; hint != "" {
		return f.WithHint("%s", hint)
	}
	return f
}

func later(does string, after time.Duration) error {
	if after <= 0 {
		after = unnamedWait
	}
	after = min(after, longestWait)
	return &fault.Later{After: after, Err: fault.New(fault.Infra, "%s: Slack asks for a pause", does)}
}

// kindOr returns the kind of the fault in err's chain, or Infra.
func kindOr(err error) fault.Kind {
	var f *fault.Error
	if errors.As(err, &f) {
		return f.Kind
	}
	return fault.Infra
}
