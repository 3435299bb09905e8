package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/term"
)

type versionInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersionCommand(p *term.Printer, given string) *cobra.Command {
	return &cobra.Command{
		Use:         "version",
		Short:       "Show the version",
		Example:     "  longshift version\n  longshift version -o json",
		Args:        command.Takes(0, 0, ""),
		Annotations: command.Exits(),
		RunE: func(*cobra.Command, []string) error {
			v := buildVersion(given)
			return p.Print(v, func() string { return versionText(v) })
		},
	}
}

func versionText(v versionInfo) string {
	text := "longshift " + v.Version
	if v.Revision != "" {
		text += fmt.Sprintf(" (%.12s, %s)", v.Revision, v.Time)
	}
	return fmt.Sprintf("%s, %s, %s\n", text, v.Go, v.Platform)
}

func buildVersion(given string) versionInfo {
	v := versionInfo{Version: given, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if m := info.Main.Version; m != "(devel)" {
			v.Version = cmp.Or(v.Version, m)
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				v.Revision = s.Value
			case "vcs.time":
				v.Time = s.Value
			}
		}
	}
	v.Version = cmp.Or(v.Version, "devel")
	return v
}
