// Package tools holds the file tools of Longshift's own coding agent: they read, search and change files below one folder, the root of the
// workspace. The arguments come from a model that may be clumsy or hostile, and the files from a repository that may be hostile. So no tool
// leaves the root, follows a link when it writes, waits for a pipe or a device, holds more in memory than its limits say, or leaves a file
// half written. The package runs no program, asks nobody and decides no policy: the caller asks before the call. It imports only the
// standard library, goldmark and excerpt.
package tools

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync"
)

// Class says what a call of a tool may do.
type Class string

const (
	Reads   Class = "read"   // changes nothing
	Writes  Class = "write"  // changes files of the workspace
	Runs    Class = "run"    // runs a program; no tool of this package does
	Reports Class = "report" // tells the caller something; no tool of this package does
	Asks    Class = "ask"    // asks people, and waits for them; no tool of this package does
)

// Tool is a tool as the model is told of it.
type Tool struct {
	Name   string
	Text   string
	Schema json.RawMessage
	Class  Class
}

// Tree is the folder that the tools work in: where paths lead, and how files are opened there.
type Tree struct {
	Root   *os.Root
	Limits Limits
	// Readable tells whether a file or folder may be read: a slash path relative to the root, "." for the root; nil means all. Listings and
	// searches leave out the rest. The path that a call names is asked for only if it leads through a link, because the caller has
	// already judged the path as written.
	Readable func(path string) bool
}

// Workspace is what the tools work on. Its methods may be called concurrently; writing calls wait for each other.
type Workspace struct {
	Tree
	// Accepts is asked before a file gets another text, with the one that it has, "" for none; nil accepts all.
	Accepts func(path, before, after string) error

	writing sync.Mutex
}

// Result is the outcome of a call.
type Result struct {
	Content []byte   // a JSON object for the model, with "success" and, when false, "error", which says what to do instead
	Failed  bool     // and so changed nothing
	Line    string   // one line for people
	Wrote   []string // the paths that were changed
}

// Files lists the file tools in the order in which models see them. Texts and schemas never vary, so that providers can cache them.
func Files() []Tool {
	var all []Tool
	for _, t := range catalog {
		all = append(all, Tool{t.name, t.text, json.RawMessage(t.schema), t.class})
	}
	return all
}

// Path returns the path that a call names, as the model wrote it. It is false for a patch, which names several (Plan lists those that it
// would change), and for arguments that Do refuses.
func Path(tool string, raw json.RawMessage) (path string, ok bool) {
	t, args, err := decode(tool, raw)
	if err != nil || t.path == nil {
		return "", false
	}
	path = t.path(args)
	return path, path != ""
}

// Do runs a file tool. What goes wrong is in the result.
func (w *Workspace) Do(ctx context.Context, tool string, raw json.RawMessage) (r Result) {
	defer func() {
		// A parser of another module may panic on a hostile file; the worker, which runs other tasks too, must not.
		if p := recover(); p != nil {
			r = w.failure(tool, errors.New("the tool can't handle this input; use another tool, such as read_lines"))
		}
	}()
	t, args, err := decode(tool, raw)
	switch {
	case err != nil:
	case ctx.Err() != nil:
		err = errStopped
	case t.class == Writes:
		r, err = w.write(ctx, t, args)
	default:
		r, err = w.read(ctx, t, args)
	}
	if err != nil {
		return w.failure(tool, err)
	}
	return r
}

func (w *Workspace) read(ctx context.Context, t *entry, args arguments) (Result, error) {
	answer, line, err := t.read(w, ctx, args)
	if err != nil {
		return Result{}, err
	}
	return w.success(t.name, line, answer)
}

func (w *Workspace) write(ctx context.Context, t *entry, args arguments) (Result, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	p, err := w.planned(ctx, t, args)
	if err != nil {
		return Result{}, err
	}
	r, err := w.success(t.name, p.line, p.answer)
	if err != nil {
		return Result{}, err
	}
	if err := w.commit(ctx, p.changes); err != nil {
		return Result{}, err
	}
	for _, c := range p.changes {
		r.Wrote = append(r.Wrote, c.path)
	}
	return r, nil
}
