package marker

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/task"
)

// FuzzAnyChunking checks that the pieces in which a text comes do not matter, and that nothing is lost or made up.
func FuzzAnyChunking(f *testing.F) {
	for _, s := range []string{
		"a <NOTE>b</NOTE> c", "<NOTE>`</NOTE>\n`<DONE>x</DONE>", "```\n<DONE>x</DONE>\n```\n<DONE>y</DONE>",
		"<NOTE> <DONE> <NOTE>x</NOTE> <DONE>y</DONE>", "``` `` <NOTE>```\n</NOTE>~~~\n", "<REQUEST_CHANGES><APPROVED></REQUEST_CHANGES>",
		"<NOTE>``</NOTE> <NOTE>` </NOTE>\n``` <DONE>", "~~~\n~~~ \n<DONE>a</DONE", "<NOTE>\n```</NOTE>\n```\n<NOTE>x",
	} {
		f.Add(s, []byte{1, 2, 3}, uint8(1))
		f.Add(s, []byte{1}, uint8(2))
	}
	roles := []task.Role{task.Planner, task.Implementer, task.Reviewer, "auditor"}
	f.Fuzz(func(t *testing.T, text string, cuts []byte, who uint8) {
		role := roles[int(who)%len(roles)]
		whole := parse(role, text)
		if diff := cmp.Diff(whole, parse(role, chunks(text, cuts)...)); diff != "" {
			t.Fatalf("chunking matters (-whole +chunks):\n%s", diff)
		}
		if diff := cmp.Diff(whole, parse(role, strings.Split(text, "")...)); diff != "" {
			t.Fatalf("chunking matters (-whole +single):\n%s", diff)
		}
		if len(text) < kept {
			if got := rejoin(role, text); got != text {
				t.Fatalf("lost or made up:\n%q\nbecame\n%q", text, got)
			}
		}
	})
}

// chunks cuts text into pieces of the given lengths, over and over.
func chunks(text string, lengths []byte) (all []string) {
	for i := 0; text != ""; i++ {
		n := 1
		if len(lengths) > 0 {
			n = int(lengths[i%len(lengths)])%7 + 1
		}
		n = min(n, len(text))
		all = append(all, text[:n])
		text = text[n:]
	}
	return all
}

// rejoin puts the tags back around the raw content of each marker, in place.
func rejoin(role task.Role, text string) string {
	p := New(role)
	p.feed(text)
	p.release()
	for p.open != nil {
		p.giveUp()
		p.release()
	}
	var b strings.Builder
	for _, one := range p.out {
		if one.marker != nil {
			b.WriteString("<" + string(one.marker.Kind) + ">" + one.text + "</" + string(one.marker.Kind) + ">")
		} else {
			b.WriteString(one.text)
		}
	}
	return b.String()
}
