package acceptance

// nodeStory is TypeScript with a lock file: npm ci, the compiler, and node's own test runner.
func nodeStory() story {
	a := load("node")
	return story{
		name: "node", archive: a, ask: "let length read a sum such as 1h 30m",
		look: []step{read("package.json", "typescript"), grep("length", "src/spell.ts"), glob("src/**/*.ts", "spell.test.ts")},
		work: []work{{
			id: "FEAT-001", message: "feat: read sums of durations",
			steps: []step{
				bash("git status --short && git log --oneline -3", "Begin"),
				bash("ls && cat package.json", "node_modules"),
				read("src/spell.test.ts", "length reads"),
				a.change("src/spell.test.ts"),
				red("npm test", "length adds up"),
				read("src/spell.ts", "RangeError"),
				a.change("src/spell.ts"),
				bash("npx tsc --noEmit"),
				bash("npm run build && node --test --test-name-pattern='adds up' dist/spell.test.js", "pass 1"),
				bash("bash -lc 'npm test' 2>&1 | tail -12", "pass 3"),
				bash("node --input-type=module -e 'import { length } from \"./dist/spell.js\"; console.log(length(\"1m 1s\"))'", "61000"),
				bash("rm -rf dist && npm ci", "added 5 packages"),
				bash("git diff --stat && git status --short", "M src/spell.ts"),
			},
		}},
	}
}
