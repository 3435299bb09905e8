package app

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/inbound"
	"github.com/longshift/longshift/task"
)

func TestChannelsThatHaveATokenAreOpened(t *testing.T) {
	t.Parallel()
	none, err := newChannels(load(t), console{strings.NewReader(""), io.Discard}, slog.New(slog.DiscardHandler))
	must(t, err)
	if len(none.all)+len(none.listeners)+len(none.webhooks)+len(none.rooms) != 0 {
		t.Errorf("channels without a token: %+v", none)
	}
	cfg := load(t, "LONGSHIFT_SLACK_BOT_TOKEN=xoxb-1", "LONGSHIFT_SLACK_APP_TOKEN=xapp-1", "LONGSHIFT_SLACK_CHANNELS=C0123456789",
		"LONGSHIFT_TELEGRAM_TOKEN=1:abcdefghij", "LONGSHIFT_TELEGRAM_CHATS=-100,7", "LONGSHIFT_WHATSAPP_TOKEN=w", "LONGSHIFT_WHATSAPP_APP_SECRET=s",
		"LONGSHIFT_WHATSAPP_PHONE_ID=123", "LONGSHIFT_TERMINAL=true")
	all, err := newChannels(cfg, console{strings.NewReader(""), io.Discard}, slog.New(slog.DiscardHandler))
	must(t, err)
	if got := slices.Sorted(maps.Keys(all.all)); !slices.Equal(got, []string{channel.Slack, channel.Telegram, channel.Terminal, channel.WhatsApp}) {
		t.Errorf("channels %v", got)
	}
	if got := slices.Sorted(maps.Keys(all.listeners)); !slices.Equal(got, []string{channel.Slack, channel.Telegram, channel.Terminal}) {
		t.Errorf("listeners %v", got)
	}
	if got := slices.Sorted(maps.Keys(all.webhooks)); !slices.Equal(got, []string{channel.WhatsApp}) {
		t.Errorf("webhooks %v: without its signing secret Slack has none", got)
	}
	want := []task.Room{{Channel: channel.Slack, ID: "C0123456789"}, {Channel: channel.Telegram, ID: "-100"},
		{Channel: channel.Telegram, ID: "7"}, {Channel: channel.Terminal, ID: "operator"}}
	if !slices.Equal(all.rooms, want) {
		t.Errorf("rooms %+v", all.rooms)
	}
	if p := people(load(t, "LONGSHIFT_SLACK_APPROVE=U01,U02"))[channel.Slack]; !slices.Equal(p.Approve, []string{"U01", "U02"}) ||
		len(p.Start)+len(p.Commands) != 0 {
		t.Errorf("people %+v", p)
	}
}

// The folder of projects is opened when the process starts, and none is none.
func TestProjectsAreOpened(t *testing.T) {
	t.Parallel()
	if folders, err := newProjects(load(t)); folders != nil || err != nil {
		t.Errorf("without a folder: %v, %v", folders, err)
	}
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "web"), 0o755))
	folders, err := newProjects(load(t, "LONGSHIFT_PROJECTS="+dir))
	must(t, err)
	if found, err := folders.Find("web"); err != nil || found.Name != "web" {
		t.Errorf("%+v, %v", found, err)
	}
	record := func(context.Context, inbound.Act) error { return nil }
	if _, err := newHandler(load(t, "LONGSHIFT_PROJECTS="+filepath.Join(dir, "gone")), nothing{}, "default", nil, record, nil,
		slog.New(slog.DiscardHandler)); fault.KindOf(err) != fault.Input {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// nothing is a server that nobody asks.
type nothing struct{ client.Client }
