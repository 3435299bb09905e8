package inbound

import (
	"fmt"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/task"
)

// pageList is a part of a page that is being made. Rows beyond pageRows are only counted.
type pageList struct {
	title, none string
	rows        []row
	more        int
}

func (l *pageList) add(r row) {
	if len(l.rows) == pageRows {
		l.more++
		return
	}
	l.rows = append(l.rows, r)
}

func (l *pageList) part(md render.Markdown, shown map[string]*task.MessageRef) channel.Part {
	part := channel.Part{Title: l.title}
	for _, r := range l.rows {
		text := r.line(md)
		for _, link := range []string{md.Link("Pull request", r.pull), md.Web(r.id, r.run)} {
			if link != "" {
				text += " · " + link
			}
		}
		part.Entries = append(part.Entries, channel.Entry{Text: text, At: shown[r.conversation()]})
	}
	switch {
	case len(l.rows) == 0:
		part.Entries = []channel.Entry{{Text: l.none}}
	case l.more > 0:
		part.Entries = append(part.Entries, channel.Entry{Text: fmt.Sprintf("And %d more; `list` shows what runs.", l.more)})
	}
	return part
}
