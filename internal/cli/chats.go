package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/inbound"
	"github.com/longshift/longshift/signals"
)

// chatsOptions are what the commands of chats use.
type chatsOptions struct {
	server  *server.Connector
	printer *term.Printer
	now     func() time.Time
}

func newChatsCommand(f *factory) *cobra.Command {
	o := &chatsOptions{f.server, f.printer, f.clock.Now}
	c := &cobra.Command{
		Use:   "chats",
		Short: "List the chats that people have bound with a one-time code, invite more, take them back",
		Long: `List the chats that people have bound with a one-time code. Whoever binds a chat may do everything from it, beside those
whom the worker's environment lists. At most 100 are kept: one more takes the place of the oldest.`,
		Example:     "  longshift chats\n  longshift chats invite\n  longshift chats remove 12345678",
		Args:        command.Takes(0, 0, ""),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitServer, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, _ []string) error { return o.list(c.Context()) },
	}
	c.AddCommand(o.inviteCommand(), o.removeCommand())
	return c
}

func (o *chatsOptions) list(ctx context.Context) error {
	c, err := o.server.Connect(ctx)
	if err != nil {
		return err
	}
	call, cancel := server.Answer(ctx)
	defer cancel()
	all, err := inbound.Bindings(call, c)
	if err != nil {
		return err
	}
	if len(all) == 0 && o.printer.IsText() {
		o.printer.Say("no chat is bound; `longshift chats invite` makes a code")
		return nil
	}
	if all == nil {
		all = []signals.Binding{}
	}
	return o.printer.Print(all, func() string {
		head := []string{"CHANNEL", "USER", "NAME", "CHAT", "SINCE (UTC)"}
		return o.printer.Fit(term.TableOf(head, all, func(b signals.Binding) []string {
			return []string{term.Visible(b.Channel), term.Visible(b.User), term.Visible(b.Name), term.Visible(b.Room.ID),
				b.Since.UTC().Format(time.DateTime)}
		}))
	})
}

// invited is a code that was made.
type invited struct {
	Channel string    `json:"channel"`
	Code    string    `json:"code"`
	Expires time.Time `json:"expires"`
}

func (o *chatsOptions) inviteCommand() *cobra.Command {
	name, life := "", time.Duration(0)
	c := &cobra.Command{
		Use:   "invite",
		Short: "Make a one-time code: the person who sends it to the bot in a private chat may do everything from there",
		Long: `Make a one-time code: the person who sends it to the bot in a private chat may do everything from there.
At most 20 codes are good at a time: one more takes the place of the oldest.`,
		Example:     "  longshift chats invite\n  longshift chats invite --channel whatsapp --for 10m",
		Args:        command.Takes(0, 0, ""),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitServer, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, _ []string) error {
			if !slices.Contains([]string{channel.Telegram, channel.WhatsApp, channel.Slack}, name) {
				return fault.New(fault.Input, "--channel %q: unknown", name).WithHint("give telegram, whatsapp or slack")
			}
			if life < time.Minute || life > 24*time.Hour {
				return fault.New(fault.Input, "--for %s: out of range", life).WithHint("give 1m to 24h")
			}
			return o.invite(c.Context(), name, life)
		},
	}
	c.Flags().StringVar(&name, "channel", channel.Telegram, "`channel` that the code is for: telegram, whatsapp or slack")
	c.Flags().DurationVar(&life, "for", 30*time.Minute, "how long the code is good, `duration` from 1m to 24h")
	return c
}

func (o *chatsOptions) invite(ctx context.Context, name string, life time.Duration) error {
	c, err := o.server.Connect(ctx)
	if err != nil {
		return err
	}
	call, cancel := server.Answer(ctx)
	defer cancel()
	now := o.now()
	code, err := inbound.Invite(call, c, name, life, now)
	if err != nil {
		return err
	}
	return o.printer.Print(invited{name, code, now.Add(life)}, func() string {
		return fmt.Sprintf("start %s\nwrite this to the bot, in a private chat on %s, within %s; it is good once\n", code, name, life)
	})
}

func (o *chatsOptions) removeCommand() *cobra.Command {
	name := ""
	c := &cobra.Command{
		Use: "remove <user>", Short: "Take a binding back", Example: "  longshift chats remove 12345678", Args: command.Takes(1, 1, "the user"),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitServer, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, args []string) error {
			cl, err := o.server.Connect(c.Context())
			if err != nil {
				return err
			}
			call, cancel := server.Answer(c.Context())
			defer cancel()
			was, err := inbound.Unbind(call, cl, name, args[0])
			switch {
			case err != nil:
				return err
			case !was:
				return fault.New(fault.NotFound, "user %q has bound no chat on %s", args[0], name).WithHint("see `longshift chats`")
			}
			return o.printer.Print(map[string]string{"removed": args[0]}, func() string { return "removed " + term.Visible(args[0]) + "\n" })
		},
	}
	c.Flags().StringVar(&name, "channel", channel.Telegram, "`channel` of the user")
	return c
}
