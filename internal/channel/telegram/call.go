package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/go-telegram/bot"

	"github.com/longshift/longshift/internal/fault"
)

const (
	mostAnswer  = 1 << 20  // bytes of an answer to a call
	mostPolled  = 100      // updates in one answer
	mostUpdates = 32 << 20 // bytes of an answer to getUpdates
	grace       = 15 * time.Second
)

// tokenShape is strict, because the token becomes part of a URL: another text could change the URL, or appear escaped in
// an error, where scrub would not find it.
var tokenShape = regexp.MustCompile(`^[0-9]{1,20}:[A-Za-z0-9_-]{10,100}$`)

func (t *Telegram) secret(ctx context.Context) (string, error) {
	token, err := t.token(ctx)
	if err != nil {
		return "", err
	}
	token = strings.TrimSpace(token)
	if !tokenShape.MatchString(token) {
		return "", fault.New(fault.Denied, "the Telegram token is not of the form 123456:ABC…").WithHint(tokenHint)
	}
	return token, nil
}

// call makes one request through the library. The client is only used once, so that a rotated token takes effect at
// once.
func (t *Telegram) call(ctx context.Context, what string, do func(ctx context.Context, b *bot.Bot) error) error {
	token, err := t.secret(ctx)
	if err != nil {
		return err
	}
	d := &doer{client: &t.http}
	b, err := bot.New(token, bot.WithSkipGetMe(), bot.WithServerURL(t.base), bot.WithHTTPClient(time.Second, d), bot.WithUpdatesChannelCap(0),
		bot.WithErrorsHandler(func(err error) { t.log.Warn("Telegram client", "error", scrub(err.Error(), token)) }),
		bot.WithDebugHandler(func(string, ...any) {}))
	if err != nil {
		return fault.New(fault.Internal, "Telegram: %s", scrub(err.Error(), token))
	}
	if err := do(ctx, b); err != nil {
		return understand(ctx, err, d.status, token).fault(what)
	}
	return nil
}

// doer is the library's HTTP client. It keeps the status, which the library drops, and limits the answer. It buffers the
// request, which the library streams: otherwise net/http could not resend it when the server has closed an idle
// connection.
type doer struct {
	client *http.Client
	status int
}

func (d *doer) Do(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return nil, err
	}
	req.ContentLength = int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.Body, _ = req.GetBody()
	resp, err := d.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	d.status = resp.StatusCode
	if body, err = io.ReadAll(io.LimitReader(resp.Body, mostAnswer)); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(lean(body)))
	return resp, nil
}

// lean reduces a message in an answer to its id. The library fails on parts of messages that are newer than itself, such
// as those of a replied-to message; a message that was sent would then look unsent, and be sent again.
func lean(body []byte) []byte {
	var a answer
	var m struct {
		ID int64 `json:"message_id"`
	}
	if json.Unmarshal(body, &a) != nil || !a.OK || json.Unmarshal(a.Result, &m) != nil || m.ID == 0 {
		return body
	}
	return fmt.Appendf(nil, `{"ok":true,"result":{"message_id":%d}}`, m.ID)
}

// answer is the envelope of all Bot API answers.
type answer struct {
	OK          bool            `json:"ok"`
	Result      json.RawMessage `json:"result"`
	Code        int             `json:"error_code"`
	Description string          `json:"description"`
	Parameters  struct {
		RetryAfter int `json:"retry_after"`
	} `json:"parameters"`
}

// updates polls for updates. The library has only a loop for that, which confirms an update before it is handled. Offset
// 0 confirms nothing; another one confirms all updates below it. hold is how long Telegram waits for an update, if there is none.
func (t *Telegram) updates(ctx context.Context, token string, offset int64, hold time.Duration) ([]json.RawMessage, *refusal) {
	ask, _ := json.Marshal(map[string]any{
		"offset": offset, "limit": mostPolled, "timeout": int(hold / time.Second), "allowed_updates": []string{"message", "callback_query"},
	})
	limited, cancel := context.WithTimeout(ctx, hold+grace)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodPost, t.base+"/bot"+token+"/getUpdates", bytes.NewReader(ask))
	if err != nil {
		return nil, &refusal{text: scrub(err.Error(), token)}
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := t.poll.Do(req)
	if err != nil {
		return nil, understand(ctx, err, 0, token)
	}
	defer resp.Body.Close()
	var a answer
	if err := json.NewDecoder(io.LimitReader(resp.Body, mostUpdates)).Decode(&a); err != nil {
		return nil, understand(ctx, errors.New("the answer can't be read: "+err.Error()), resp.StatusCode, token)
	}
	if !a.OK {
		return nil, &refusal{code: a.Code, text: scrub(a.Description, token), wait: time.Duration(a.Parameters.RetryAfter) * time.Second}
	}
	var list []json.RawMessage
	if err := json.Unmarshal(a.Result, &list); err != nil {
		return nil, &refusal{text: "the list of updates can't be read: " + scrub(err.Error(), token)}
	}
	return list, nil
}
