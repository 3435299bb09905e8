package compose

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
)

// context checks that nothing which must stay at home is in the build context.
func (i *Image) context() []error {
	var broken []error
	for _, private := range []string{".git/config", ".env", "deploy/secrets/github_token", "bin/longshift", "internal/config/testdata/x"} {
		ignored, err := i.ignored.MatchesOrParentMatches(private)
		broken = append(broken, each(err, when(err == nil && !ignored, ".dockerignore lets %s into the build context", private))...)
	}
	return broken
}

// CopyContext lays out in dir what the COPY instructions of the first stage bring there, and gives the Go packages that
// its RUN instructions build.
func (i *Image) CopyContext(dir string) (packages []string, err error) {
	for _, command := range i.stages[0].Commands {
		switch c := command.(type) {
		case *instructions.CopyCommand:
			for _, source := range c.SourcePaths {
				if err := i.copyTree(dir, source); err != nil {
					return nil, fmt.Errorf("copy %s: %w", source, err)
				}
			}
		case *instructions.RunCommand:
			packages = append(packages, regexp.MustCompile(`\./\w+`).FindAllString(strings.Join(c.CmdLine, " "), -1)...)
		}
	}
	return packages, nil
}

func (i *Image) copyTree(dir, source string) error {
	return filepath.WalkDir(filepath.Join(i.root, source), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		inside, err := filepath.Rel(i.root, name)
		if err != nil {
			return err
		}
		ignored, err := i.ignored.MatchesOrParentMatches(filepath.ToSlash(inside))
		if err != nil || ignored {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, inside)
		return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, content, 0o644))
	})
}

// CheckAgents checks that the agents in the image are those of the driver's tests: exact versions in package.json, the
// same in the lock file, and a hash for each program that an image of ours may hold.
func CheckAgents(manifest, lock []byte) []error {
	var wanted struct{ Dependencies map[string]string }
	var locked struct {
		Packages map[string]struct{ Version, Integrity string }
	}
	if err := errors.Join(json.Unmarshal(manifest, &wanted), json.Unmarshal(lock, &locked)); err != nil {
		return []error{fmt.Errorf("read the agents' versions: %w", err)}
	}
	var broken []error
	for name, version := range wanted.Dependencies {
		exact := regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(version)
		broken = append(broken, each(when(!exact, "agent %s: version %q is not exact", name, version))...)
		for _, platform := range []string{"", "-linux-x64", "-linux-arm64"} {
			p := locked.Packages["node_modules/"+name+platform]
			fits := p.Version == version || p.Version == version+platform // Codex has the platform in the version too
			broken = append(broken, each(when(!fits || p.Integrity == "",
				"agent %s%s: locked is %q, wanted is %q, with a hash", name, platform, p.Version, version))...)
		}
	}
	return append(broken, each(when(len(wanted.Dependencies) == 0, "package.json names no agent"))...)
}
