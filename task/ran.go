package task

import "strconv"

// Ran says how many tests a command has run, as far as its output says.
type Ran struct {
	N  int    `json:"n"`
	Of string `json:"of"` // what is counted, in the plural: tests; or test packages, where a runner names no tests
}

// Ran counts.
const (
	RanTests    = "tests"
	RanPackages = "test packages"
)

// String is such as "42 tests", "1 test" or "no tests".
func (r Ran) String() string {
	switch r.N {
	case 0:
		return "no tests"
	case 1:
		return "1 " + r.Of[:max(len(r.Of)-1, 0)]
	}
	return strconv.Itoa(r.N) + " " + r.Of
}

// Fewer tells whether fewer tests ran than before. Nothing is known where one of the two is nil, or counts something else.
func (r *Ran) Fewer(before *Ran) bool {
	return r != nil && before != nil && r.N < before.N && (r.Of == before.Of || r.N == 0)
}
