package heartbeat

import (
	"bytes"
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/workfile"
	"github.com/longshift/longshift/task"
)

// List implements intake.Source. The file is the only piece of work.
func (s *Source) List(ctx context.Context, q intake.Query, visit func(intake.Item) bool) error {
	d, err := s.open(ctx, q)
	if err != nil {
		return err
	}
	defer d.Close()
	if d.Busy([]string{d.name}, s.config.Quiet, s.config.Now()) {
		return nil
	}
	w, err := s.look(ctx, d)
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	if err != nil {
		return fmt.Errorf("heartbeat: %w", err)
	}
	if w.hidden == nil && w.todo {
		visit(w.Item)
	}
	return nil
}

// Settles returns how long List waits until nobody has written to the file for the quiet time; 0 when it can list it now.
func (s *Source) Settles(ctx context.Context, q intake.Query) (time.Duration, error) {
	d, err := s.open(ctx, q)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	return d.Settles([]string{d.name}, s.config.Quiet, s.config.Now()), nil
}

// seen is the file together with the records about it.
type seen struct {
	intake.Work
	hidden *workfile.Mark
	todo   bool
}

func (s *Source) look(ctx context.Context, d *desk) (seen, error) {
	if err := d.Quiet(ctx); err != nil {
		return seen{}, err
	}
	f, err := d.Read(d.name)
	if err != nil {
		return seen{}, err
	}
	all, err := d.Marks.All()
	if err != nil {
		return seen{}, err
	}
	text := split(f.Data)
	sum := text.sum()
	item := intake.Item{Key: d.name, ID: d.mark(all, sum, "").ID, Sum: sum, Title: Title}
	w := seen{Work: intake.Work{Item: item}, hidden: workfile.Hides(all, d.name, sum)}
	person := bytes.TrimSpace(text.person())
	w.No = no(f, person)
	if w.No == "" {
		w.todo = look(person).work()
		w.Task = order(d.Name(d.name), person)
	} else {
		w.todo = len(person) > 0
	}
	switch m := workfile.Of(all, d.name, sum); {
	case w.No != "":
	case !w.todo:
		w.No = "nothing in the file is left to do"
	case m != nil && !m.Runs() && !m.Over:
		w.No = m.Why() + "; " + m.WayOut()
	}
	return w, nil
}

func (s *Source) Read(ctx context.Context, q intake.Query, key string) (intake.Work, error) {
	d, err := s.open(ctx, q)
	if err != nil {
		return intake.Work{}, err
	}
	defer d.Close()
	if err := d.checkKey(key); err != nil {
		return intake.Work{}, err
	}
	w, err := s.look(ctx, d)
	if err != nil {
		return intake.Work{}, fmt.Errorf("heartbeat: %w", err)
	}
	return w.Work, nil
}

// no returns why the file can't be an order, "" when it can.
func no(f workfile.File, person []byte) string {
	switch {
	case f.Size > workfile.Most || len(order("", person)) > task.MaxTask-maxPath:
		return fmt.Sprintf("the file has %d bytes; a task has at most %d: put less into it", f.Size, task.MaxTask-maxPath-len(order("", nil)))
	case !utf8.Valid(f.Data) || bytes.IndexByte(f.Data, 0) >= 0:
		return "the file is not text in UTF-8"
	case len(person) == 0:
		return "the file is empty"
	}
	return ""
}

// maxPath limits the part of the file's path in an order.
const maxPath = 1 << 10

// order is the task's text: instructions, followed by the file's content.
func order(name string, person []byte) string {
	return Title + "\n\nWork on what " + name[:min(len(name), maxPath)] + " lists. Tick there what is done (- [x]), and write into the same " +
		"file in a line or two how far you came. Leave what you did not work on as it is. The file says:\n\n" + string(person) + "\n"
}
