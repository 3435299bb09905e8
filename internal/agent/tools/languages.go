package tools

import (
	"regexp"
	"strings"
)

// languages says, by the end of a file's name, how lines look that begin something. It is a guess: it does not know comments and strings.
var languages = map[string]*regexp.Regexp{}

func init() {
	modifiers := `(?:(?:public|private|protected|internal|static|final|abstract|sealed|partial|async|override|virtual|open|data|inline|suspend|` +
		`extern|unsafe|readonly|synchronized|native|default|fileprivate|mutating|companion|export|declare|const|pub(?:\([a-z ]+\))?)\s+)*`
	for ends, pattern := range map[string]string{
		".go":                `^(?:func|type|const|var)\b`,
		".md .markdown":      `^#{1,6}\s`,
		".py .pyi":           `^\s*(?:async\s+)?(?:def|class)\s+\w`,
		".js .jsx .mjs .cjs": javascript,
		".ts .tsx .mts .cts": javascript,
		".java":              `^\s*` + modifiers + `(?:(?:class|interface|enum|record|@interface)\s+\w|[\w<>\[\], .?]+\s\w+\s*\([^;]*$)`,
		".kt .kts":           `^\s*` + modifiers + `(?:(?:enum\s+)?class|interface|object|fun|typealias)\b`,
		".c .h .cc .cpp .cxx .hpp": `^(?:(?:class|struct|enum|union|namespace|typedef)\b[^;]*$|#define\s+\w|` +
			`[A-Za-z_][\w<>:,*& ]*[\s*&]~?[\w:~]+\s*\([^;]*$)`,
		".cs":            `^\s*` + modifiers + `(?:(?:namespace|class|interface|struct|enum|record)\s+\w|[\w<>\[\], .?]+\s\w+\s*\([^;]*$)`,
		".rb":            `^\s*(?:def|class|module)\s+\S`,
		".rs":            `^\s*` + modifiers + `(?:fn|struct|enum|trait|impl|mod|macro_rules!|type|union)\b`,
		".php":           `^\s*` + modifiers + `(?:function|class|interface|trait|enum|namespace)\s+\S`,
		".swift":         `^\s*(?:@\w+\s+)*` + modifiers + `(?:class|struct|enum|protocol|extension|actor|func|init|typealias)\b`,
		".sh .bash .zsh": `^\s*(?:function\s+[\w:.-]+|[\w:.-]+\s*\(\s*\))`,
	} {
		compiled := regexp.MustCompile(pattern)
		for end := range strings.FieldsSeq(ends) {
			languages[end] = compiled
		}
	}
}

const javascript = `^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?` +
	`(?:(?:function\b|class\s|interface\s|enum\s|namespace\s|type\s+\w+\s*[=<])` +
	`|(?:const|let|var)\s+\w+\s*(?::[^=]*)?=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]*)?=>|\w+\s*=>)` +
	`|(?:(?:public|private|protected|static|readonly|get|set|async|#)\s*)*[\w$]+\s*\([^;]*\)\s*(?::[^{;]*)?\{\s*$)`

// statements look like the beginning of a function in some languages.
var statements = regexp.MustCompile(`^\s*(?:\}\s*)?(?:if|for|foreach|while|switch|catch|else|return|do|try|throw|new|using|lock|await|with|case)\b`)

const guessedItems = 3000 // many more than an outline shows

// guessed lets each line that begins something reach to the next line that is indented no deeper and closes nothing.
func guessed(content string, begins *regexp.Regexp) []item {
	g := guess{lines: strings.Split(strings.TrimSuffix(content, "\n"), "\n")}
	for i, line := range g.lines {
		if len(g.items) == guessedItems {
			g.end(0, i)
			return g.items
		}
		line = strings.TrimRight(line[:min(len(line), 1000)], " \t\r")
		trimmed := strings.TrimLeft(line, " \t")
		indent := len(line) - len(trimmed)
		switch {
		case trimmed == "":
		case begins.MatchString(line) && !statements.MatchString(line):
			g.end(indent, i)
			g.open = append(g.open, len(g.items))
			g.items = append(g.items, item{from: i + 1, text: line})
			g.indents = append(g.indents, indent)
		case trimmed[0] == '#' || strings.HasSuffix(trimmed, ":"): // #endif and labels may stand further left than what they are in
		case strings.IndexByte("{}()[]", trimmed[0]) >= 0 || trimmed == "end":
			g.end(indent+1, i)
		default:
			g.end(indent, i)
		}
	}
	g.end(0, len(g.lines))
	return g.items
}

type guess struct {
	lines   []string
	items   []item
	indents []int
	open    []int // the items that have not ended yet, the outermost first
}

// end ends what is indented as deeply as a line or deeper: before that line, and before the blank lines above it.
func (g *guess) end(indent, at int) {
	for n := len(g.open) - 1; n >= 0 && g.indents[g.open[n]] >= indent; n-- {
		it := &g.items[g.open[n]]
		for at > it.from && strings.TrimSpace(g.lines[at-1]) == "" {
			at--
		}
		it.to = at
		g.open = g.open[:n]
	}
}
