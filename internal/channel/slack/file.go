package slack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path"
	"strings"

	slackgo "github.com/slack-go/slack"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

var _ channel.Attacher = (*Slack)(nil)

// Attach uploads a file in Slack's three steps: ask where to, send it there, and have it shown. Only the last one is seen by
// people. A file's message has no metadata, so the key is part of the file's name, which the comment names too.
func (s *Slack) Attach(ctx context.Context, to task.Room, f channel.File, again bool) error {
	if f.Text == "" {
		return fault.New(fault.Input, "file %q is empty", f.Name).WithHint("give the file a text")
	}
	api, err := s.bot(ctx)
	if err != nil {
		return err
	}
	name := fileName(f)
	if again {
		if there, err := s.attached(ctx, api, to, name); there || err != nil {
			return err
		}
	}
	up, err := api.GetUploadURLExternalContext(ctx, slackgo.GetUploadURLExternalParameters{FileName: name, FileSize: len(f.Text)})
	if err != nil {
		return problem(ctx, "upload a file to Slack", err)
	}
	if !s.mayUpload(up.UploadURL) || up.FileID == "" {
		return fault.New(fault.Infra, "upload a file to Slack: the answer names no file, or an address that is not Slack's")
	}
	if err := api.UploadToURL(ctx, slackgo.UploadToURLParameters{UploadURL: up.UploadURL, Content: f.Text, Filename: name}); err != nil {
		return problem(ctx, "send a file to Slack", err)
	}
	_, err = api.CompleteUploadExternalContext(ctx, slackgo.CompleteUploadExternalParameters{
		Files: []slackgo.FileSummary{{ID: up.FileID, Title: name}}, Channel: to.ID, ThreadTimestamp: to.Thread, InitialComment: comment(f, name)})
	return problem(ctx, "show a file in Slack channel "+to.ID, err)
}

// fileName adds the key to the name of a file.
func fileName(f channel.File) string {
	sum := sha256.Sum256([]byte(f.Key))
	ext := path.Ext(f.Name)
	return strings.TrimSuffix(f.Name, ext) + "-" + hex.EncodeToString(sum[:4]) + ext
}

func comment(f channel.File, name string) string {
	note := ""
	if fit := channel.Fit(channel.Read(f.Note), size, sectionLimit, 1); len(fit) > 0 {
		note = channel.Join(fit[0], mrkdwn) + ": "
	}
	return note + "`" + entities(name) + "`"
}

// attached reports whether the bot has shown a file in a room or thread.
func (s *Slack) attached(ctx context.Context, api *slackgo.Client, in task.Room, name string) (there bool, err error) {
	err = s.each(ctx, api, in, func(m slackgo.Message) (enough bool) {
		there = there || strings.Contains(m.Text, name)
		for _, f := range m.Files {
			there = there || f.Name == name
		}
		return there
	})
	return there, err
}

// mayUpload reports whether a file may be sent to an address that Slack has named. The token goes with it.
func (s *Slack) mayUpload(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return false
	}
	if s.atBase(u) {
		return true
	}
	return u.Scheme == "https" && (strings.HasSuffix(u.Host, ".slack.com") || strings.HasSuffix(u.Host, ".slack-gov.com"))
}
