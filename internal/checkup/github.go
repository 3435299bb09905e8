package checkup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
)

// checkGitHub tells how tasks log in to GitHub: as an app, with a token, or not at all.
func (m *Machine) checkGitHub(ctx context.Context, conf config.Config) Finding {
	if conf.GitHub.App.Present() {
		return m.checkApp(ctx, conf)
	}
	_, err := conf.GitHub.Token.Read()
	whose := ""
	if err == nil && conf.GitHub.Token.Present() && m.Account != nil {
		ctx, cancel := context.WithTimeout(ctx, askWithin)
		defer cancel()
		whose, err = m.Account(ctx, conf)
	}
	if whose != "" {
		whose += ", "
	}
	switch {
	case fault.KindOf(err) == fault.Infra:
		return warn(OfGitHub, "from "+conf.GitHub.Token.Source()+"; GitHub could not be asked: "+excerpt.Line(err.Error(), 200), "try again when it answers")
	case err != nil:
		return Failed(OfGitHub, err)
	case !conf.GitHub.Token.Present():
		return warn(OfGitHub, "none is set",
			"run `longshift login github`, or set GH_TOKEN, to work on GitHub; local repositories need none")
	case conf.GitHub.Token.Source() == config.GHTokenSource:
		return good(OfGitHub, whose+"from "+config.GHTokenSource+", for the worker of `longshift dev`")
	}
	return good(OfGitHub, whose+"from "+conf.GitHub.Token.Source())
}

// checkLogin is checkGitHub, and tells what a token can't do.
func (m *Machine) checkLogin(ctx context.Context, conf config.Config) Finding {
	f := m.checkGitHub(ctx, conf)
	if f.Check == OfGitHub && f.State == signals.HostOK {
		f.Detail += "; check runs on pull requests need a GitHub App"
	}
	return f
}

// checkApp asks GitHub which permissions the app has, and names the page where those that are missing can be given.
func (m *Machine) checkApp(ctx context.Context, conf config.Config) Finding {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	st, err := m.App(ctx, conf)
	if err != nil {
		return Failed(OfApp, err)
	}
	detail := st.Name + ", with the key of " + conf.GitHub.App.Key.Source()
	if len(st.For) == 0 {
		return fail(OfApp, detail+": installed nowhere", "install it for your repositories: "+st.Install)
	}
	detail += ", installed for " + excerpt.Line(strings.Join(st.For, ", "), 200)
	if len(st.Missing) == 0 {
		return good(OfApp, detail)
	}
	var lacks, pages []string
	for _, l := range st.Missing {
		lacks = append(lacks, fmt.Sprintf("%s lacks %s", l.Where, strings.Join(l.Permissions, ", ")))
		pages = append(pages, l.Page)
	}
	found := warn(OfApp, detail+": "+strings.Join(lacks, "; "), "give them on "+strings.Join(pages, " and "))
	if slices.ContainsFunc(st.Missing, func(l forge.Lack) bool { return l.Needed }) {
		return fail(OfApp, found.Detail, found.Hint)
	}
	return found
}
