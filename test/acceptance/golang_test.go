package acceptance

// goStory is a command with modules from the proxy. That the build is stamped with the commit shows that Go finds a working git.
func goStory() story {
	a := load("go")
	return story{
		name: "go", archive: a, typed: true, ask: "add a -stable flag that passes over pre-releases",
		flags: []string{"--check", "go build ./... && go vet ./... && go test ./..."},
		look: []step{read("README.md", "Prints the newest"), grep("func Newest", "versions/versions.go"), glob("**/*_test.go", "versions_test.go"),
			bash("git log --oneline -5 && git diff --stat HEAD && git status --short", "Say how Longshift checks")},
		work: []work{{
			id: "FEAT-001", message: "feat(versions): pick the stable versions of a list",
			steps: []step{
				bash("git status --short"),
				bash("git log --oneline -3", "Begin"),
				bash("git diff --stat HEAD"),
				grep("semver", "versions.go"),
				read("versions/versions_test.go", "func TestOrder"),
				a.change("versions/versions_test.go"),
				red("go test ./versions", "undefined: Stable"),
				read("versions/versions.go", "func Newest"),
				a.change("versions/versions.go"),
				bash("go test ./versions -run TestStable -v", "PASS: TestStable"),
				bash("gofmt -l . && go build ./... && go vet ./... && go test ./... 2>&1 | tail -20", "ok"),
				bash("go test -coverprofile=cover.out ./versions && go tool cover -func=cover.out | tail -1", "total:"),
				bash("git stash && go test ./versions && git stash pop", "ok", "Dropped"),
				bash("rm cover.out && git diff --stat && git status --short", "M versions/versions.go", "2 files changed"),
			},
		}, {
			id: "FEAT-002", message: "feat: add -stable",
			steps: []step{
				bash("git log --oneline -1", "pick the stable versions"),
				bash("grep -rn 'flag\\.' --include='*.go' .", "main.go"),
				read("cmd/newest/main.go", "flag.Parse"),
				a.change("cmd/newest/main.go"),
				read("README.md"),
				a.change("README.md"),
				bash("go build -o bin/newest ./cmd/newest && ./bin/newest -stable v1.0.0 v2.0.0-rc.1", "v1.0.0"),
				bash("go build -o /tmp/newest ./cmd/newest && /tmp/newest v1.0.0 v2.0.0-rc.1", "v2.0.0-rc.1"),
				bash("go version -m bin/newest", "vcs.revision=", "golang.org/x/mod"),
				bash("go test ./...", "ok"),
				bash("git diff HEAD && git status --short", "+	stable := flag.Bool"),
			},
		}},
	}
}
