package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// judge puts the parts of one decision together.
type judge struct {
	policy   *Policy
	progress progress
	parts    parts
}

// progress is everything that changes while a script is judged.
type progress struct {
	verdict   collector
	meter     meter
	source    source
	nesting   nesting
	writes    writes
	scanner   scanner
	words     expander
	loops     loops
	functions functions
}

// parts judge one thing each, and retain nothing. Each has what it uses and nothing else.
type parts struct {
	rights      rights
	paths       paths
	env         environment
	rules       rules
	inputs      inputs
	selfWritten selfWritten
	files       fileEffects
	joiner      joiner
	arith       arithmetic
	assigns     assigner
	tests       conditions
	redirects   redirects
	walk        walker
	calls       calls
	programs    programs
	builtins    builtins
	tables      tables
	inner       innerScripts
	tools       toolCalls
}

// observers are told what is judged; each may be nil.
type observers struct {
	command func(words []grammar.Word) // every command
	file    func(path string)          // every file that something takes code or input from; see Files
}

// newJudge makes a judge for one decision.
func newJudge(p *Policy, r Request, seen observers) *judge {
	j := &judge{policy: p}
	g, a := &j.progress, &j.parts
	v, m := &g.verdict, &g.meter
	g.verdict.clear()
	g.meter = meter{verdict: v, steps: maxSteps}
	g.writes = writes{root: p.c.Root}
	g.scanner = scanner{policy: p, role: r.Role, verdict: v}
	g.words = expander{policy: p, verdict: v, meter: m, arith: &a.arith, nesting: &g.nesting, run: &a.walk}
	g.loops = loops{policy: p, verdict: v, joiner: &a.joiner, words: &g.words, env: &a.env, arith: &a.arith, run: &a.walk}
	g.functions = functions{policy: p, verdict: v, meter: m, joiner: &a.joiner, loops: &g.loops, run: &a.walk, trial: j.trial}

	a.rights = rights{&p.c, r.Role, v}
	a.paths = paths{p, r.Role, v, &g.writes}
	a.env = environment{p, v, &a.paths, &g.writes}
	a.rules = rules{p, r.Role, v, &g.writes}
	a.inputs = inputs{p, seen.file}
	a.selfWritten = selfWritten{p.c.Boxed, v, &g.writes, &g.scanner, &g.source}
	a.files = fileEffects{p, r.Role, r.Restorable, v, &g.nesting, &a.paths, &a.rights, &g.writes}
	a.joiner = joiner{p, m}
	a.arith = arithmetic{v, m, &a.env, &g.words}
	a.assigns = assigner{v, &a.env, &g.words, &a.arith}
	a.tests = conditions{v, m, &g.words, &a.arith, &a.paths}
	a.redirects = redirects{p, v, m, &g.source, &g.words, &a.joiner, &a.paths, &a.rights, &g.writes, &a.inputs}
	a.walk = walker{p.c.Boxed, v, m, &g.source, &a.joiner, &g.words, &a.assigns, &a.arith, &a.tests, &a.redirects, &g.writes,
		&g.loops, &g.functions, &a.calls}
	a.calls = calls{p, v, &g.nesting, &a.assigns, &g.words, &a.rules, &g.functions, &a.programs}
	a.programs = programs{p, v, m, seen.command, &a.rules, &a.rights, &a.inputs, &a.paths, &a.env, &g.scanner, &a.selfWritten,
		&a.builtins, &a.tables}
	a.builtins = builtins{p, v, m, &a.env, &a.paths, &a.rights, &a.inputs, &a.selfWritten, &a.joiner, &g.loops, &g.functions,
		&a.programs, &a.walk}
	a.tables = tables{p, v, m, &g.nesting, &a.rules, &a.rights, &a.paths, &a.env, &g.writes, &a.inputs, &g.scanner, &a.selfWritten,
		&a.files, &a.inner, &a.programs}
	a.inner = innerScripts{p.c.Boxed, v, m, &g.nesting, &a.rights, &g.scanner, &a.selfWritten, &a.walk}
	a.tools = toolCalls{p, v, &a.paths, &a.rights, j.command}
	return j
}

// command judges a script that the agent wants to run.
func (j *judge) command(r Request) {
	p, verdict := j.policy, &j.progress.verdict
	dir := r.Dir
	if dir == "" {
		dir = p.c.Root
	}
	if !strings.HasPrefix(dir, "/") {
		verdict.deny("request", "the working folder %q is not absolute", part(dir))
		return
	}
	if strings.TrimSpace(r.Command) == "" {
		verdict.deny("syntax.empty", "there is no command")
		return
	}
	j.progress.source = source{whole: r.Command}
	st := &state{cwd: []place{{path: clean(dir)}}, in: input{kind: noInput}}
	if !p.within(st.cwd[0].path) && !p.temporary(st.cwd[0].path) {
		verdict.ask("path.cwd", "the working folder lies outside the repository; go back into it first")
		return
	}
	j.parts.walk.script(r.Command, st, bash)
}

// trial judges something and restores the state before, except the count of steps. It returns the decision.
func (j *judge) trial(run func()) Decision {
	before := j.progress
	j.progress.verdict.clear()
	run()
	found, left := j.progress.verdict.strictest(), j.progress.meter.left()
	j.progress = before
	j.progress.meter.limit(left)
	return found
}
