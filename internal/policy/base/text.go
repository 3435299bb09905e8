package base

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// textPrograms read files or standard input and print text.
func textPrograms() []grammar.Program {
	in := grammar.Inspect
	return []grammar.Program{
		program("cat", in, `-A,--show-all -b,--number-nonblank -e -E,--show-ends -n,--number -s,--squeeze-blank -t -T,--show-tabs -u
			-v,--show-nonprinting`, "read*"),
		program("bat batcat", in, `-n,--number -A,--show-all -p,--plain -pp -l,--language=data -H,--highlight-line=data --style=data
			--color=data --theme=data --paging=never|auto -r,--line-range=data --decorations=data --wrap=data --tabs=number --terminal-width=number
			-P,--no-pager --list-languages --list-themes !--pager`, "read*"),
		program("head", in, "-# -c,--bytes=number -n,--lines=number -q,--quiet,--silent -v,--verbose -z,--zero-terminated", "read*"),
		program("tail", in, `-# -c,--bytes=number -f -F --follow?=data -n,--lines=number --max-unchanged-stats=number --pid=number
			-q,--quiet,--silent --retry -s,--sleep-interval=number -v,--verbose -z,--zero-terminated`, "read*"),
		judged("wc gwc", in, "-c,--bytes -m,--chars -l,--lines -L,--max-line-length -w,--words --total=data ~--files0-from", "read*",
			plain(func(m *grammar.Match) bool { return len(m.Operands()) == 0 && oneFlag(m, "-c", "-m", "-l", "-L", "-w") })),
		program("sort gsort", in, sortOpts, "read*"),
		program("uniq", in, `-# -c,--count -d,--repeated -D --all-repeated?=data -f,--skip-fields=number --group?=data -i,--ignore-case
			-s,--skip-chars=number -u,--unique -z,--zero-terminated -w,--check-chars=number`, "read? write?"),
		program("cut", in, `-b,--bytes=data -c,--characters=data -d,--delimiter=data -f,--fields=data -n --complement -s,--only-delimited
			--output-delimiter=data -z,--zero-terminated`, "read*"),
		program("tr", in, "-c,-C,--complement -d,--delete -s,--squeeze-repeats -t,--truncate-set1", "data data?"),
		program("paste", in, "-d,--delimiters=data -s,--serial -z,--zero-terminated", "read*"),
		program("join", in, `-a=number -e=data -i,--ignore-case -j=number -o=data -t=data -v=number -1=number -2=number --check-order
			--nocheck-order --header -z,--zero-terminated`, "read read"),
		program("comm", in, "-1 -2 -3 --check-order --nocheck-order --output-delimiter=data --total -z,--zero-terminated", "read read"),
		program("fold", in, "-# -b,--bytes -s,--spaces -w,--width=number", "read*"),
		program("fmt", in, `-# -c,--crown-margin -p,--prefix=data -s,--split-only -t,--tagged-paragraph -u,--uniform-spacing -w,--width=number
			-g,--goal=number`, "read*"),
		program("column", in, `-t,--table -s,--separator=data -o,--output-separator=data -c,--output-width,--columns=number -x,--fillrows
			-n,--table-name=data -N,--table-columns=data -R,--table-right=data -E,--table-noextreme=data -d,--table-noheadings
			-e,--table-header-repeat -H,--table-hide=data -O,--table-order=data -T,--table-truncate=data -W,--table-wrap=data
			-L,--keep-empty-lines -J,--json -l,--table-columns-limit=number`, "read*"),
		program("nl", in, `-b,--body-numbering=data -d,--section-delimiter=data -f,--footer-numbering=data -h,--header-numbering=data
			-i,--line-increment=number -l,--join-blank-lines=number -n,--number-format=data -p,--no-renumber -s,--number-separator=data
			-v,--starting-line-number=number -w,--number-width=number`, "read*"),
		program("rev", in, "-0,--zero", "read*"),
		program("tac", in, "-b,--before -r,--regex -s,--separator=data", "read*"),
		judged("shuf", in, `-e,--echo -i,--input-range=data -n,--head-count=number -o,--output=write --random-source=read -r,--repeat
			-z,--zero-terminated`, "read*", allAre(grammar.Data, "-e")),
		program("expand unexpand", in, "-# -a,--all --first-only -i,--initial -t,--tabs=data", "read*"),
		program("pr", in, `-# -a,--across -b -c -d,--double-space -f,-F,--form-feed -h,--header=data -J -l,--length=number -m,--merge -n?=data
			-o,--indent=number -s?=data -t,--omit-header -T -W=number -w=number`, "read*"),
		program("tsort", in, "", "read?"),
		program("iconv", in, "-f,--from-code=data -t,--to-code=data -c -l,--list -s,--silent -o,--output=write", "read*"),
		program("od god", in, `-A,--address-radix=data -j,--skip-bytes=data -N,--read-bytes=data -S=data --strings?=number -t,--format=data
			-v,--output-duplicates -w?=number --width?=number --endian=data -a -b -c -d -f -i -l -o -s -x --traditional`, "read*"),
		{Names: []string{"xxd"}, Spec: grammar.Spec{Class: in, Style: grammar.Single, Args: "read? write?",
			Opts: `-a -autoskip -b -bits -c,-cols=number -c*=number -C -e -E -g,-groupsize=number -g*=number -i -include -l,-len=data
				-l*=data -n=data -o=data -p -ps -plain -postscript -r -revert -s,-seek=data -u -d -v -h -help`}},
		program("hexdump hd", in, "-b -c -C,--canonical -d -e=data -f=read -n,--length=data -o -s,--skip=data -v,--no-squeezing -x -L?=data",
			"read*"),
		program("strings gstrings", in, `-# -a,--all -d,--data -f,--print-file-name -n,--bytes=number -t,--radix=data -e,--encoding=data -o
			-w,--include-all-whitespace -s,--output-separator=data`, "read*"),
		program("base64 base32 basenc", in, `-d,-D,--decode -i,--ignore-garbage -w,--wrap=number --base64 --base64url --base32 --base32hex
			--base16 --base2msbf --base2lsbf --z85`, "read?"),
		program("numfmt", in, `--debug -d,--delimiter=data --field=data --format=data --from=data --from-unit=number --grouping --header?=number
			--invalid=data --padding=number --round=data --suffix=data --to=data --to-unit=number -z`, "data*"),
		judged("less more zless", in, `-R,--RAW-CONTROL-CHARS -r -N,--LINE-NUMBERS -S,--chop-long-lines -F,--quit-if-one-screen -X,--no-init -E
			-e -i -I -M -m -n -s -Q -q -K -f`, "read*", noPlus),
		program("ul colrm col colcrt", in, "-b -f -h -p -x -l=number -i -t=data", "data*"),
		program("look", in, "-a -d,--alphanum -f,--ignore-case -t=data", "data read?"),
		program("cloc scc tokei sloccount gocloc", in, `--json --yaml --csv --md --quiet -q --by-file --by-file-by-lang --vcs=git|auto --git
			--exclude-dir=data --exclude-ext=data --include-lang=data --include-ext=data --not-match-d=data --not-match-f=data --fullpath
			--no-cocomo -f,--format=data -e,--exclude=data -s,--sort=data -t,--type=data -C,--compact -o,--output=write --hide-rate`, "read*"),
	}
}

