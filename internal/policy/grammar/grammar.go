// Package grammar describes the command lines of programs by tables: their options, the meaning of values and operands, and the
// class of running them. It parses the words of a command line into uses, and refuses what the table does not have.
//
// It does not decide on paths, roles or settings, knows no shell syntax, and touches no file. What is not in a program's table
// is refused, never guessed: an unknown option, an abbreviation, a letter of a cluster.
package grammar

import "strings"

// Kind is the meaning of an operand or of an option's value.
type Kind string

// The kinds. Which sources of words (see Word) fit which kind is decided in one place, Word.Fits.
const (
	Data    Kind = "data"    // text that is printed, compared, searched for, counted: harmless whatever it says
	Number  Kind = "number"  // digits, with the usual units and signs
	Name    Kind = "name"    // a plain name: script, target, test, branch, module, format; no URL, no path that leads out, no leading dash
	Rev     Kind = "rev"     // a git revision, range or pathspec-free ref
	Package Kind = "package" // a package that the project already declares, by bare name; never a URL, path or VCS address
	Read    Kind = "read"    // path that is read ("-" is standard input)
	List    Kind = "list"    // path of which only names and attributes are shown, never content
	Write   Kind = "write"   // path that is made or changed ("-" is standard output)
	Remove  Kind = "remove"  // path that goes away (deleted, or moved): needs the destructive permission
	Code    Kind = "code"    // file or folder inside the tree that is run or loaded: program, script, configuration with code
	Dir     Kind = "dir"     // becomes the working folder of the program
	Command Kind = "command" // first word of a command that is run; all that follows belongs to it
	Shell   Kind = "shell"   // shell text that is run: judged as a script of its own
	Inline  Kind = "inline"  // text that may be code of another language: allowed only in a sandbox, if it names nothing outside
	Assign  Kind = "assign"  // NAME=value for the environment
	Local   Kind = "local"   // URL or address of this machine's loopback
	Never   Kind = "never"   // refused with the reason of the option
)

// Class is the kind of effect that running a program has. Roles allow classes.
type Class string

// The classes, from harmless to forbidden.
const (
	Inspect Class = "inspect" // reads the tree; changes nothing
	Change  Class = "change"  // changes files of the tree or local git state
	Run     Class = "run"     // runs code of the repository: tests, builds, scripts
	Install Class = "install" // fetches what the project declares from a package registry, through the proxy
	Ask     Class = "ask"     // may be fine; a person decides
	Deny    Class = "deny"    // never
)

// Yields is what is known of a program's output, which may become part of another command.
type Yields string

// What a program may yield. The zero value is any text.
const (
	YieldsTree  Yields = "tree"  // names of files inside the tree, one a line, when all its operands lie in the tree
	YieldsPlain Yields = "plain" // one plain token: no leading dash, no path out of the tree (a commit id, a date, a count)
)

// Need is a condition of the environment for allowing a use.
type Need string

// The needs.
const (
	NeedRegistry    Need = "registry"    // the proxy to package registries
	NeedDestructive Need = "destructive" // the task may remove files
	NeedTmp         Need = "tmp"         // /tmp is private
	NeedLoopback    Need = "loopback"    // the loopback interface is private
	NeedNamespace   Need = "namespace"   // processes are in a namespace of their own
)

// Style is how a program reads its options.
type Style string

// The styles. In all of them "--" ends the options.
const (
	GNU    Style = ""       // -abc clusters, -ovalue, -o value, --long=value, --long value; options anywhere
	Posix  Style = "posix"  // like GNU, but the first operand ends the options (wrappers: env, nice, timeout, xargs)
	GoFlag Style = "goflag" // -long, --long, -long=value, -long value; no clusters; the first operand ends the options
	Single Style = "single" // -long and --long anywhere, no clusters (java, gcc-like tools, terraform)
	Bare   Style = "bare"   // no options at all: every word is an operand (echo, expr)
)

