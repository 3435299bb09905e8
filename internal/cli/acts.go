package cli

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

type actsOptions struct {
	config  *environ.Config
	printer *term.Printer
	now     func() time.Time
	read    func(ctx context.Context, path string, f audit.ActFilter) iter.Seq2[audit.Act, error]

	filter  audit.ActFilter
	refused bool
	since   string
}

func newActsCommand(f *factory) *cobra.Command {
	o := &actsOptions{config: f.config, printer: f.printer, now: f.clock.Now, read: f.wiring.Acts}
	c := &cobra.Command{
		Use:   "acts [task]",
		Short: "List actions of people on tasks from chats and forges, refused ones too",
		Long: `List the acts of people that came over a channel or a forge, newest last: who, from where, what, and whether it was
done or refused. They are kept in the data folder of the worker that heard them; LONGSHIFT_DATA must be that worker's.
No server is asked. What was typed on the command line or in Temporal Web stands in the task's own history. A task may be
named by a beginning or an end of its id.`,
		Example: "  longshift acts\n  longshift acts x1y2z3\n  longshift acts --refused --since 7d\n" +
			"  longshift acts --channel slack -o jsonl | jq -r .user",
		Args:              command.Takes(0, 1, ""),
		ValidArgsFunction: f.tasks.Complete,
		Annotations:       command.Exits(fault.ExitFailed, fault.ExitNotFound),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.filter.Task, o.filter.Partial = args[0], true
			}
			return o.run(c.Context())
		},
	}
	c.Flags().StringVar(&o.filter.Channel, "channel", "", "only from this `channel`: slack, telegram, whatsapp, terminal or github")
	c.Flags().StringVar(&o.filter.User, "user", "", "only by this user, by the channel's `id`")
	c.Flags().BoolVar(&o.refused, "refused", false, "only refused actions")
	c.Flags().StringVar(&o.since, "since", "", "only from this `time` on: 2h, 7d or 2026-11-20T08:00:00Z")
	c.Flags().IntVar(&o.filter.Last, "limit", 50, "how many, `count`, at most; the newest ones")
	return c
}

// actChannels are where the acts come from that are recorded.
var actChannels = []string{channel.Slack, channel.Telegram, channel.WhatsApp, channel.Terminal, task.GitHub}

func (o *actsOptions) run(ctx context.Context) error {
	err := checkLimit(o.filter.Last)
	if err != nil {
		return err
	}
	if given := o.filter.Channel; given != "" && !slices.Contains(actChannels, given) {
		return fault.New(fault.Input, "--channel %q: unknown", given).WithHint("give slack, telegram, whatsapp, terminal or github")
	}
	if o.refused {
		o.filter.Verdict = audit.ActRefused
	}
	if o.filter.Since, err = sinceTime(o.since, o.now()); err != nil {
		return err
	}
	config, err := o.config.Read()
	if err != nil {
		return err
	}
	rows := []audit.Act{}
	for a, err := range o.read(ctx, filepath.Join(config.Data, audit.FileName), o.filter) {
		if errors.Is(err, fs.ErrNotExist) {
			return fault.New(fault.NotFound, "no acts are recorded in %s", config.Data).
				WithHint("they are kept by the worker that received them; go there, or set LONGSHIFT_DATA to its data folder")
		}
		if err != nil {
			return err
		}
		rows = append(rows, a)
	}
	if len(rows) == 0 && o.printer.IsText() {
		o.printer.Say("no such acts on this machine")
		return nil
	}
	return o.printer.Print(rows, func() string { return o.printer.Fit(actTable(rows)) })
}

func actTable(rows []audit.Act) string {
	head := []string{"TIME (UTC)", "CHANNEL", "WHO", "VERB", "VERDICT", "TASK", "REASON"}
	return term.TableOf(head, rows, func(a audit.Act) []string {
		who := term.Visible(a.User)
		if a.Name != "" && a.Name != a.User {
			who += " (" + term.Visible(a.Name) + ")"
		}
		return []string{a.Time.UTC().Format(time.DateTime), term.Visible(a.Channel), who, term.Visible(a.Verb), string(a.Verdict),
			term.Visible(a.Task), term.Visible(a.Reason)}
	})
}
