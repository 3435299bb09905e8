package activities

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/atomicfile"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// write keeps a text for people who look through the folder. What counts is in the results.
func (r *record) write(name string, ask int, text string) error {
	if text == "" {
		return nil
	}
	file := fmt.Sprintf("%s-%d.md", name, ask)
	if err := atomicfile.Write(filepath.Join(r.dir, file), []byte(strings.TrimRight(text, "\n")+"\n")); err != nil {
		return fault.New(fault.Infra, "keep %s in the session's folder: %w", file, err)
	}
	return nil
}

// writeReports keeps what a session asks people, what it wants them to look at, and what its review asks for.
func (r *record) writeReports(ask int, res SessionResult) error {
	issue, review := "", ""
	if res.Report.Kind == task.ReportSpecIssue {
		issue = res.Report.Text
	}
	if v := res.Review; v != nil && !v.Approved {
		review = v.Text
	}
	return errors.Join(r.write("spec-issue", ask, issue), r.write("findings", ask, bullets(res.Report.Findings)), r.write("review", ask, review))
}

func bullets(texts []string) string {
	var b strings.Builder
	for _, t := range texts {
		b.WriteString("- " + strings.ReplaceAll(t, "\n", "\n  ") + "\n")
	}
	return b.String()
}
