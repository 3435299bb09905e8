package policy

// Limits of a script. One that exceeds them is denied as a whole.
const (
	MaxScript = 100 << 10 // bytes; Linux passes at most 128 KiB in one argument, such as that of bash -c
	maxDepth  = 200       // of commands inside substitutions inside commands
	maxSteps  = 300_000   // commands and words judged, loops several times
)

// meter limits the work of one decision. What exceeds it is refused in dry runs too.
type meter struct {
	verdict *collector
	steps   int // left
	depth   int
}

func (m *meter) left() int { return m.steps }

func (m *meter) limit(steps int) { m.steps = steps }

// step pays for a piece of work. It is false when the work must end.
func (m *meter) step() bool {
	if m.steps--; m.steps < 0 {
		m.verdict.insist("syntax.complex", "this script is too involved to be judged; split it up")
		return false
	}
	return true
}

// enter goes one level deeper, until leave is called. It is false if that is too deep; then leave must not be called.
func (m *meter) enter() bool {
	if m.depth >= maxDepth {
		m.verdict.insist("syntax.deep", "this script is nested too deeply to be judged; split it up")
		return false
	}
	m.depth++
	return true
}

func (m *meter) leave() { m.depth-- }
