package inbound

import (
	"testing"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/internal/inbound/render"
)

// A comment at a pull request is read by the follower or obeyed as a command, never both and never neither.
func TestOneGrammarForComments(t *testing.T) {
	for _, text := range []string{
		"resume", "Resume: the key is there", "resume,", "resume-", "`resume`", "`resume` now", "`tell use tabs`", "``resume``", "/resume", "//resume",
		"/run@bot", "run@bot", "/run@bot: now", "run\u00a0now", "\u00a0run", "run\u2003now", "run\nnow", "run:now", "tell\u3000us", "cron list", "crone",
		"please run", "`", "``", "/", "résumé", "status!?", "*status*",
	} {
		_, obeyed := command.Cut(render.Readable(text))
		if order := forge.IsOrder("/longshift " + text); order != obeyed {
			t.Errorf("%q: an order %t, a command %t", text, order, obeyed)
		}
		if c, _ := command.Cut(render.Readable(text)); forge.StartsTask(text) != (c.Verb == command.Run) {
			t.Errorf("%q: starts a task %t, verb %q", text, forge.StartsTask(text), c.Verb)
		}
	}
}
