package base

import (
	"path"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// levels are the compression levels of packers, one by one because they also occur in clusters.
const levels = "-0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -# "

// archivePrograms pack and unpack.
func archivePrograms() []grammar.Program {
	in, ch := grammar.Inspect, grammar.Change
	return []grammar.Program{
		whole("tar gtar bsdtar", ch, tar),
		judged("zip", ch, levels+`-r,--recurse-paths -q,--quiet -v,--verbose -j,--junk-paths -x,--exclude=data -i,--include=data -u,--update
			-f,--freshen -d,--delete -y,--symlinks -l -X,--no-extra -D,--no-dir-entries -o -n=data -sf -t=data ~-m,--move ~-e,--encrypt
			~-P,--password ~-b,--temp-path ~-@ ~-T,--test !-TT,--unzip-command ~-J ~-z ~-R`, "write read*", nil),
		judged("unzip", ch, `-l -v -t -p -c -z -Z -1 -q -qq -o -n -j -a -aa -u -f -d=write -x=data -C -L -LL -U -B !-: !-K ~-X ~-P ~-M`,
			"read data*", func(m *grammar.Match) {
				if m.Has("-l", "-v", "-t", "-p", "-c", "-z", "-Z") {
					m.Class = in
					return
				}
				for _, i := range m.Operands()[min(1, len(m.Operands())):] {
					m.Uses[i].Kind = grammar.Write // a member by its name
				}
				if !m.Has("-d") {
					m.Use(grammar.Write, grammar.Lit("."), "")
				}
			}),
		program("zipinfo", in, "-1 -2 -s -m -l -v -h -t -z -T -C -M", "read data*"),
		program("zcat bzcat xzcat zstdcat lzcat gzcat", in, "-f,--force -k -q,--quiet -v,--verbose -h -V -T=number --threads=number", "read*"),
		program("zdiff zcmp bzdiff xzdiff", in, "-u -q -s", "read*"),
		judged("gzip gunzip pigz", ch, levels+`-c,--stdout,--to-stdout -d,--decompress,--uncompress -k,--keep -f,--force -l,--list -t,--test
			-v,--verbose -q,--quiet -n,--no-name -N,--name ~-r,--recursive --fast --best -S,--suffix=name --rsyncable -p=number`, "read*",
			packs("-c", "-l", "-t")),
		judged("bzip2 bunzip2 pbzip2", ch, levels+`-c,--stdout -d,--decompress -z,--compress -k,--keep -f,--force -t,--test -v,--verbose
			-q,--quiet -s,--small --fast --best`, "read*", packs("-c", "-t")),
		judged("xz unxz lzma unlzma", ch, levels+`-c,--stdout,--to-stdout -d,--decompress,--uncompress -z,--compress -k,--keep -f,--force
			-t,--test -l,--list -v,--verbose -q,--quiet -e,--extreme -T,--threads=number -S,--suffix=name -F,--format=data -C,--check=data`, "read*",
			packs("-c", "-t", "-l")),
		judged("zstd unzstd pzstd lz4 unlz4 brotli", ch, levels+`-c,--stdout -d,--decompress -z,--compress -k,--keep -f,--force -t,--test
			-l,--list -v,--verbose -q,--quiet -r -T=number --threads=number --ultra --long?=number -D=read -o,--output=write --no-progress --check
			--no-check ~--rm ~-m ~-j`, "read*", packs("-c", "-t", "-l")),
		asked("the options of this archive program are unknown; use tar or zip",
			"7z 7za 7zr rar unrar cpio pax arj lha uncompress compress lzip zpaq zipnote zipcloak zipsplit unar"),
	}
}

// packs makes a judge for packers that replace a file by its packed form, unless one of the flags is given.
func packs(unless ...string) func(*grammar.Match) {
	return func(m *grammar.Match) {
		at := m.Operands()
		if m.Has(unless...) || len(at) == 0 {
			m.Class = grammar.Inspect
			return
		}
		allAre(grammar.Write)(m)
	}
}

const tarOpts = `-c,--create -x,--extract,--get -t,--list -r,--append -u,--update -d,--diff,--compare -f,--file=data
	-z,--gzip,--gunzip,--ungzip -j,--bzip2 -J,--xz --zstd --lzma --lzip --lz4 -Z -a,--auto-compress --no-auto-compress -v,--verbose
	-C,--directory=data -k,--keep-old-files --keep-newer-files --overwrite --skip-old-files --no-overwrite-dir -m,--touch -O,--to-stdout
	-p,--preserve-permissions,--same-permissions --no-same-permissions -o --no-same-owner --strip-components=number --exclude=data
	-X,--exclude-from=read --exclude-vcs --exclude-vcs-ignores --exclude-backups --exclude-caches --exclude-ignore=data --exclude-tag=data
	--wildcards --no-wildcards --wildcards-match-slash --no-wildcards-match-slash --anchored --no-anchored --ignore-case -l,--check-links
	--one-file-system --sort=data --mtime=data --owner=data --group=data --mode=data --numeric-owner -H,--format=data --posix --no-recursion
	--recursion --totals?=data --warning=data --force-local -S,--sparse -W,--verify -R,--block-number -B -b,--blocking-factor=number
	-i,--ignore-zeros --no-xattrs --no-acls --no-selinux --full-time --utc --show-transformed-names --quoting-style=data --pax-option=data
	--ignore-failed-read --no-null --checkpoint?=number
	!-I,--use-compress-program !--to-command !--checkpoint-action !-P,--absolute-names !-F,--info-script,--new-volume-script
	!--rsh-command !--rmt-command !-T,--files-from ~--one-top-level ~-h,--dereference ~--hard-dereference ~--transform,--xform
	~-A,--catenate,--concatenate ~--delete ~-w,--interactive ~-g,--listed-incremental ~-G ~-M,--multi-volume ~--remove-files
	~--same-owner ~--index-file ~-U,--unlink-first ~--recursive-unlink ~-K ~-N ~--newer ~-s ~-n,--seek ~-V`

var tarTable = inner("tar", grammar.Spec{Class: grammar.Change, Opts: tarOpts + std, Args: "data*", Judge: tarJudge,
	Why: "it can run programs or leave the tree"})

// tar reads the words of tar, also the old way, where the first word is a bundle of letters.
func tar(m *grammar.Match) {
	words := m.Words
	if len(words) > 0 {
		if text, ok := words[0].Text(); ok && text != "" && !strings.HasPrefix(text, "-") {
			words = oldBundle(text, words[1:])
		}
	}
	delegate(m, tarTable(), words)
}

// oldBundle turns "czf name" into "-c -z -f name": the values follow in the order of their letters.
func oldBundle(letters string, rest []grammar.Word) []grammar.Word {
	var words []grammar.Word
	for _, c := range []byte(letters) {
		words = append(words, grammar.Lit("-"+string(rune(c))))
		if strings.IndexByte("fCXbHIgFTKNV", c) >= 0 && len(rest) > 0 {
			words = append(words, rest[0])
			rest = rest[1:]
		}
	}
	return append(words, rest...)
}

// tarJudge assigns kinds to archive, folder and members. The folder of -C applies to members only, not to the archive.
func tarJudge(m *grammar.Match) {
	makes := m.Has("-c", "-r", "-u")
	if !makes && !m.Has("-x", "-t", "-d") {
		if m.Has("--help", "--version") {
			m.Class = grammar.Inspect
		} else {
			m.Ask(".mode", "tar has no mode; give -t, -c or -x")
		}
		return
	}
	folder, folders := "", 0
	for i := range m.Uses {
		u := &m.Uses[i]
		switch u.Via {
		case "-f", "--file":
			if strings.Contains(u.Word.String(), ":") {
				m.Deny(".remote", "a colon in an archive's name makes tar start a remote shell; choose another name")
				return
			}
			u.Kind = grammar.Read
			if makes {
				u.Kind = grammar.Write
			}
		case "-C", "--directory":
			text, ok := u.Word.Text()
			if folders++; folders > 1 || !ok {
				m.Ask(".folder", "more than one -C, or one that is not written out; use one")
				return
			}
			folder, u.Kind = text, grammar.Write
			if makes || m.Has("-t", "-d", "-O") {
				u.Kind = grammar.Read
			}
		}
	}
	tarMembers(m, folder, makes)
}

// tarMembers assigns a kind to the members, relative to the folder.
func tarMembers(m *grammar.Match, folder string, makes bool) {
	if !makes && (m.Has("-t", "-d") || m.Has("-O")) {
		m.Class = grammar.Inspect
		return
	}
	if !makes && folder == "" {
		m.Use(grammar.Write, grammar.Lit("."), "")
	}
	for _, i := range m.Operands() {
		u := &m.Uses[i]
		if u.Kind != grammar.Data {
			continue
		}
		u.Kind = grammar.Write
		if makes {
			u.Kind = grammar.Read
		}
		if text, ok := u.Word.Text(); ok && folder != "" && !strings.HasPrefix(text, "/") {
			u.Word = grammar.Lit(path.Join(folder, text))
			if strings.HasPrefix(folder, "/") {
				u.Word = grammar.Lit(folder + "/" + text)
			}
		}
	}
}
