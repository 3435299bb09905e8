package main

import (
	"strings"
	"testing"
)

func TestVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		row  row
		want string
	}{
		"within the budget":        {row{budget: 2, now: []float64{1, 1, 3}}, ""},
		"over it":                  {row{budget: 2, now: []float64{1, 3, 3}}, "over budget"},
		"as before":                {row{now: []float64{1, 1.2, 0.85, 1.05}, base: []float64{1.1, 1, 1, 1}}, "same"},
		"one slow round":           {row{now: []float64{1, 9, 1.01, 1}, base: []float64{1, 1, 1, 1.01}}, "same"},
		"slower in all":            {row{now: []float64{1.2, 2.2, 1.3, 1.2}, base: []float64{1, 2, 1.1, 1}}, "WORSE"},
		"faster in all":            {row{now: []float64{1, 2, 1.1, 1}, base: []float64{1.2, 2.2, 1.3, 1.2}}, "better"},
		"one event more":           {row{now: []float64{124, 124, 124}, base: []float64{123, 123, 123}}, "WORSE"},
		"worse and over":           {row{budget: 1, now: []float64{3, 3, 3}, base: []float64{2, 2, 2}}, "over budget, WORSE"},
		"counts that are the same": {row{now: []float64{7, 7, 7}, base: []float64{7, 7, 7}}, "same"},
	} {
		if got := c.row.verdict(); got != c.want {
			t.Errorf("%s: %q, wanted %q", name, got, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	var b strings.Builder
	err := printTable(&b, []row{
		{what: "whole task", format: "%.2f", budget: 1, now: []float64{1.2}, base: []float64{1.1}},
		{what: "memory", format: "%.0f MB", now: []float64{100}},
	})
	want := "figure      now     budget  base  change  noise  \n" +
		"whole task  1.20    1.00    1.10  +0.1    0      over budget, WORSE\n" +
		"memory      100 MB  -       -     -       -      \n"
	if err != nil || b.String() != want {
		t.Errorf("%v\n%s", err, b.String())
	}
}