const sortOpts = `-b,--ignore-leading-blanks -d,--dictionary-order -f,--ignore-case -g,--general-numeric-sort -i,--ignore-nonprinting
	-M,--month-sort -h,--human-numeric-sort -n,--numeric-sort -R,--random-sort --random-source=read -r,--reverse --sort=data
	-V,--version-sort --batch-size=number -c -C --check?=data !--compress-program --debug !--files0-from -k,--key=data -m,--merge
	-o,--output=write -s,--stable -S,--buffer-size=data -t,--field-separator=data !-T,--temporary-directory --parallel=number -u,--unique
	-z,--zero-terminated`

// oneFlag reports whether exactly one of the flags is given.
func oneFlag(m *grammar.Match, flags ...string) bool {
	n := 0
	for _, f := range flags {
		if m.Has(f) {
			n++
		}
	}
	return n == 1
}

// noPlus refuses a "+command" of a pager: it can run programs.
func noPlus(m *grammar.Match) {
	for _, i := range m.Operands() {
		if text := m.Uses[i].Word.Prefix(); strings.HasPrefix(text, "+") {
			m.Deny(".command", "a pager's + command can start programs; print the file with cat, head or sed -n")
		}
	}
}

// digests are programs for checksums.
func digests() []grammar.Program {
	return []grammar.Program{
		program("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum b3sum", grammar.Inspect,
			"-b,--binary -c,--check -t,--text --tag -z,--zero --ignore-missing --quiet --status --strict -w,--warn -l,--length=number --no-names",
			"read*"),
		program("shasum", grammar.Inspect, `-a,--algorithm=number -b,--binary -c,--check -t,--text -U,--UNIVERSAL -0,--01 -q,--quiet -s,--status
			-w,--warn --tag --strict --ignore-missing`, "read*"),
		program("cksum sum crc32 md5", grammar.Inspect, `-a,--algorithm=data --base64 --raw -l,--length=number --untagged --tag -z,--zero -r -s -q
			-c,--check --debug`, "read*"),
	}
}

// textTools take text from their words, not from files.
func textTools() []grammar.Program {
	in := grammar.Inspect
	return []grammar.Program{
		program("seq", in, "-# -f,--format=data -s,--separator=data -w,--equal-width", "data+"),
		{Names: []string{"expr"}, Spec: grammar.Spec{Class: in, Style: grammar.Bare, Args: "data*"}},
		program("bc", in, "-l,--mathlib -q,--quiet -s,--standard -w,--warn -h", "read*"),
		program("factor", in, "-h,--exponents", "data*"),
		asked("its language can start programs; use bc or awk", "dc"),
		judged("basename", in, "-a,--multiple -s,--suffix=data -z,--zero", "data+", nameOf),
		judged("dirname", in, "-z,--zero", "data+", nameOf),
		refused("it writes without end", "yes"),
	}
}

// nameOf marks the output as a name in the tree, because it is a part of one.
func nameOf(m *grammar.Match) {
	at := m.Operands()
	if len(at) == 0 || m.Has("-z") {
		return
	}
	for _, i := range at {
		w := m.Uses[i].Word
		if s := w.Source(); s != grammar.Literal && s != grammar.Tree && s != grammar.Plain && s != grammar.Digits || leadsOut(w) {
			return
		}
		for _, p := range w.Parts { // what follows an unknown beginning leads out as well
			if strings.Contains(p.Text, "..") {
				return
			}
		}
	}
	m.Yields = grammar.YieldsTree
}
