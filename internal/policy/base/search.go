package base

import "github.com/longshift/longshift/internal/policy/grammar"

const grepOpts = `-# -E,--extended-regexp -F,--fixed-strings -G,--basic-regexp -P,--perl-regexp -e,--regexp=data -f,--file=read
	-i,-y,--ignore-case --no-ignore-case -v,--invert-match -w,--word-regexp -x,--line-regexp -c,--count --color,--colour?=data
	-L,--files-without-match -l,--files-with-matches -m,--max-count=number -o,--only-matching -q,--quiet,--silent -s,--no-messages
	-b,--byte-offset -H,--with-filename -h,--no-filename --label=data -n,--line-number -T,--initial-tab -Z,--null -A,--after-context=number
	-B,--before-context=number -C,--context=number -a,--text --binary-files=data -D,--devices=data -d,--directories=data --exclude=data
	--exclude-from=read --exclude-dir=data -I --include=data -r,--recursive -R,--dereference-recursive --line-buffered -U,--binary -u
	-z,--null-data -V`

const rgOpts = `-A,--after-context=number -B,--before-context=number -C,--context=number -e,--regexp=data -f,--file=read -g,--glob=data
	--iglob=data -t,--type=data -T,--type-not=data --type-add=data --type-clear=data --type-list -m,--max-count=number
	-M,--max-columns=number --max-columns-preview --no-max-columns-preview -d,--max-depth,--maxdepth=number --max-filesize=data
	-j,--threads=number --sort=data --sortr=data --sort-files -r,--replace=data --color=data --colors=data --context-separator=data
	--no-context-separator --field-context-separator=data --field-match-separator=data --path-separator=data -E,--encoding=data --engine=data
	--ignore-file=read --ignore-file-case-insensitive --dfa-size-limit=data --regex-size-limit=data --hyperlink-format=data --mmap --no-mmap
	!--pre !--pre-glob !--hostname-bin !-z,--search-zip --no-pre --no-search-zip --null-data -0,--null --json --no-json --stats --no-stats
	--files -l,--files-with-matches --files-without-match -c,--count --count-matches --include-zero -o,--only-matching -q,--quiet
	-n,--line-number -N,--no-line-number -H,--with-filename -I,--no-filename -i,--ignore-case -S,--smart-case -s,--case-sensitive
	-F,--fixed-strings --no-fixed-strings -x,--line-regexp -w,--word-regexp -v,--invert-match -U,--multiline --no-multiline
	--multiline-dotall -P,--pcre2 --no-pcre2 --auto-hybrid-regex -u,--unrestricted -.,--hidden --no-hidden --no-ignore --no-ignore-vcs
	--no-ignore-parent --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages --ignore ~-L,--follow
	--no-follow --one-file-system --crlf --no-config --debug --trace --heading --no-heading -p,--pretty --vimgrep --column --no-column --trim
	--passthru --passthrough --line-buffered --block-buffered -b,--byte-offset -a,--text --binary --no-messages --no-unicode --no-require-git
	--glob-case-insensitive --stop-on-nonmatch --pcre2-version -V -h`

// searchPrograms search files for text.
func searchPrograms() []grammar.Program {
	in := grammar.Inspect
	grep := patternFirst("-e", "-f")
	return []grammar.Program{
		judged("grep egrep fgrep rgrep ggrep", in, grepOpts, "data*", both(grep, listsFiles("-l", "-L"))),
		judged("zgrep zegrep zfgrep", in, grepOpts, "data*", grep),
		judged("rg", in, rgOpts, "data*", both(rgFiles, listsFiles("-l", "--files-without-match", "--files"))),
		judged("ag ack ack-grep", in, `-# -i,--ignore-case -S,--smart-case -s,--case-sensitive -w,--word-regexp,--word-regex
			-l,--files-with-matches -L,--files-without-matches -c,--count -n --numbers --nonumbers -o,--only-matching -v,--invert-match
			-Q,--literal -H --heading --noheading --nogroup --group --color --nocolor --column --hidden -u,--unrestricted -a,--all-types
			-A,--after=number -B,--before=number -C,--context=number -G,--file-search-regex=data -g=data --ignore=data --ignore-dir=data
			-m,--max-count=number --depth=number --js --ts --go --py --python --ruby --rust --java --cpp --cc --css --html --json --yaml --md --sh
			--shell -t=data --type=data !--pager`, "data*", patternFirst("-g")),
		judged("ugrep ug", in, grepOpts, "data*", grep),
		judged("ast-grep", in, `-p,--pattern=data -l,--lang=data --json?=data -C,--context=number -A=number -B=number --color=data --globs=data
			--heading=data ~-i,--interactive ~-U,--update-all ~-r,--rewrite ~-c,--config ~--stdin`, "data*", func(m *grammar.Match) {
			for n, i := range m.Operands() {
				switch w := m.Uses[i].Word; {
				case n == 0 && (w.Is("run") || m.Has("-p")):
				case n == 0:
					m.Ask(".subcommand", "ast-grep is only known with a pattern: ast-grep run -p PATTERN")
				}
				if n > 0 || !m.Uses[i].Word.Is("run") {
					m.Uses[i].Kind = grammar.Read
				}
			}
		}),
	}
}

// rgFiles handles ripgrep without a pattern among its operands.
func rgFiles(m *grammar.Match) { patternFirst("-e", "-f", "--files", "--type-list")(m) }

// listsFiles makes a judge: with one of the flags, the output is names of files.
func listsFiles(flags ...string) func(*grammar.Match) {
	return func(m *grammar.Match) {
		if m.Has(flags...) && !m.Has("-c", "--stats", "--json", "--count-matches", "-h", "--debug", "--trace") {
			m.Yields = grammar.YieldsTree
		}
	}
}
