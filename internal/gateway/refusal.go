package gateway

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// refusal is why a request is not let through, and where in it.
type refusal struct {
	path []string // from the inside out
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

// unlisted refuses what is on no list, with the name by which the operator can let it through.
func unlisted(what, name string) error {
	if word.MatchString(name) {
		return refuse("%s is not let through; an operator can allow it with LONGSHIFT_GATEWAY_PASS=%s", what, name)
	}
	return refuse("%s is not let through", what)
}

// within says where a refusal was met.
func within(place string, err error) error {
	var r *refusal
	if errors.As(err, &r) {
		r.path = append(r.path, shown(place))
	}
	return err
}

// word is a name as the API's are, or one of the operator's for it.
var word = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,80}$`)

// shown writes a name of somebody else's so that it fits a line.
func shown(name string) string {
	if word.MatchString(name) {
		return name
	}
	return fmt.Sprintf("%+q", name[:min(len(name), 40)])
}
