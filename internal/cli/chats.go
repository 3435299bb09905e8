package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/listen"
	"github.com/longshift/longshift/signals"
)

func (p *program) chatsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "chats",
		Short: "List the chats that people have bound with a one-time code, invite more, take them back",
		Long: `List the chats that people have bound with a one-time code. Whoever binds a chat may do everything from it, beside those
whom the worker's environment lists.`,
		Example:     "  longshift chats\n  longshift chats invite\n  longshift chats remove 12345678",
		Args:        takes(0, 0, ""),
		Annotations: exits(fault.ExitFailed, fault.ExitServer, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, _ []string) error { return p.chats(c.Context()) },
	}
	c.AddCommand(p.inviteCommand(), p.unbindCommand())
	return c
}

func (p *program) chats(ctx context.Context) error {
	c, err := p.client(ctx)
	if err != nil {
		return err
	}
	call, cancel := answer(ctx)
	defer cancel()
	all, err := listen.Bindings(call, c)
	if err != nil {
		return err
	}
	if len(all) == 0 && p.format == formatText {
		p.say("no chat is bound; `longshift chats invite` makes a code")
		return nil
	}
	if all == nil {
		all = []signals.Binding{}
	}
	return p.print(all, func() string {
		cells := make([][]string, 0, len(all))
		for _, b := range all {
			cells = append(cells, []string{visible(b.Channel), visible(b.User), visible(b.Name), visible(b.Room.ID), b.Since.UTC().Format(time.DateTime)})
		}
		return p.fitted(table([]string{"CHANNEL", "USER", "NAME", "CHAT", "SINCE (UTC)"}, cells))
	})
}

// invited is a code that was made.
type invited struct {
	Channel string    `json:"channel"`
	Code    string    `json:"code"`
	Expires time.Time `json:"expires"`
}

func (p *program) inviteCommand() *cobra.Command {
	name, life := "", time.Duration(0)
	c := &cobra.Command{
		Use:         "invite",
		Short:       "Make a one-time code: whoever writes it to the bot, in a private chat, may do everything from there",
		Example:     "  longshift chats invite\n  longshift chats invite --channel whatsapp --for 10m",
		Args:        takes(0, 0, ""),
		Annotations: exits(fault.ExitFailed, fault.ExitServer, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, _ []string) error {
			if !slices.Contains([]string{channel.Telegram, channel.WhatsApp, channel.Slack}, name) {
				return fault.New(fault.Input, "--channel %q: unknown", name).WithHint("give telegram, whatsapp or slack")
			}
			if life < time.Minute || life > 24*time.Hour {
				return fault.New(fault.Input, "--for %s: out of range", life).WithHint("give 1m to 24h")
			}
			return p.invite(c.Context(), name, life)
		},
	}
	c.Flags().StringVar(&name, "channel", channel.Telegram, "`channel` that the code is for: telegram, whatsapp or slack")
	c.Flags().DurationVar(&life, "for", 30*time.Minute, "how long the code is good, `duration`")
	return c
}

func (p *program) invite(ctx context.Context, name string, life time.Duration) error {
	c, err := p.client(ctx)
	if err != nil {
		return err
	}
	call, cancel := answer(ctx)
	defer cancel()
	now := p.clock.now()
	code, err := listen.Invite(call, c, name, life, now)
	if err != nil {
		return err
	}
	return p.print(invited{name, code, now.Add(life)}, func() string {
		return fmt.Sprintf("start %s\n", code) + fmt.Sprintf("write this to the bot, in a private chat on %s, within %s; it is good once\n", name, life)
	})
}

func (p *program) unbindCommand() *cobra.Command {
	name := ""
	c := &cobra.Command{
		Use: "remove <user>", Short: "Take a binding back", Example: "  longshift chats remove 12345678", Args: takes(1, 1, "the user"),
		Annotations: exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitServer, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, args []string) error {
			cl, err := p.client(c.Context())
			if err != nil {
				return err
			}
			call, cancel := answer(c.Context())
			defer cancel()
			was, err := listen.Unbind(call, cl, name, args[0])
			switch {
			case err != nil:
				return err
			case !was:
				return fault.New(fault.NotFound, "user %q has bound no chat on %s", args[0], name).WithHint("see `longshift chats`")
			}
			return p.print(map[string]string{"removed": args[0]}, func() string { return "removed " + visible(args[0]) + "\n" })
		},
	}
	c.Flags().StringVar(&name, "channel", channel.Telegram, "`channel` of the user")
	return c
}
