package tools

// Limits bound what the tools read and answer. Zero values mean the defaults.
type Limits struct {
	ReadBytes   int64 // size of a file for read_file; 512 KiB
	Lines       int   // lines of one read_lines; 200
	LineBytes   int   // bytes of a line that read_lines shows; 2000
	ScanBytes   int64 // bytes of a file that read_lines scans, and largest file that is replaced; 64 MiB
	WriteBytes  int64 // size of a file that is edited, patched or written, and of all files of a patch four times that; 4 MiB
	Entries     int   // entries of list_dir; 1000
	Depth       int   // folders below each other that are walked; 40
	Walked      int   // entries that one call looks at; 100 000
	Found       int   // files of find_files; 500
	Matches     int   // matches of search; 100
	MatchBytes  int   // bytes of all matches of search; 24 KiB
	SearchBytes int64 // size of a file that search looks through; 2 MiB
	ParseBytes  int64 // size of a file that get_file_outline parses; 1 MiB
	Outline     int   // characters of an outline; 4000
	PatchFiles  int   // files of a patch; 100
}

const (
	argumentBytes = 16 << 20 // of the arguments of a call
	pathBytes     = 4096     // of a path
	ignoreBytes   = 128 << 10
)

func (t *Tree) limits() Limits {
	l := t.Limits
	preset(&l.ReadBytes, 512<<10)
	preset(&l.Lines, 200)
	preset(&l.LineBytes, 2000)
	preset(&l.ScanBytes, 64<<20)
	preset(&l.WriteBytes, 4<<20)
	preset(&l.Entries, 1000)
	preset(&l.Depth, 40)
	preset(&l.Walked, 100_000)
	preset(&l.Found, 500)
	preset(&l.Matches, 100)
	preset(&l.MatchBytes, 24<<10)
	preset(&l.SearchBytes, 2<<20)
	preset(&l.ParseBytes, 1<<20)
	preset(&l.Outline, 4000)
	preset(&l.PatchFiles, 100)
	return l
}

func preset[T int | int64](n *T, usual T) {
	if *n <= 0 {
		*n = usual
	}
}
