package tools

import "context"

// entry is a tool with what runs it: read for a class that changes nothing, plan for the others.
type entry struct {
	name    string
	class   Class
	text    string
	schema  string
	example string // arguments of a right call, for errors
	params  []param
	path    func(arguments) string // the path that a call names; nil for tools that take none
	read    func(*Workspace, context.Context, arguments) (answer any, line string, err error)
	plan    func(*Workspace, context.Context, arguments) (plan, error)
}

func byName(tool string) *entry {
	for i := range catalog {
		if catalog[i].name == tool {
			return &catalog[i]
		}
	}
	return nil
}

func names() []string {
	var all []string
	for _, t := range catalog {
		all = append(all, t.name)
	}
	return all
}

func thePath(a arguments) string { return a.texts["path"] }

func pathOrRoot(a arguments) string {
	if p := a.texts["path"]; p != "" {
		return p
	}
	return "."
}

// catalog is filled by init, because the tools look themselves up in it.
var catalog []entry

func init() {
	catalog = []entry{readFile, readLines, listDir, search, editFile, writeFile,
		findFiles, getFileOutline, writeSourceFile, createWorkspace,
		previewPatch, applyPatch}
}
