package base

import (
	"path"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// filePrograms show names, attributes and differences of files.
func filePrograms() []grammar.Program {
	in := grammar.Inspect
	return []grammar.Program{
		judged("ls gls", in, lsOpts, "list*", lsYields),
		program("dir vdir", in, lsOpts, "list*"),
		program("exa eza lsd", in, `-a,--all -l,--long -1,--oneline -T,--tree -R,--recurse -L,--level=number -s,--sort=data -r,--reverse
			-h,--header -g,--group -d,--list-dirs -D,--only-dirs -I,--ignore-glob=data --git --git-ignore --icons?=data --color?=data
			--no-permissions --no-user --no-time --group-directories-first -t,--time=data`, "list*"),
		program("du", in, `-a,--all -b,--bytes -c,--total -d,--max-depth=number -h,--human-readable -s,--summarize -S,--separate-dirs
			-x,--one-file-system -L,--dereference -P,--no-dereference -D,--dereference-args -H -k -m -0,--null -t,--threshold=data
			--apparent-size -A --exclude=data -X,--exclude-from=read --time?=data --time-style=data --inodes --si -l,--count-links
			-B,--block-size=data ~--files0-from`, "list*"),
		program("df", in, `-a,--all -B,--block-size=data -h,--human-readable -H,--si -i,--inodes -k -l,--local -m -P,--portability -T,--print-type
			--total -t,--type=data -x,--exclude-type=data --output?=data --no-sync`, "list*"),
		judged("stat gstat", in, "-L,--dereference -f,--file-system -c,--format=data --printf=data -t,--terse --cached=data", "list+",
			plain(func(m *grammar.Match) bool {
				f, ok := m.Flags["-c"]
				return ok && (f.Is("%s") || f.Is("%Y") || f.Is("%a") || f.Is("%h") || f.Is("%i") || f.Is("%X") || f.Is("%Z"))
			})),
		program("file", in, `-b,--brief -i,--mime --mime-type --mime-encoding -L,--dereference -h,--no-dereference -k,--keep-going -0,--print0
			-N,--no-pad -n,--no-buffer -r,--raw -F,--separator=data -e,--exclude=data -E -l,--list -v -d -S ~-z,--uncompress
			~-m,--magic-file ~-f,--files-from ~-C,--compile ~-s,--special-files`, "read+"),
		program("tree", in, `-a -d -l -f -x -L=number -P=data -I=data --gitignore --gitfile=read --ignore-case --matchdirs --metafirst --info
			--infofile=read --noreport --charset=data --filelimit=number --timefmt=data -o=write -q -N -Q -p -u -g -s -h --si --du -D -F
			--inodes --device -v -t -c -U -r --dirsfirst --filesfirst --sort?=data -i -A -S -n -C -X -J -H=data -T=data --nolinks
			--prune ~-R ~--fromfile`, "list*"),
		program("realpath grealpath", in, `-e,--canonicalize-existing -m,--canonicalize-missing -L,--logical -P,--physical -q,--quiet
			--relative-to=list --relative-base=list -s,--strip,--no-symlinks -z,--zero`, "list+"),
		program("readlink greadlink", in, `-f,--canonicalize -e,--canonicalize-existing -m,--canonicalize-missing -n,--no-newline -q,--quiet
			-s,--silent -v,--verbose -z,--zero`, "list+"),
		program("namei", in, "-l,--long -m,--modes -o,--owners -v,--vertical -x,--mountpoints -n,--nosymlinks", "list+"),
		yielding(grammar.YieldsTree, "pwd", "-L,--logical -P,--physical", ""),
		program("diff gdiff colordiff", in, diffToolOpts, "read*"),
		program("diff3", in, `-A,--show-all -e,--ed -E,--show-overlap -3,--easy-only -x,--overlap-only -X -i -m,--merge -a,--text
			-L,--label=data -T --strip-trailing-cr`, "read read read"),
		program("sdiff", in, `-i -E -Z -b -W -B -a -l -s,--suppress-common-lines -t -d -H -w,--width=number --left-column --strip-trailing-cr
			-I=data
			~-o,--output`, "read read"),
		program("cmp", in, "-b,--print-bytes -i,--ignore-initial=data -l,--verbose -n,--bytes=number -s,--quiet,--silent",
			"read read? data? data?"),
		program("delta difft diff-so-fancy icdiff", in, `-s,--side-by-side -n,--line-numbers --color?=data --display=data --width=number
			-w=number`, "read*"),
		program("readelf", in, `-a,--all -h,--file-header -l,--program-headers,--segments -S,--section-headers,--sections -s,--syms,--symbols
			--dyn-syms -n,--notes -r,--relocs -d,--dynamic -V,--version-info -A,--arch-specific -e,--headers -W,--wide -p,--string-dump=data
			-x,--hex-dump=data`, "read+"),
		program("nm", in, `-a,--debug-syms -A,-o,--print-file-name -C,--demangle?=data -D,--dynamic -g,--extern-only -n,--numeric-sort
			-p,--no-sort -P,--portability -r,--reverse-sort -S,--print-size -u,--undefined-only --defined-only --size-sort -l,--line-numbers`,
			"read+"),
		program("objdump", in, `-a,--archive-headers -f,--file-headers -p,--private-headers -h,--section-headers,--headers -x,--all-headers
			-d,--disassemble?=data -D,--disassemble-all -s,--full-contents -t,--syms -T,--dynamic-syms -r,--reloc -R,--dynamic-reloc
			-C,--demangle?=data -w,--wide -j,--section=data -M=data --no-show-raw-insn --start-address=data --stop-address=data`, "read+"),
		program("size", in, "-A -B --format=data -t,--totals", "read+"),
		program("ctags universal-ctags", grammar.Change, `-R,--recurse?=data -x -f=write -o=write -a --exclude=data --languages=data
			--fields=data --kinds-*=data --extras=data --sort=data --tag-relative=data --list-languages --list-kinds?=data --output-format=data
			--c-kinds=data --python-kinds=data`, "read*"),
		program("lsattr getfacl", in, "-a -d -l -R -v", "list*"),
		program("mountpoint", in, "-q,--quiet -d,--fs-devno", "list"),
	}
}

const lsOpts = `-a,--all -A,--almost-all --author -b,--escape --block-size=data -B,--ignore-backups -c -C --color?=data -d,--directory
	-D,--dired -f -F --classify?=data --file-type --format=data -g --full-time --group-directories-first -G,--no-group -h,--human-readable
	--si -H,--dereference-command-line --dereference-command-line-symlink-to-dir --hide=data --hyperlink?=data --indicator-style=data
	-i,--inode -I,--ignore=data -k,--kibibytes -l -L,--dereference -m -n,--numeric-uid-gid -N,--literal -o -p -q,--hide-control-chars
	--show-control-chars -Q,--quote-name --quoting-style=data -r,--reverse -R,--recursive -s,--size -S --sort=data -t --time=data
	--time-style=data -T,--tabsize=number -u -U -v -w,--width=number -x -X -Z,--context -1 --zero`

const diffToolOpts = `-# -q,--brief -s,--report-identical-files -c -C=number --context?=number -u -U=number --unified?=number -e,--ed
	--normal -n,--rcs -y,--side-by-side -W,--width=number --left-column --suppress-common-lines -p,--show-c-function
	-F,--show-function-line=data -L,--label=data -t,--expand-tabs -T,--initial-tab --tabsize=number --suppress-blank-empty ~-l,--paginate
	-r,--recursive --no-dereference -N,--new-file --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case
	-x,--exclude=data -X,--exclude-from=read -S,--starting-file=data --from-file=read --to-file=read -i,--ignore-case
	-E,--ignore-tab-expansion -Z,--ignore-trailing-space -b,--ignore-space-change -w,--ignore-all-space -B,--ignore-blank-lines
	-I,--ignore-matching-lines=data -a,--text --strip-trailing-cr --binary -D,--ifdef=data --GTYPE-group-format=data --line-format=data
	--old-line-format=data --new-line-format=data --unchanged-line-format=data --old-group-format=data --new-group-format=data
	--unchanged-group-format=data --changed-group-format=data -d,--minimal --horizon-lines=number -H,--speed-large-files --color?=data
	--palette=data`

// lsYields marks the output of ls as names when it is nothing else.
func lsYields(m *grammar.Match) {
	if !m.Has("-l", "-s", "-i", "-g", "-o", "-n", "-m", "-R", "-F", "-p", "-Q", "-b", "-Z", "-x", "-C", "-a", "-A", "--all", "--almost-all",
		"-f", "-D",
		"--full-time", "--classify", "--file-type", "--indicator-style", "--format", "--quoting-style", "--hyperlink", "--zero", "--author") {
		m.Yields = grammar.YieldsTree
	}
}

// changePrograms make, change and remove files.
func changePrograms() []grammar.Program {
	ch := grammar.Change
	gone := []grammar.Need{grammar.NeedDestructive}
	mv := judged("mv gmv", ch, `-b --backup?=data -f,--force -i,--interactive -n,--no-clobber -t,--target-directory=write
		-T,--no-target-directory -u --update?=data -v,--verbose -S,--suffix=name --strip-trailing-slashes --no-copy ~--exchange`, "remove*",
		both(lastIs(grammar.Write, "-t"), intoFolder))
	mv.Needs = gone
	rm := judged("rm grm", ch, `-f,--force -i -I --interactive?=data -r,-R,--recursive -d,--dir -v,--verbose --one-file-system
		--preserve-root?=data
		!--no-preserve-root`, "remove*", everything)
	rm.Needs = gone
	rmdir := program("rmdir", ch, "--ignore-fail-on-non-empty -p,--parents -v,--verbose", "remove+")
	rmdir.Needs = gone
	unlink := program("unlink trash trash-put", ch, "", "remove+")
	unlink.Needs = gone
	return []grammar.Program{
		mv, rm, rmdir, unlink,
		program("mkdir gmkdir", ch, "-m,--mode=data -p,--parents -v,--verbose", "write+"),
		program("touch gtouch", ch, "-a -c,--no-create -d,--date=data -f -h,--no-dereference -m -r,--reference=list -t=data --time=data",
			"write+"),
		judged("cp gcp", ch, `-a,--archive -b --backup?=data -d -f,--force -i,--interactive -H -L,--dereference -n,--no-clobber
			-P,--no-dereference -p --preserve?=data --no-preserve=data --parents -R,-r,--recursive --reflink?=data --remove-destination
			-S,--suffix=name -t,--target-directory=write -T,--no-target-directory -u --update?=data -v,--verbose -x,--one-file-system
			--attributes-only --sparse=data --strip-trailing-slashes --debug ~-l,--link ~-s,--symbolic-link`, "read*",
			both(lastIs(grammar.Write, "-t"), intoFolder)),
		judged("install ginstall", ch, `-c -d,--directory -D -m,--mode=data -p,--preserve-timestamps -C,--compare -t,--target-directory=write
			-T,--no-target-directory -v,--verbose ~-o,--owner ~-g,--group !-s,--strip !--strip-program`, "read*", installs),
		judged("ln gln", ch, `-s,--symbolic -f,--force -n,--no-dereference -r,--relative -T,--no-target-directory -v,--verbose -i,--interactive -b
			--backup?=data -S,--suffix=name -L,--logical -P,--physical -t,--target-directory=write !-d,-F,--directory`, "write+", links),
		judged("chmod gchmod", ch, "-x -w -wx -v,--verbose -c,--changes -f,--silent,--quiet !-R,--recursive ~--reference", "data write+", modes),
		judged("mktemp gmktemp", ch, "-d,--directory -u,--dry-run -q,--quiet -p=write --tmpdir?=write -t --suffix=name", "data?", temporary),
		program("tee gtee", ch, "-a,--append -i,--ignore-interrupts -p --output-error?=data", "write*"),
		program("truncate", ch, "-s,--size=data -c,--no-create -o,--io-blocks -r,--reference=list", "write+"),
		program("fallocate", ch, "-l,--length=number -v", "write"),
		judged("split gsplit", ch, `-# -a,--suffix-length=number --additional-suffix=name -b,--bytes=data -C,--line-bytes=data -d
			--numeric-suffixes?=data -x --hex-suffixes?=data -e,--elide-empty-files !--filter -l,--lines=data -n,--number=data -t,--separator=data
			-u,--unbuffered --verbose`, "read? write?", func(m *grammar.Match) {
			if len(m.Operands()) < 2 {
				m.Use(grammar.Write, grammar.Lit("xaa"), "")
			}
		}),
		judged("csplit", ch, `-b,--suffix-format=name -f,--prefix=write -k,--keep-files -m,--suppress-matched -n,--digits=number
			-s,--quiet,--silent -z,--elide-empty-files`, "read data+", func(m *grammar.Match) {
			if !m.Has("-f") {
				m.Use(grammar.Write, grammar.Lit("xx00"), "")
			}
		}),
		judged("patch gpatch", ch, `-p,--strip=number -i,--input=read -R,--reverse -N,--forward -s,--quiet,--silent --dry-run -F,--fuzz=number
			-E,--remove-empty-files -u,--unified -c,--context -n,--normal -l,--ignore-whitespace -t,--batch -f,--force -b,--backup -z,--suffix=name
			-d,--directory=dir -o,--output=write -r,--reject-file=write --verbose --binary --merge?=data -Z -T --posix --backup-if-mismatch
			--no-backup-if-mismatch --read-only=data --reject-format=data ~-B,--prefix ~--follow-symlinks !-e,--ed`, "write? read?", patches),
		program("dos2unix unix2dos mac2unix", ch, `-k,--keepdate -q,--quiet -f,--force -s,--safe -c,--convmode=data -b,--keep-bom -m,--add-bom
			-r,--remove-bom -o,--oldfile -v -i,--info`, "write*"),
		whole("dd", ch, copies),
		asked("it overwrites the files that it removes; use rm", "shred srm wipe"),
		refused("a task makes no pipes, devices or sockets", "mkfifo mknod"),
		asked("links by another name; use ln -s", "link"),
	}
}

// everything refuses to remove everything in the working folder: "*", "./*", ".[!.]*", ".".
func everything(m *grammar.Match) {
	for _, i := range m.Operands() {
		w := m.Uses[i].Word
		if _, literal := w.Text(); !literal && !w.Glob {
			continue
		}
		text := strings.TrimRight(w.String(), "/")
		dir, last := path.Split(text)
		if dir = path.Clean(dir); (dir == "." || strings.Trim(dir, "./*?") == "") && strings.Trim(last, "*?[]!^.-") == "" {
			m.Deny(".everything", "this would remove all that the folder holds; name what goes")
			return
		}
	}
}

// patches records that a patch without a named file may change any file of the folder.
func patches(m *grammar.Match) {
	if len(m.Operands()) == 0 && !m.Has("--dry-run", "-d", "-o") {
		m.Use(grammar.Write, grammar.Lit("."), "")
	}
}

// intoFolder adds the files that a copy or a move makes in a folder, so that protected names in "." are noticed.
func intoFolder(m *grammar.Match) {
	var sources []grammar.Word
	folder, given := m.Flags["-t"]
	for _, i := range m.Operands() {
		switch u := m.Uses[i]; {
		case u.Kind != grammar.Write:
			sources = append(sources, u.Word)
		case !given:
			folder = u.Word
		}
	}
	for _, w := range sources {
		if text := w.Prefix(); strings.HasSuffix(text, "/.") && looksFolder(folder.Prefix()) && path.Clean(folder.Prefix()) == "." {
			m.Ask(".all", "this copies everything in a folder, hidden folders too, over the existing files; name what you need")
		}
	}
	dest, ok := folder.Text()
	if !ok || m.Has("-T") || !given && len(sources) < 2 && !looksFolder(dest) {
		return
	}
	for _, w := range sources {
		if text, ok := w.Text(); ok {
			text = strings.TrimRight(text, "/")
			m.Use(grammar.Write, grammar.Lit(strings.TrimSuffix(dest, "/")+"/"+text[strings.LastIndexByte(text, '/')+1:]), "")
		}
	}
}

// looksFolder reports whether a name can only be that of a folder.
func looksFolder(name string) bool {
	return name == "." || strings.HasSuffix(name, "/") || name == ".." || strings.HasSuffix(name, "/.") || strings.HasSuffix(name, "/..")
}

// installs judges install, which makes folders with -d and copies otherwise.
func installs(m *grammar.Match) {
	if mode, ok := m.Flags["-m"]; ok && !safeMode(mode) {
		m.Ask(".mode", "this mode needs a person; 644 and 755 are fine")
	}
	if m.Has("-d") {
		allAre(grammar.Write)(m)
		return
	}
	lastIs(grammar.Write, "-t")(m)
	intoFolder(m)
}

// temporary judges mktemp: without a folder of the task it works in /tmp.
func temporary(m *grammar.Match) {
	at := m.Operands()
	folder, given := m.Flags["-p"]
	if long, ok := m.Flags["--tmpdir"]; ok {
		folder, given = long, true
	}
	switch {
	case given && len(folder.Parts) > 0 && len(at) == 0:
	case len(at) == 1 && !given && !m.Has("-t"):
		m.Uses[at[0]].Kind = grammar.Write
	default:
		m.Needs = append(m.Needs, grammar.NeedTmp)
		for _, i := range at {
			m.Uses[i].Kind = grammar.Name
		}
	}
}
