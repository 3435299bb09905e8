package telegram

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-telegram/bot"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

const (
	tokenHint = "give the token that @BotFather shows for the bot, and check the base URL"
	writeHint = "add the bot to the chat with the right to write, or let the person open a chat with it first"
	chatHint  = "give the number of a chat that the bot is in, such as -1001234567890"
)

// refusal is the error of one request, without the token. It does not wrap errors of the library or net/http: those
// contain the URL, and the URL contains the token.
type refusal struct {
	code  int    // Telegram's error code or the HTTP status; 0 without an answer
	text  string // scrubbed
	wait  time.Duration
	moved int64 // the chat's new id
	cause error // the context's error, or a fault
}

// Error returns Telegram's description, truncated to one line.
func (r *refusal) Error() string {
	text := channel.Shorten(excerpt.OneLine(r.text), 300)
	if r.code == 0 {
		return text
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", r.code, text))
}

// Unwrap returns the context's error, so that callers can detect cancellation.
func (r *refusal) Unwrap() error { return r.cause }

// says reports whether the description contains one of the phrases. Telegram has no codes for most errors.
func (r *refusal) says(phrases ...string) bool {
	text := strings.ToLower(r.text)
	for _, p := range phrases {
		if strings.Contains(text, strings.ToLower(p)) {
			return true
		}
	}
	return false
}

// understand converts an error of the library or net/http. status is that of the answer, 0 for none.
func understand(ctx context.Context, err error, status int, token string) *refusal {
	r := &refusal{code: status, text: scrub(err.Error(), token)}
	var (
		slow  *bot.TooManyRequestsError
		moved *bot.MigrateError
	)
	switch {
	case ctx.Err() != nil:
		return &refusal{text: ctx.Err().Error(), cause: ctx.Err()}
	case errors.As(err, &slow):
		r.code, r.wait = http.StatusTooManyRequests, time.Duration(slow.RetryAfter)*time.Second
	case errors.As(err, &moved):
		r.code, r.moved = http.StatusBadRequest, int64(moved.MigrateToChatID)
	}
	for code, known := range libraryErrors {
		if errors.Is(err, known) {
			r.code, r.text = code, strings.TrimPrefix(r.text, known.Error()+", ")
		}
	}
	return r
}

var libraryErrors = map[int]error{
	http.StatusBadRequest: bot.ErrorBadRequest, http.StatusUnauthorized: bot.ErrorUnauthorized, http.StatusForbidden: bot.ErrorForbidden,
	http.StatusNotFound: bot.ErrorNotFound, http.StatusConflict: bot.ErrorConflict,
}

// fault converts the refusal to a fault. what names the request.
func (r *refusal) fault(what string) error {
	of := func(kind fault.Kind) *fault.Error { return fault.New(kind, "Telegram: %s: %w", what, r) }
	switch {
	case r.code == http.StatusTooManyRequests:
		return &fault.Later{After: max(r.wait, time.Second), Err: of(fault.Infra)}
	case r.tokenRefused():
		return of(fault.Denied).WithHint(tokenHint)
	case r.code == http.StatusForbidden:
		return of(fault.Denied).WithHint(writeHint)
	case r.code == http.StatusRequestEntityTooLarge:
		return of(fault.Input)
	case r.code != http.StatusBadRequest: // no answer, a server's or proxy's error, or an invalid answer
		return of(fault.Infra)
	case r.moved != 0:
		return of(fault.NotFound).WithHint("the chat is now %d", r.moved)
	case r.says("chat not found", "peer_id_invalid", "message thread not found", "topic_deleted"):
		return of(fault.NotFound).WithHint(chatHint)
	case r.says("message to edit not found", "message_id_invalid", "message can't be edited", "message identifier is not specified"):
		return of(fault.NotFound) // a message that can't be edited any more counts as gone
	case r.says("rights", "write_forbidden", "chat_restricted", "topic_closed", "not a member", "admin_required", "user_is_blocked"):
		return of(fault.Denied).WithHint(writeHint)
	}
	return of(fault.Input)
}

// tokenRefused reports whether the token is wrong. An invalid token results in an unknown URL.
func (r *refusal) tokenRefused() bool {
	return r.code == http.StatusUnauthorized || r.code == http.StatusNotFound
}

// scrub removes the token from a text, in every form that it can have in a URL, and its secret half alone.
func scrub(text, token string) string {
	_, half, _ := strings.Cut(token, ":")
	for _, form := range []string{token, url.PathEscape(token), url.QueryEscape(token), half} {
		if form != "" {
			text = strings.ReplaceAll(text, form, "***")
		}
	}
	return text
}
