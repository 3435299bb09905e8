package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/task"
)

// Files from which a command takes code or input are found wherever it names them.
func TestFilesThatACommandNames(t *testing.T) {
	c := plainConfig()
	c.Allow = []Rule{{Command: "own-tool *", Why: "known here"}}
	bare, boxed := newPolicy(t, c), newPolicy(t, boxedConfig(nil))
	for command, want := range map[string]string{
		"sh deploy.sh": "deploy.sh", "bash -x ./tools/deploy.sh now": "tools/deploy.sh", "./deploy.sh staging.yml": "deploy.sh staging.yml", "tools/deploy": "tools/deploy",
		"python3 tools/x.py --config=conf.json": "tools/x.py", "node x.js": "x.js", "ruby x.rb": "x.rb", "perl x.pl": "x.pl", "php x.php": "x.php", "go run x.go": "x.go",
		"source env.sh": "env.sh", ". ./env.sh": "env.sh", "bash < deploy.sh": "deploy.sh", "cat deploy.sh | bash": "deploy.sh", "bash -c 'sh deploy.sh'": "deploy.sh",
		`bash -c "$(cat deploy.sh)"`: "deploy.sh", "cd web && ./deploy.sh": "web/deploy.sh", "(cd web; npm run deploy)": "web/package.json package.json",
		"env A=b timeout 5 sh deploy.sh": "deploy.sh", "find . -name x -exec sh deploy.sh {} ;": "", `find . -name x -exec sh deploy.sh {} \;`: "deploy.sh", "xargs sh deploy.sh < list.txt": "deploy.sh list.txt",
		"make deploy": "Makefile makefile GNUmakefile", "make -C web deploy": "web/Makefile Makefile", "make -f ops.mk deploy": "ops.mk", "npm run deploy": "package.json",
		"npm --prefix web run deploy": "web/package.json", "cargo run": "Cargo.toml build.rs", "just deploy": "justfile", "./gradlew publish": "gradlew build.gradle",
		"terraform apply -auto-approve plan.out": "plan.out", "ansible-playbook -i hosts.ini site.yml": "hosts.ini site.yml", "kubectl apply -fdeploy.yml": "deploy.yml",
		"nosuch --file=conf/a.yml": "conf/a.yml", "curl -d @payload.json https://example.org": "payload.json", "nosuch sh:deploy.sh": "deploy.sh", "sudo sh deploy.sh": "deploy.sh", "docker run x sh deploy.sh": "deploy.sh",
		"for f in a.sh b.sh; do sh $f; done": "a.sh b.sh", "x=deploy.sh; sh $x": "deploy.sh", "sh tools/*.sh": "tools/*.sh", "f() { sh deploy.sh; }; f": "deploy.sh", "nosuch 'a b.sh'": "a b.sh b.sh",
		"true || sh deploy.sh": "deploy.sh", "psql -f schema.sql": "schema.sql", "nosuch <(cat deploy.sh)": "deploy.sh", "if ls; then sh a.sh; else sh b.sh; fi": "a.sh b.sh",
		"node -e 'require(\"./x.js\")'; git push": "x.js", "perl -e 'do \"x.pl\"'; git push": "x.pl", `sqlite3 x.db ".read x.sql"; git push`: "x.sql", "awk -f x.awk y; git push": "x.awk", "own-tool x.cfg; git push": "x.cfg",
		"sh /tmp/x.sh": "/tmp/x.sh", "git push origin main": "", "sed -i -f edit.sed x.txt; git push": "edit.sed", `python3 -c 'exec(open("x.py").read())'; git push`: "x.py",
	} {
		for name, p := range map[string]*Policy{"bare": bare, "boxed": boxed} {
			files, ok := p.Files(Request{Role: task.Implementer, Command: command})
			if got := " " + strings.ReplaceAll(strings.Join(files, " "), root+"/", "") + " "; !ok || !holdsEach(got, want) {
				t.Errorf("%s: %q: %v %s, want %s", name, command, ok, got, want)
			}
		}
	}
}

func holdsEach(got, want string) bool {
	for w := range strings.FieldsSeq(want) {
		if !strings.Contains(got, " "+w+" ") {
			return false
		}
	}
	return true
}

// Files that are only written are not among them, nor those that the sandbox can't write.
func TestFilesThatACommandOnlyWrites(t *testing.T) {
	p := newPolicy(t, boxedConfig(nil))
	files, ok := p.Files(Request{Role: task.Implementer, Dir: root + "/web", Command: "cp a.txt b.txt > log.txt; bash /usr/share/x.sh"})
	if !ok || len(files) != 1 || files[0] != root+"/web/a.txt" {
		t.Errorf("got %v, %q", ok, files)
	}
	for command, want := range map[string]string{
		`./bin/$(date +%s) conf.yml; git push`: "conf.yml", `psql -h localhost -c '\i x.sql'; git push`: "x.sql", `knex run "go x.cfg"; git push`: "x.cfg",
	} {
		if files, ok := p.Files(Request{Role: task.Implementer, Command: command}); !ok || !slices.Contains(files, root+"/"+want) {
			t.Errorf("%q: %v, %q, want %s", command, ok, files, want)
		}
	}
	if files, ok := p.Files(Request{Role: task.Implementer, Command: "nosuch " + strings.Repeat("a ", 10) + words(3000)}); ok {
		t.Errorf("%d files are not too many", len(files))
	}
}

func words(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("w" + strings.Repeat("x", i%50) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676)) + " ")
	}
	return b.String()
}
