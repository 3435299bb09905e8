package gateway

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// refusal is the error for a request that may not pass: the reason, and the place in the body.
type refusal struct {
	path []string // innermost first
	why  string
}

func (r *refusal) Error() string {
	if len(r.path) == 0 {
		return "the body " + r.why
	}
	path := slices.Clone(r.path)
	slices.Reverse(path)
	return strings.Join(path, ".") + " " + r.why
}

func refuse(format string, args ...any) error { return &refusal{why: fmt.Sprintf(format, args...)} }

// unlisted refuses what is not on a list, and names what the operator can set to allow it.
func unlisted(what, name string) error {
	if word.MatchString(name) {
		return refuse("%s is not let through; an operator can allow it with LONGSHIFT_GATEWAY_PASS=%s", what, name)
	}
	return refuse("%s is not let through", what)
}

// within adds the place in the body to a refusal.
func within(place string, err error) error {
	if r, ok := errors.AsType[*refusal](err); ok {
		r.path = append(r.path, shown(place))
	}
	return err
}

// word matches names in the API's style, which the operator can allow by name.
var word = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,80}$`)

// shown quotes a name from a request so that it fits on one line.
func shown(name string) string {
	if word.MatchString(name) {
		return name
	}
	return fmt.Sprintf("%+q", name[:min(len(name), 40)])
}
