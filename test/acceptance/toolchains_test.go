package acceptance

// The stories of tool chains that need no registry here: what they depend on comes with them.

func cStory() story {
	a := load("c")
	return story{
		name: "c", archive: a, ask: "tell whether two spans meet",
		look: []step{read("Makefile", "check:"), grep("span_size", "span.h"), glob("*.c", "test_span.c")},
		work: []work{{id: "FEAT-001", message: "feat: tell whether two spans meet", steps: []step{
			bash("git status --short && git log --oneline -3", "Begin"),
			read("test_span.c", "assert"),
			a.change("test_span.c"),
			red("make check", "span_meets"),
			read("span.h"),
			a.change("span.h"),
			read("span.c"),
			a.change("span.c"),
			bash("make check 2>&1 | tail -5", "all spans hold"),
			bash("./build/test_span && make CFLAGS='-O0 -g' clean check", "all spans hold"),
			bash("cc -Wall -c span.c -o /tmp/span.o && ls -l /tmp/span.o", "/tmp/span.o"),
			bash("rm -rf build && ls", "span.c"),
			bash("git diff && git status --short", "M span.h"),
		}}},
	}
}

func javaStory() story {
	a := load("java")
	return story{
		name: "java", archive: a, ask: "write nine and four with two letters",
		look: []step{read("Makefile", "javac"), grep("LETTERS", "Roman.java"), glob("src/**/*.java", "RomanTest.java")},
		work: []work{{id: "FIX-001", message: "fix: write 4 and 9 with two letters", steps: []step{
			bash("git status --short && git log --oneline -3", "Begin"),
			read("src/example/RomanTest.java", "XVI"),
			a.change("src/example/RomanTest.java"),
			red("make check", "AssertionError"),
			read("src/example/Roman.java", "VALUES"),
			a.change("src/example/Roman.java"),
			bash("make check", "all numbers hold"),
			bash("java -version 2>&1 | head -1", "version"),
			bash("java -ea -cp out example.RomanTest", "all numbers hold"),
			bash("git diff --stat && git status --short", "M src/example/Roman.java"),
		}}},
	}
}

func pythonStory() story {
	a := load("python")
	return story{
		name: "python", archive: a, ask: "sort titles that begin with An",
		settings: "check: python3 -m unittest discover\n",
		look:     []step{read("pyproject.toml", "shelf"), grep("def sort_key", "shelf/__init__.py"), glob("tests/*.py", "test_shelf.py")},
		work: []work{{id: "FIX-001", message: "fix: pass over An in front of a title", steps: []step{
			bash("git status --short && git log --oneline -3", "Begin"),
			read("tests/test_shelf.py", "test_article"),
			a.change("tests/test_shelf.py"),
			red("python3 -m unittest -v", "FAILED"),
			read("shelf/__init__.py", "partition"),
			a.change("shelf/__init__.py"),
			bash("python3 -m unittest -v tests.test_shelf.SortKeyTest.test_article_alone", "OK"),
			bash("python3 -m unittest discover 2>&1 | tail -3", "OK"),
			bash("python3 -c 'import shelf; print(shelf.sort_key(\"An Owl\"))'", "owl"),
			bash("python3 - <<'END'\nfrom shelf import sort_key\nprint(sort_key('The Owl'))\nEND", "owl"),
			bash("touch draft.txt && git clean -fd && git status --short", "Removing draft.txt", "M shelf/__init__.py"),
			bash("git diff --stat", "2 files changed"),
		}}},
	}
}

func rustStory() story {
	a := load("rust")
	return story{
		name: "rust", archive: a, ask: "find the largest amount",
		look: []step{read("Cargo.toml", "ledger"), grep("pub fn", "src/lib.rs"), glob("src/*.rs", "lib.rs")},
		work: []work{{id: "FEAT-001", message: "feat: find the largest amount", steps: []step{
			bash("git status --short && git log --oneline -3", "Begin"),
			bash("cargo test 2>&1 | tail -15", "1 passed"),
			read("src/lib.rs", "try_fold"),
			a.change("src/lib.rs"),
			bash("cargo build 2>&1 | tail -3", "Finished"),
			bash("cargo test finds_the_largest 2>&1 | grep test", "finds_the_largest ... ok"),
			bash("cargo test", "2 passed"),
			bash("git diff --stat && git status --short", "M src/lib.rs"),
		}}},
	}
}
