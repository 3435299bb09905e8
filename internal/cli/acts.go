package cli

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/fault"
)

type actsOptions struct {
	filter  audit.ActFilter
	refused bool
	since   string
}

func (p *program) actsCommand() *cobra.Command {
	var o actsOptions
	c := &cobra.Command{
		Use:   "acts [task]",
		Short: "List what people did to tasks from chats and forges, and what was refused",
		Long: `List the acts of people that came over a channel or a forge, newest last: who, from where, what, and whether it was
done or refused. They are kept in the data folder of the worker that heard them; LONGSHIFT_DATA must be that worker's.
No server is asked. What was typed on the command line or in Temporal Web stands in the task's own history.`,
		Example: "  longshift acts\n  longshift acts acme-web-fix-login-x1y2z3\n  longshift acts --refused --since 7d\n" +
			"  longshift acts --channel slack -o jsonl | jq -r .user",
		Args:              takes(0, 1, ""),
		ValidArgsFunction: p.completeTask,
		Annotations:       exits(fault.ExitFailed, fault.ExitNotFound),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.filter.Task = args[0]
			}
			return p.acts(c.Context(), o)
		},
	}
	c.Flags().StringVar(&o.filter.Channel, "channel", "", "only from this `channel`: slack, telegram, whatsapp, terminal or github")
	c.Flags().StringVar(&o.filter.User, "user", "", "only by this user, by the channel's `id`")
	c.Flags().BoolVar(&o.refused, "refused", false, "only what was refused")
	c.Flags().StringVar(&o.since, "since", "", "only from this `time` on: 2h, 7d or 2026-11-20T08:00:00Z")
	c.Flags().IntVar(&o.filter.Last, "limit", 50, "how many, `count`, at most; the newest ones")
	return c
}

func (p *program) acts(ctx context.Context, o actsOptions) error {
	err := checkLimit(o.filter.Last)
	if err != nil {
		return err
	}
	if o.refused {
		o.filter.Verdict = audit.ActRefused
	}
	if o.filter.Since, err = sinceTime(o.since, p.clock.now()); err != nil {
		return err
	}
	config, err := p.config()
	if err != nil {
		return err
	}
	rows := []audit.Act{}
	for a, err := range p.wiring.Acts(ctx, filepath.Join(config.Data, audit.FileName), o.filter) {
		if errors.Is(err, fs.ErrNotExist) {
			return fault.New(fault.NotFound, "no acts are recorded in %s", config.Data).
				WithHint("they are kept by the worker that heard them; go there, or set LONGSHIFT_DATA to its data folder")
		}
		if err != nil {
			return err
		}
		rows = append(rows, a)
	}
	if len(rows) == 0 && p.format == formatText {
		p.say("no such acts on this machine")
		return nil
	}
	return p.print(rows, func() string { return p.fitted(actTable(rows)) })
}

func actTable(rows []audit.Act) string {
	cells := make([][]string, 0, len(rows))
	for _, a := range rows {
		who := visible(a.User)
		if a.Name != "" && a.Name != a.User {
			who += " (" + visible(a.Name) + ")"
		}
		cells = append(cells, []string{a.Time.UTC().Format(time.DateTime), visible(a.Channel), who, visible(a.Verb), string(a.Verdict), visible(a.Task), visible(a.Reason)})
	}
	return table([]string{"TIME (UTC)", "CHANNEL", "WHO", "VERB", "VERDICT", "TASK", "REASON"}, cells)
}
