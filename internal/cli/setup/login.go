package setup

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
)

// loginOptions are what login uses.
type loginOptions struct {
	streams term.Streams
	env     environ.Environ
	config  *environ.Config
	printer *term.Printer
	account func(ctx context.Context, process config.Config) (string, error)
	model   func(ctx context.Context, process config.Config) (string, error)
}

// NewLoginCommand makes the command login.
func NewLoginCommand(u Uses) *cobra.Command {
	o := &loginOptions{u.Streams, u.Env, u.Config, u.Printer, u.Account, u.Model}
	return &cobra.Command{
		Use:   "login <github|anthropic>",
		Short: "Keep a GitHub token or a model key for this user",
		Long: `Keep a GitHub token or a model key in the settings file, which only its owner can read. It is tried first, by one call that
costs nothing. Without a terminal it is read from standard input. On a terminal the token of gh is taken where gh is logged in, and
otherwise you paste one. A variable of the environment that sets the same wins over the settings file.`,
		Example:     "  longshift login github\n  longshift login anthropic < key.txt",
		Args:        command.Takes(1, 1, "what to log in to (github or anthropic)"),
		ValidArgs:   []string{"github", "anthropic"},
		Annotations: command.Exits(fault.ExitFailed, fault.ExitServer, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
}

// kept is what login prints.
type kept struct {
	Variable string `json:"variable"`
	File     string `json:"file"`
	For      string `json:"for"` // the account, or the model's endpoint
	From     string `json:"from"`
}

func (o *loginOptions) run(ctx context.Context, to string) error {
	conf, err := o.config.Read()
	if err != nil {
		return err
	}
	k := kept{File: config.File(o.env.Lookup)}
	if k.File == "" {
		return fault.New(fault.Input, "there is no home folder to keep a key in").WithHint("set HOME or XDG_CONFIG_HOME")
	}
	if err := o.free(to, k.File); err != nil { // before anybody types a key
		return err
	}
	var secret string
	switch to {
	case "github":
		if conf.GitHub.App.Present() {
			return fault.New(fault.Input, "LONGSHIFT_GITHUB_APP_ID is set, so a token would be of no use").WithHint("unset it to work with a token")
		}
		k.Variable = "LONGSHIFT_GITHUB_TOKEN"
		if secret, k.From, err = o.githubToken(ctx, conf); err == nil {
			conf.GitHub.Token = config.NewSecret(secret, k.Variable)
			k.For, err = o.account(ctx, conf)
			k.For = cmp.Or(k.For, "an app") + " on " + conf.GitHub.Host()
		}
	case "anthropic":
		k.Variable, k.From = "LONGSHIFT_ANTHROPIC_KEY", "what was given"
		if secret, err = o.ask(ctx, "Paste a key of the Anthropic API (it is not shown): "); err == nil {
			conf.Model = config.Model{Key: config.NewSecret(secret, k.Variable), URL: conf.Model.URL}
			k.For, err = o.model(ctx, conf)
		}
	default:
		return fault.New(fault.Input, "%q: nothing to log in to", to).WithHint("give github or anthropic")
	}
	if err != nil {
		return err
	}
	if err := setInFile(o.printer, k.File, config.Setting{Name: k.Variable, Value: secret}); err != nil {
		return err
	}
	if wins := o.winner(k.Variable); wins != "" {
		o.printer.Say("warning: %s is set in the environment and wins; unset it to use what is kept", wins)
	}
	return o.printer.Print(k, func() string {
		return fmt.Sprintf("%s for %s, from %s, is kept in %s\n", k.Variable, term.OneLine(k.For), k.From, k.File)
	})
}

// free refuses to keep a key beside the name of a file or a descriptor that holds it: no program would read the settings then.
func (o *loginOptions) free(to, file string) error {
	variable := map[string]string{"github": "LONGSHIFT_GITHUB_TOKEN", "anthropic": "LONGSHIFT_ANTHROPIC_KEY"}[to]
	for _, way := range []string{variable + "_FILE", variable + "_FD"} {
		if slices.Contains(o.env.Settings, way) {
			return fault.New(fault.Input, "%s is set in %s: a key beside it could not be read", way, file).
				WithHint("write the key into the file that it names, or take the line out")
		}
	}
	return nil
}

// githubToken returns the token that gh has, or one that is typed or piped in.
func (o *loginOptions) githubToken(ctx context.Context, conf config.Config) (token, from string, err error) {
	if o.streams.InTTY {
		if token := o.config.GHToken(ctx, conf.GitHub.Host()); token != "" {
			return token, config.GHTokenSource, nil
		}
	}
	token, err = o.ask(ctx, "Paste a token of "+conf.GitHub.Host()+" that may write contents and pull requests (it is not shown): ")
	return token, "what was given", err
}

// ask reads one line: without echo from a terminal, else from standard input.
func (o *loginOptions) ask(ctx context.Context, question string) (string, error) {
	var text string
	if o.streams.InTTY && o.streams.Password != nil {
		fmt.Fprint(o.streams.Err, question)
		typed, err := o.streams.Password(ctx)
		fmt.Fprintln(o.streams.Err)
		if err != nil {
			return "", fmt.Errorf("read the key: %w", err)
		}
		text = typed
	} else {
		piped, err := io.ReadAll(io.LimitReader(o.streams.Until(ctx), 64<<10))
		if err != nil {
			return "", fmt.Errorf("read the key from standard input: %w", err)
		}
		text = string(piped)
	}
	switch text = strings.TrimSpace(text); {
	case text == "":
		return "", fault.New(fault.Input, "no key was given").WithHint("paste it, or give it on standard input")
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", fault.New(fault.Input, "the key or token has spaces or control characters").WithHint("give the key alone")
	}
	return text, nil
}

// winner returns a variable of the environment that sets the same, "" for none.
func (o *loginOptions) winner(variable string) string {
	set := slices.DeleteFunc(config.Ways(variable), func(name string) bool {
		return o.env.Get(name) == "" || slices.Contains(o.env.Settings, name)
	})
	return append(set, "")[0]
}
