package forge

import (
	"regexp"
	"strings"
)

// drawn are the languages of fenced blocks that forges render as pictures or maps instead of showing their text.
var drawn = map[string]bool{"mermaid": true, "geojson": true, "topojson": true, "stl": true, "math": true}

const mathNote = "(math left out: parts of it may be hidden on the page)"

var (
	// mermaidHidden matches lines of a diagram that are not drawn, or shown only on hover.
	mermaidHidden = regexp.MustCompile(`(?m)^[ \t]*(?:%%|accTitle\b|accDescr\b|click\b|style\b|classDef\b|linkStyle\b).*\n?`)
	mermaidLong   = regexp.MustCompile(`(?m)^[ \t]*accDescr\s*\{[^}]*\}?`)
	mermaidFront  = regexp.MustCompile(`^\s*---[ \t]*\n(?:[^\n]*\n)*?[ \t]*---[ \t]*(?:\n|$)`)
	// hidingMath matches commands that hide, colour, shrink or move their argument, or define commands that could.
	hidingMath = regexp.MustCompile(`\\(?:[hv]?phantom|(?:text|f)?color(?:box)?|fcolorbox|(?:math)?[rlc]lap|smash|raise(?:box)?|lower|` +
		`m?kern|[hm]skip|hspace|tiny|(?:script){1,2}size|style|class|cssId|href|url|require|def|let|(?:re)?newcommand|newenvironment|` +
		`DeclareMathOperator|bbox|unicode|mmlToken|tooltip|texttip|toggle|action|enclose|rule|Rule|move(?:left|right)|hidewidth|` +
		`texorpdfstring|label|tag)(?:[^A-Za-z]|$)`)
	mathComment = regexp.MustCompile(`(?:^|[^\\])%`)
	// spanComment matches a comment within inline math. Two prices with a percentage between them are not math.
	spanComment = regexp.MustCompile(`\$\$[^$]*[^\\$]%[^$]*\$\$|\$[^\s$](?:[^$]*[^\\$])?%(?:[^$]*[^\s$])?\$(?:\W|$)`)
)

// hidesMath tells whether the page may hide parts of some math.
func hidesMath(code string) bool {
	return hidingMath.MatchString(code) || mathComment.MatchString(code)
}

// drawnNote follows the language of a block that the page draws.
func drawnNote(word string) string {
	if drawn[strings.ToLower(word)] {
		return " (drawn on the page, parts of it may be hidden)"
	}
	return ""
}

// undrawn returns the text of a drawn block, without the parts that are easily recognized as hidden.
func undrawn(language, code string) string {
	switch {
	case language == "mermaid":
		code = mermaidFront.ReplaceAllString(code, "")
		return mermaidHidden.ReplaceAllString(mermaidLong.ReplaceAllString(code, ""), "")
	case language == "math" && hidesMath(code):
		return mathNote + "\n"
	}
	return code
}

// dropMath removes math that may hide something, from the first dollar sign of its paragraph to the last.
func dropMath(s string) string {
	if !strings.Contains(s, "$") || !hidesMath(s) {
		return s
	}
	parts := strings.Split(s, "\n\n")
	for i, p := range parts {
		from, to := strings.IndexByte(p, '$'), strings.LastIndexByte(p, '$')
		if from >= 0 && to > from && (hidingMath.MatchString(p[from:to]) || spanComment.MatchString(p)) {
			parts[i] = p[:from] + mathNote + p[to+1:]
		}
	}
	return strings.Join(parts, "\n\n")
}