// Spec is the table of a program or of one of its sub-commands.
//
// Opts is a list of entries separated by white space. An entry is names joined by commas, then what follows them:
//
//	-l,--long          takes no value
//	-o,--output=write  takes a value of a kind: -o v, -ov, --output v, --output=v
//	--color?=data      may take a value, only in the same word: --color, --color=v, -O2
//	--type=a|b|c       takes one of the values listed (a name with "|" in it); "?=a|b" likewise, optional
//	!--exec            known and refused: the verdict is deny, the reason names it. Also "!-x,--extcmd"
//	~--rebase          known, and a person is asked
//	-i*                a flag prefix: any word that begins with -i (use with care: -W*, -f* of compilers)
//	-I*=read           a prefix whose rest is a value of a kind: -Ipath (no separate word)
//	-D*=data
//	-#                   a number for an option: -10
//
// Args is a list of kinds for the operands, in order: "data read*" is grep, "read* write" is cp (the last operand of a list
// whose star is not at the end is taken from the end). A trailing "?" makes one optional, "*" any number, "+" at least
// one. Too many operands are refused (ask). "" takes none.
type Spec struct {
	Class   Class
	Opts    string
	Args    string
	Style   Style
	Yields  Yields
	Needs   []Need
	Why     string          // for classes Ask and Deny, and for refused options: why, and what to do instead
	Subs    map[string]Spec // by first operand; Opts of the parent may stand before it. A sub-command that is not listed is asked about
	SubElse *Spec           // for a first operand that Subs does not list, or for none; nil asks
	// Judge does what a table can't express: it may add uses to the match, change the class, or refuse. It runs last, and only
	// when the table refused nothing. It must not panic on any input.
	Judge func(m *Match)
	// Whole replaces the table: it reads the words itself (find, test, dd, tar's old style). Opts and Args are then ignored.
	Whole func(m *Match)
}

// Program is a table with the names it goes by. A name with a slash ("bin/rails", "vendor/bin/phpunit", "./gradlew",
// "node_modules/.bin/jest") is a path inside the tree, matched after cleaning; bare names are found on PATH.
// A bare name may follow one of the system's folders: /bin, /usr/bin, /usr/local/bin.
type Program struct {
	Names   []string
	Profile string // "" for all; else node bun python ruby go rust php jvm dotnet cpp
	Spec
}

// Use is one thing that a command line does with one word.
type Use struct {
	Kind Kind
	Word Word
	Via  string // the option it belongs to, "" for an operand
	Rest []Word // for Command: the words after it
}

// Refusal is a reason not to run a command line as it is.
type Refusal struct {
	Class  Class  // Ask or Deny
	Rule   string // "git.option", "find.exec"; the engine puts the program's rule before it when it begins with a dot
	Reason string // a sentence: what is wrong, and what to do instead
}

// Match is the result of parsing a command line. A Judge or Whole function changes it.
type Match struct {
	Rule    string // the program's name and its sub-commands, joined by dots: "git.commit"
	Class   Class
	Yields  Yields
	Needs   []Need
	Why     string // the table's reason, for classes Ask and Deny
	Words   []Word // all words after the program's name (after the sub-commands' names for a sub-command)
	Uses    []Use
	Flags   map[string]Word // options that were given, by every one of their names; the value's word, or an empty one
	Refused []Refusal
	Stdin   bool // standard input is data for the program (not code); set by Judge functions that know better
	// StdinCode says that the program runs what it reads from standard input: "bash", "python -", "sed -f -", "psql".
	StdinCode bool
	Loose     bool // no table knows its words: they, and text on standard input, are looked through
}

// Use adds a use.
func (m *Match) Use(k Kind, w Word, via string) {
	m.Uses = append(m.Uses, Use{Kind: k, Word: w, Via: via})
}

// Ask refuses with a question to a person. The rule begins with a dot when it belongs to the program.
func (m *Match) Ask(rule, reason string) {
	m.Refused = append(m.Refused, Refusal{Ask, rule, reason})
}

// Deny refuses.
func (m *Match) Deny(rule, reason string) {
	m.Refused = append(m.Refused, Refusal{Deny, rule, reason})
}

// Operands returns the indexes in Uses of words that belong to no option.
func (m *Match) Operands() []int {
	var at []int
	for i, u := range m.Uses {
		if u.Via == "" {
			at = append(at, i)
		}
	}
	return at
}

// Has reports whether one of the options was given.
func (m *Match) Has(names ...string) bool {
	for _, n := range names {
		if _, ok := m.Flags[n]; ok {
			return true
		}
	}
	return false
}

// Set returns the words of a text, which white space separates.
func Set(text string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		all[w] = true
	}
	return all
}
