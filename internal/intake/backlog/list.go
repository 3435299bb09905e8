package backlog

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/workfile"
	"github.com/longshift/longshift/task"
)

// maxTitle limits a title, in bytes.
const maxTitle = 256

func (s *Source) List(ctx context.Context, q intake.Query, visit func(intake.Item) bool) error {
	d, err := s.open(ctx, q)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Quiet(ctx); err != nil {
		return fmt.Errorf("backlog: %w", err)
	}
	names, err := d.Names()
	if err != nil {
		return fmt.Errorf("backlog: %w", err)
	}
	if d.Busy(orders(names), s.config.Quiet, s.config.Now()) {
		return nil
	}
	all, err := d.Marks.All()
	if err != nil {
		return fmt.Errorf("backlog: %w", err)
	}
	hidden := map[string]bool{} // by key, or by id if a task has ended
	for _, m := range all {
		if m.Runs() {
			hidden[m.Key] = true
		}
		hidden[m.Key+"\x00"+m.Sum] = true
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !fits(name) {
			if strings.EqualFold(name[max(0, len(name)-3):], ".md") {
				s.config.Log.Warn("backlog: a file is left out: its name has signs that can't be shown, or begins with a hyphen",
					"file", fmt.Sprintf("%q", name))
			}
			continue
		}
		if hidden[name] {
			continue
		}
		f, err := d.Read(name)
		if fault.KindOf(err) == fault.NotFound { // removed meanwhile
			continue
		}
		if err != nil {
			return fmt.Errorf("backlog: %w", err)
		}
		if hidden[name+"\x00"+f.Sum()] || len(bytes.TrimSpace(f.Data)) == 0 && f.Size <= workfile.Most {
			continue
		}
		if !visit(d.item(name, f)) {
			return nil
		}
	}
	return nil
}

// orders keeps only the names that can be work.
func orders(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !fits(n) })
}

// Settles returns how long List waits until nobody has written to the files for the quiet time; 0 when it can list them now.
func (s *Source) Settles(ctx context.Context, q intake.Query) (time.Duration, error) {
	d, err := s.open(ctx, q)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	names, err := d.Names()
	if err != nil {
		return 0, fmt.Errorf("backlog: %w", err)
	}
	return d.Settles(orders(names), s.config.Quiet, s.config.Now()), nil
}

func (d *desk) item(key string, f workfile.File) intake.Item {
	sum := f.Sum()
	return intake.Item{Key: key, ID: d.id(key, sum), Sum: sum, Title: title(f.Data)}
}

func (s *Source) Read(ctx context.Context, q intake.Query, key string) (intake.Work, error) {
	d, err := s.open(ctx, q)
	if err != nil {
		return intake.Work{}, err
	}
	defer d.Close()
	if err := d.Quiet(ctx); err != nil {
		return intake.Work{}, fmt.Errorf("backlog: %w", err)
	}
	f, err := d.read(key)
	if err != nil {
		return intake.Work{}, fmt.Errorf("backlog: %w", err)
	}
	w := intake.Work{Item: d.item(key, f), No: no(key, f)}
	if w.No == "" {
		w.Task = string(f.Data)
	}
	all, err := d.Marks.All()
	if err != nil {
		return intake.Work{}, fmt.Errorf("backlog: %w", err)
	}
	if m := workfile.Of(all, key, w.Sum); m != nil && !m.Runs() && w.No == "" {
		w.No = m.Why() + "; " + m.WayOut()
	}
	return w, nil
}

// no returns why a file can't be an order, "" when it can.
func no(key string, f workfile.File) string {
	switch {
	case len(key) > task.MaxKey:
		return fmt.Sprintf("its name has %d bytes; a task's has at most %d: give it a shorter name", len(key), task.MaxKey)
	case f.Size > task.MaxTask:
		return fmt.Sprintf("the file has %d bytes; a task has at most %d: put less into it, or several files", f.Size, task.MaxTask)
	case !utf8.Valid(f.Data) || bytes.IndexByte(f.Data, 0) >= 0:
		return "the file is not text in UTF-8"
	case len(bytes.TrimSpace(f.Data)) == 0:
		return "the file is empty"
	}
	return ""
}

// title is the first heading, or the first line that is not empty.
func title(data []byte) string {
	first, fence := "", ""
	for line := range strings.Lines(string(data[:min(len(data), task.MaxTask)])) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if mark := line[:min(len(line), 3)]; mark == "```" || mark == "~~~" {
			switch fence {
			case "":
				fence = mark
			case mark:
				fence = ""
			}
			continue
		}
		words := strings.TrimLeft(line, "#")
		n := len(line) - len(words)
		if fence == "" && n > 0 && n <= 6 && strings.TrimSpace(words) != "" && strings.ContainsAny(words[:1], " \t") {
			return forge.CleanLine(strings.TrimRight(words, "# \t"), maxTitle)
		}
		if first == "" {
			first = line
		}
	}
	return forge.CleanLine(first, maxTitle)
}
