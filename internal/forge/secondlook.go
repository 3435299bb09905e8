package forge

import "fmt"

// secondLook lists the changes that a reader should look at first. It precedes everything that a model has written.
func (s Summary) secondLook(l limits) []string {
	if len(s.Sensitive) == 0 {
		return nil
	}
	rows := []string{"> **Look at these files first**: they start something by themselves, decide where code comes from, " +
		"lead elsewhere, can't be read, or take protection away.", ">"}
	for i, f := range s.Sensitive {
		if i == l.rows {
			rows = append(rows, fmt.Sprintf("> - and %d more", len(s.Sensitive)-i))
			break
		}
		row := "> - **" + phrase(f.Kind, 20) + "**"
		if f.Path != "" {
			row += " " + span(f.Path, 200)
		}
		rows = append(rows, row+": "+phrase(f.What, 200))
	}
	return rows
}
