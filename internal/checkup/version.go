package checkup

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// Build is what a program was built from.
type Build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// stamped is the version that the linker was given; "" for none. Go itself knows none of a program that is built with -buildvcs=false.
var stamped string

// ReadBuild returns that of this program. given is its version, "" for the one that it was built with.
func ReadBuild(given string) Build {
	v := Build{Version: cmp.Or(given, stamped), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
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

// String is the version with the commit, where it is known.
func (b Build) String() string {
	if b.Revision == "" {
		return b.Version
	}
	return fmt.Sprintf("%s (%.12s, %s)", b.Version, b.Revision, b.Time)
}
