package policy

import (
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// collector retains the strictest decision so far, with the piece of the script that it is about.
type collector struct {
	best Decision
	at   string // the piece that is being judged
	dry  int    // > 0 while a loop is walked for its effects only: nothing is collected
}

func (c *collector) ask(rule, format string, args ...any) { c.add(Ask, rule, format, args) }

func (c *collector) deny(rule, format string, args ...any) { c.add(Deny, rule, format, args) }

// refuse records the refusal of a table.
func (c *collector) refuse(class grammar.Class, rule, reason string) {
	v := Ask
	if class == grammar.Deny {
		v = Deny
	}
	c.add(v, rule, "%s", []any{reason})
}

// add records a verdict that is stricter than those before it.
func (c *collector) add(v Verdict, rule, format string, args []any) {
	if c.dry == 0 && rank(v) > rank(c.best.Verdict) {
		c.best = Decision{v, rule, fmt.Sprintf(format, args...), part(c.at)}
	}
}

// insist denies in a dry run too.
func (c *collector) insist(rule, reason string) {
	dry := c.dry
	c.dry = 0
	c.deny(rule, "%s", reason)
	c.dry = dry
}

// about names the piece that is judged from now on; an empty text changes nothing. It returns the piece before, for restore.
func (c *collector) about(text string) (before string) {
	before = c.at
	if text != "" {
		c.at = text
	}
	return before
}

func (c *collector) restore(at string) { c.at = at }

// dryRun suspends the collection until resume.
func (c *collector) dryRun() { c.dry++ }

func (c *collector) resume() { c.dry-- }

// clear forgets all verdicts.
func (c *collector) clear() { c.best = Decision{Verdict: Allow} }

func (c *collector) strictest() Decision { return c.best }

// result is the decision after everything has been judged.
func (c *collector) result() Decision {
	if c.best.Verdict == Allow {
		c.best.Rule, c.best.Reason = "allowed", "every program, option and path in it is one that this role may use"
	}
	return c.best
}

func rank(v Verdict) int {
	switch v {
	case Allow:
		return 0
	case Ask:
		return 1
	}
	return 2
}

// unescaped takes back what %q escapes besides characters that are not printable.
var unescaped = strings.NewReplacer(`\"`, `"`, `\\`, `\`)

// part makes a piece of a command printable: escapes visible, at most 160 bytes.
func part(text string) string {
	const limit = 160
	text = strings.TrimSpace(text)
	cut := len(text) > limit
	if cut {
		text = text[:limit]
	}
	q := fmt.Sprintf("%+q", text)
	q = q[1 : len(q)-1]
	q = unescaped.Replace(q)
	if cut || len(q) > limit {
		q = q[:min(len(q), limit-3)] + "..."
	}
	return q
}
