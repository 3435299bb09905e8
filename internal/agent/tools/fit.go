package tools

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// find returns the index of the line where a hunk begins: where the patch says, or else the only place where its old lines are.
func (t *patchedText) find(h hunk) (int, error) {
	old := h.old()
	from, err := t.behind(h.anchor)
	if err != nil {
		return 0, err
	}
	if len(old) == 0 {
		return t.insertion(h, from)
	}
	places := t.places("\n"+strings.Join(old, "\n")+"\n", from, h.at-1+t.drift)
	if h.atEnd {
		places = atEnd(places, len(t.lines)-len(old))
	}
	switch {
	case len(places) == 0:
		return 0, fmt.Errorf("does not fit; %s", nearest(strings.Join(t.lines[t.taken:], ""), strings.Join(old, "\n")))
	case len(places) > 1 && h.anchor == "":
		var lines []string
		for _, at := range places {
			lines = append(lines, strconv.Itoa(at+1))
		}
		return 0, fmt.Errorf("fits at the lines %s; give the right line in its @@ line, or more of the text around it", strings.Join(lines, ", "))
	}
	if h.at > 0 {
		t.drift = places[0] - (h.at - 1)
	}
	return places[0], nil
}

// places are the indexes of the lines where a text begins, at most some; only the expected one if it is among them.
func (t *patchedText) places(text string, from, expected int) []int {
	const enough = 10
	var some []int
	line, seen := 0, 0 // the line that begins behind the byte seen
	for next := 0; ; {
		i := strings.Index(t.flat[next:], text)
		if i < 0 {
			return some
		}
		line += strings.Count(t.flat[seen:next+i], "\n")
		seen = next + i
		next = seen + 1
		if line == expected && line >= from {
			return []int{line}
		}
		if line >= from && len(some) < enough {
			some = append(some, line)
		}
	}
}

func atEnd(places []int, last int) []int {
	for _, at := range places {
		if at == last {
			return []int{at}
		}
	}
	return nil
}

// insertion is where a hunk that only adds lines does so.
func (t *patchedText) insertion(h hunk, from int) (int, error) {
	at := len(t.lines)
	switch {
	case len(h.lines) == 0:
		return 0, errors.New("is empty; remove it from the patch")
	case h.anchor != "" && !h.atEnd:
		at = from
	case h.at >= 0:
		at = h.at + t.drift // the line behind which they are
	}
	if at < t.taken || at > len(t.lines) {
		return 0, fmt.Errorf("adds lines at line %d of %d; give lines around them, so that it is clear where", at, len(t.lines))
	}
	return at, nil
}

// behind is the index of the line after an anchor.
func (t *patchedText) behind(anchor string) (int, error) {
	if anchor == "" {
		return t.taken, nil
	}
	for i := t.taken; i < len(t.lines); i++ {
		if strings.TrimSpace(t.lines[i]) == strings.TrimSpace(anchor) {
			return i + 1, nil
		}
	}
	return 0, fmt.Errorf("does not fit: no line is %q; %s", anchor, nearest(strings.Join(t.lines[t.taken:], ""), anchor))
}
