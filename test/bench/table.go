package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
)

// row is a figure that is to stay low, by round.
type row struct {
	what   string
	format string    // of a value
	budget float64   // 0 for none
	now    []float64 // as built here
	base   []float64 // as built from an earlier commit, in the same rounds; nil without one
}

// noise is how far the medians of two equal sides may differ, by the differences of the rounds: three standard errors, from the median of the
// distances so that one slow round does not widen it. Of equal sides one row in fourteen differs by more in six rounds.
func (r row) noise() float64 {
	d := r.differences()
	m, far := median(d), []float64{}
	for _, x := range d {
		far = append(far, math.Abs(x-m))
	}
	return 3 * 1.2533 * 1.4826 * median(far) / math.Sqrt(float64(len(d)))
}

func (r row) differences() []float64 { return pairwise(r.now, r.base, above) }

// verdict says what the row has come to: whether the budget is kept, and whether it is worse than at the earlier commit.
func (r row) verdict() string {
	said := ""
	if r.budget > 0 && median(r.now) > r.budget {
		said = "over budget"
	}
	if r.base == nil {
		return said
	}
	by := median(r.differences())
	if said != "" {
		said += ", "
	}
	switch noise := r.noise(); {
	case by > noise:
		return said + "WORSE"
	case by < -noise:
		return said + "better"
	}
	return said + "same"
}

// pairwise joins values of the same rounds.
func pairwise(a, b []float64, join func(a, b float64) float64) (all []float64) {
	for i := range min(len(a), len(b)) {
		all = append(all, join(a[i], b[i]))
	}
	return all
}

func above(a, b float64) float64 { return a - b }

// printTable prints the rows, with their budgets and what they were at an earlier commit.
func printTable(to io.Writer, rows []row) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	base := slices.ContainsFunc(rows, func(r row) bool { return r.base != nil })
	head := "figure\tnow\tbudget\t"
	if base {
		head += "base\tchange\tnoise\t"
	}
	fmt.Fprintln(w, head)
	for _, r := range rows {
		value := func(v float64) string { return fmt.Sprintf(r.format, v) }
		budget := "-"
		if r.budget > 0 {
			budget = value(r.budget)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t", r.what, value(median(r.now)), budget)
		if r.base != nil {
			fmt.Fprintf(w, "%s\t%+.3g\t%.2g\t", value(median(r.base)), median(r.differences()), r.noise())
		} else if base {
			fmt.Fprint(w, "-\t-\t-\t")
		}
		fmt.Fprintln(w, r.verdict())
	}
	return w.Flush()
}
