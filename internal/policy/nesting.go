package policy

// nesting is what surrounds the command that is judged.
type nesting struct {
	programs int  // programs that start it
	words    int  // substitutions and scripts in words that contain it
	all      bool // xargs feeds it a list of all files there are
	quiet    bool // GIT_EDITOR=true is set for it, so no editor changes a message
}

func (n *nesting) enterProgram() { n.programs++ }

func (n *nesting) leaveProgram() { n.programs-- }

func (n *nesting) enterWord() { n.words++ }

func (n *nesting) leaveWord() { n.words-- }

// wrapped reports whether another program starts the command.
func (n *nesting) wrapped() bool { return n.programs > 0 }

// inner reports whether the command is part of another one.
func (n *nesting) inner() bool { return n.programs+n.words > 0 }

// feed sets whether the command's input lists all files.
func (n *nesting) feed(all bool) { n.all = all }

// fedAll reports whether a program that gets a list of all files there are starts the command.
func (n *nesting) fedAll() bool { return n.all && n.wrapped() }

// setEditor sets whether editors leave all messages unchanged. It returns the setting before.
func (n *nesting) setEditor(quiet bool) (before bool) {
	before, n.quiet = n.quiet, quiet
	return before
}

func (n *nesting) quietEditor() bool { return n.quiet }
