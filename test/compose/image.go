package compose

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/distribution/reference"
)

// release is what an exact tag holds: three numbers, or the date of a snapshot. PostgreSQL's releases have two numbers.
var (
	release         = regexp.MustCompile(`(^|-)(\d+\.\d+\.\d+|\d{8})(-|$)`)
	postgresRelease = regexp.MustCompile(`^\d+\.\d+(-|$)`)
)

// images checks that every image is named exactly, and that ours is never asked of a registry.
func images(s *Stack) []error {
	return s.services(func(service types.ServiceConfig) []error {
		return each(
			exactImage(service.Image),
			when(ours(service) && service.PullPolicy != types.PullPolicyBuild,
				"pull_policy is %q; without \"build\" a registry is asked for our image's name first", service.PullPolicy),
		)
	})
}

// exactImage refuses an image whose tag can move to another release.
func exactImage(image string) error {
	if image == "" {
		return errors.New("no image; name one with an exact tag")
	}
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return fmt.Errorf("image %q: %w", image, err)
	}
	tagged, ok := named.(reference.Tagged)
	if !ok {
		return fmt.Errorf("image %q has no tag; give an exact one", image)
	}
	exact := release
	if reference.Path(named) == "library/postgres" {
		exact = postgresRelease
	}
	if !exact.MatchString(tagged.Tag()) {
		return fmt.Errorf("image %q: tag %q can move; give the one of a single release", image, tagged.Tag())
	}
	return nil
}

// versions checks that a server runs the Temporal that the development server was built and tested with, and that the
// tools which make its tables are of the same release.
func versions(s *Stack) []error {
	gomod, err := os.ReadFile(filepath.Join(s.Root, "devserver", "go.mod"))
	if err != nil {
		return []error{fmt.Errorf("read the development server's versions: %w", err)}
	}
	wanted := map[string]string{
		"temporalio/server":      required(gomod, "go.temporal.io/server"),
		"temporalio/admin-tools": required(gomod, "go.temporal.io/server"),
		"temporalio/ui":          required(gomod, "github.com/temporalio/ui-server/v2"),
	}
	return s.services(func(service types.ServiceConfig) []error {
		image, _, _ := strings.Cut(service.Image, "@") // a digest may follow the tag
		name, tag, _ := strings.Cut(image, ":")
		want, known := wanted[name]
		return each(
			when(known && want == "", "devserver/go.mod does not require the module of %s", name),
			when(known && want != "" && tag != want, "image %s, but devserver/go.mod has version %s", service.Image, want),
		)
	})
}

// required gives the version of a module in a go.mod file, without the v, or "".
func required(gomod []byte, module string) string {
	line := regexp.MustCompile(`(?m)^(?:require)?\s*` + regexp.QuoteMeta(module) + `\s+v(\S+)`).FindSubmatch(gomod)
	if line == nil {
		return ""
	}
	return string(line[1])
}
