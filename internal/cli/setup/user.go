package setup

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

const temporalAddress = "TEMPORAL_ADDRESS"

// userAsked are the variables that setup asks about with --user, in the order of its questions. Keys and tokens are kept by login.
var userAsked = []string{temporalAddress, "LONGSHIFT_SLOTS", "LONGSHIFT_MAX_COST", "LONGSHIFT_DAILY_COST", "LONGSHIFT_AUTHOR_NAME",
	"LONGSHIFT_AUTHOR_EMAIL"}

// userSettings are what is the same for every repository of a user.
type userSettings struct {
	env    environ.Environ
	config *environ.Config
}

// runForUser asks about the settings of the user and writes what changes.
func (o *setupOptions) runForUser(ctx context.Context) error {
	path := config.File(o.user.env.Lookup)
	if path == "" {
		return fault.New(fault.Input, "there is no home folder to keep settings in").WithHint("set HOME or XDG_CONFIG_HOME")
	}
	questions, err := o.user.questions()
	if err != nil {
		return err
	}
	var answers []string
	if !o.defaults {
		if answers, err = o.asker().ask(ctx, questions); err != nil {
			return err
		}
	}
	result := setupResult{File: path, Changed: []changedKey{}}
	if result.Changed, err = changes(questions, answers); err != nil {
		return err
	}
	if len(result.Changed) > 0 {
		if result.Written, err = o.writeForUser(ctx, path, result.Changed); err != nil {
			return err
		}
	}
	return o.printer.Print(result, func() string { return setupText(result, "workers read it when they start") })
}

// writeForUser says what would change, asks where somebody can be asked, and writes. The file may hold keys, so no other line is shown.
func (o *setupOptions) writeForUser(ctx context.Context, path string, changed []changedKey) (written bool, err error) {
	var edits []config.Setting
	for _, c := range changed {
		edits = append(edits, config.Setting{Name: c.Key, Value: fmt.Sprint(c.New)})
		o.printer.Say("%s: %q becomes %q", c.Key, c.Old, c.New)
	}
	if o.attended {
		yes, err := o.asker().confirm(ctx, "Write this into "+path+"?")
		if err != nil || !yes {
			return false, err
		}
	}
	if ctx.Err() != nil {
		return false, term.ErrInterrupted
	}
	if err := setInFile(o.printer, path, edits...); err != nil {
		return false, err
	}
	for _, e := range edits {
		if o.user.inEnvironment(e.Name) {
			o.printer.Say("warning: %s is set in the environment and wins; unset it to use what is in the file", e.Name)
		}
	}
	return true, nil
}

// setInFile sets variables in the settings file, and says when that takes the file from others.
func setInFile(p *term.Printer, path string, settings ...config.Setting) error {
	closed, err := config.SetInFile(path, settings...)
	if closed {
		p.Say("%s holds a key or token, so only its owner can read it now", path)
	}
	return err
}

// questions makes the questions, each with the value of today.
func (u *userSettings) questions() ([]question, error) {
	conf, err := u.config.Read()
	if err != nil {
		return nil, err
	}
	known := map[string]config.Variable{}
	for _, v := range conf.Describe() {
		known[v.Name] = v
	}
	var questions []question
	for i, name := range userAsked {
		q := question{number: i + 1, of: len(userAsked), today: known[name].Value, key: task.ConfigKey{Path: name, Type: task.TextKey,
			Doc: known[name].Help}, check: u.check(name)}
		if name == temporalAddress {
			q.today, q.key.Doc = client.DefaultHostPort, "address of the Temporal server"
			if now := u.env.Get(name); now != "" {
				q.today = now
			}
		}
		questions = append(questions, q)
	}
	return questions, nil
}

// check looks at an answer as a program will that reads the file.
func (u *userSettings) check(name string) func(answer string) error {
	if name == temporalAddress {
		return func(answer string) error {
			if err := config.CheckServer(answer); err != nil {
				return err
			}
			if host, port, err := net.SplitHostPort(answer); answer != "" && (err != nil || host == "" || port == "") {
				return fault.New(fault.Input, "%s=%q: not an address", name, answer).WithHint("give host:port, such as localhost:7233")
			}
			return nil
		}
	}
	return func(answer string) error {
		_, err := config.Load(func(asked string) (string, bool) {
			switch {
			case asked == name:
				return answer, true
			case strings.HasSuffix(asked, "_FD"): // questions has read it, which can be done only once
				return "", false
			case u.env.Get(asked+"_FD") != "":
				return "inherited", true
			}
			return u.env.Lookup(asked)
		})
		return err
	}
}

// inEnvironment tells whether a variable is set otherwise than by the settings file.
func (u *userSettings) inEnvironment(name string) bool {
	return u.env.Get(name) != "" && !slices.Contains(u.env.Settings, name)
}
