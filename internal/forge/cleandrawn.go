package forge

import (
	"regexp"
	"strings"
)

// drawn are the languages of fenced blocks that a forge draws instead of showing their text.
var drawn = map[string]bool{"mermaid": true, "geojson": true, "topojson": true, "stl": true, "math": true}

const mathNote = "(math left out: parts of it may be hidden on the page)"

var (
	// mermaidHidden are the lines of a diagram that are not drawn, or only shown under a mouse.
	mermaidHidden = regexp.MustCompile(`(?m)^[ \t]*(?:%%|accTitle\b|accDescr\b|click\b|style\b|classDef\b|linkStyle\b).*\n?`)
	mermaidLong   = regexp.MustCompile(`(?m)^[ \t]*accDescr\s*\{[^}]*\}?`)
	mermaidFront  = regexp.MustCompile(`^\s*---[ \t]*\n(?:[^\n]*\n)*?[ \t]*---[ \t]*(?:\n|$)`)
	// hidingMath are commands that hide, colour, shrink or move what they are around, or make others that do.
	hidingMath = regexp.MustCompile(`\\(?:[hv]?phantom|(?:text|f)?color(?:box)?|fcolorbox|(?:math)?[rlc]lap|smash|raise(?:box)?|lower|` +
		`m?kern|[hm]skip|hspace|tiny|(?:script){1,2}size|style|class|cssId|href|url|require|def|let|(?:re)?newcommand|newenvironment|` +
		`DeclareMathOperator|bbox|unicode|mmlToken|tooltip|texttip|toggle|action|enclose|rule|Rule|move(?:left|right)|hidewidth|` +
		`texorpdfstring|label|tag)(?:[^A-Za-z]|$)`)
	mathComment = regexp.MustCompile(`(?:^|[^\\])%`)
	// spanComment is a comment in math that stands in the text. Prices with a percentage between them are no math.
	spanComment = regexp.MustCompile(`\$\$[^$]*[^\\$]%[^$]*\$\$|\$[^\s$](?:[^$]*[^\\$])?%(?:[^$]*[^\s$])?\$(?:\W|$)`)
)

// hidesMath tells whether the page may hide parts of math.
func hidesMath(code string) bool {
	return hidingMath.MatchString(code) || mathComment.MatchString(code)
}

// drawnNote stands behind the name of a language that is drawn.
func drawnNote(word string) string {
	if drawn[strings.ToLower(word)] {
		return " (drawn on the page, parts of it may be hidden)"
	}
	return ""
}

// undrawn is the text of a block that is drawn, without what is easily told to be hidden.
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

// dropMath leaves math out that may hide something, from the first dollar of its paragraph to the last.
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
