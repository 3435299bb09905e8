package activities

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/repo/toolcache"
	"github.com/longshift/longshift/internal/repo/toolcache/toolcachetest"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

// cacheTask is one of several tasks of one repository on one host, in real boxes.
type cacheTask struct{ *bench }

// newCacheTask makes the first one, with tool chains that fetch from the registries of newRegistries. If it compiles Go, its caches begin
// with the standard library.
func newCacheTask(t *testing.T, compiles bool) cacheTask {
	t.Helper()
	r := newRegistries(t)
	b := confined(t, gittest.NewBare(t, r.project))
	if compiles {
		seed, err := toolcachetest.Seed()
		must(t, err)
		b.Caches = toolcache.New(toolcache.Config{Dir: filepath.Join(b.Data, "caches"), Tasks: filepath.Join(b.Data, "tasks"), Seed: seed, Share: true})
	}
	b.Confine.Readable, b.Confine.Egress = []string{r.dir}, r.dial
	home, err := os.UserHomeDir()
	must(t, err)
	b.CommandEnv = func(d Dirs) []string {
		env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + d.Home, "LANG=C.UTF-8", "GOTOOLCHAIN=local", "GOSUMDB=off", "GOFLAGS=-modcacherw -mod=mod",
			"GOPROXY=file://" + r.dir + "/go", "RUSTUP_HOME=" + filepath.Join(home, ".rustup"), "CARGO_NET_OFFLINE=true",
			"NPM_CONFIG_REGISTRY=" + r.npm, "NPM_CONFIG_AUDIT=false", "NPM_CONFIG_UPDATE_NOTIFIER=false"}
		for name, folder := range toolcache.Variables {
			env = append(env, name+"="+filepath.Join(d.Cache, folder))
		}
		return env
	}
	b.start()
	return cacheTask{b}
}

// next is another task of the same repository on the same host.
func (c cacheTask) next() cacheTask {
	c.t.Helper()
	other := *c.bench
	other.ref = Ref{TaskID: "task-" + strings.ToLower(rand.Text()), Fence: 1}
	other.prepare()
	return cacheTask{&other}
}

// says runs a command that must succeed, and returns the last line of its output.
func (c cacheTask) says(command string) string {
	c.t.Helper()
	out := c.check(command, nil)
	if !out.Passed() {
		c.t.Fatalf("%s\nexit %d: %s", command, out.ExitCode, out.Tail)
	}
	return lastLine(out.Tail)
}

// meetsAgent begins the task's first session.
func (c cacheTask) meetsAgent() {
	c.t.Helper()
	rec, err := openRecord(c.Data, c.session(task.Planner, "script"))
	must(c.t, err)
	must(c.t, rec.begin(1))
}

// base lists the files that new tasks of the repository start with, relative to the folder of the base.
func (c cacheTask) base() []string {
	c.t.Helper()
	found, err := filepath.Glob(filepath.Join(c.Data, "caches", "*", "base-*", "*"))
	must(c.t, err)
	for i, path := range found {
		found[i] = filepath.Base(path)
	}
	return found
}

// cacheAttacks plant something in the caches of one task. The victim's last line is good, or evil when it has run or read the plant.
var cacheAttacks = map[string]struct{ plant, victim string }{
	"rustc-wrapper in cargo's settings": {
		`printf '#!/bin/sh\necho evil > "$HOME/sign"\nexec "$@"\n' > $CARGO_HOME/wrapper; chmod +x $CARGO_HOME/wrapper
		printf '[build]\nrustc-wrapper = "%s"\n' $CARGO_HOME/wrapper > $CARGO_HOME/config.toml`,
		buildCrate + `cat "$HOME/sign" 2>/dev/null || echo good`,
	},
	"sources of a crate": {
		`sed -i s/good/evil/ $CARGO_HOME/registry/src/*/hello-0.1.0/src/lib.rs`,
		buildCrate + `./target/debug/app`,
	},
	"init.gradle": {
		`mkdir -p $GRADLE_USER_HOME/init.d; echo 'println "evil"' | tee $GRADLE_USER_HOME/init.gradle > $GRADLE_USER_HOME/init.d/a.gradle`,
		`cat $GRADLE_USER_HOME/init.gradle $GRADLE_USER_HOME/init.d/* 2>/dev/null | grep -q evil && echo evil || echo good`,
	},
	"extracted sources of a Go module": {
		`cd $GOMODCACHE/example.com/dep@v1.0.0 && chmod u+w dep.go && sed -i s/good/evil/ dep.go`,
		compiled,
	},
	"zip of a Go module": { // Go compares go.sum with the hash that lies beside it
		`chmod -R u+w $GOMODCACHE && rm -r $GOMODCACHE/example.com && python3 - $GOMODCACHE/cache/download/example.com/dep/@v/v1.0.0.zip <<'END'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z: files = {n: z.read(n).replace(b"good", b"evil") for n in z.namelist()}
with zipfile.ZipFile(sys.argv[1], "w") as z: [z.writestr(n, t) for n, t in files.items()]
END`,
		compiled,
	},
	"a compiled package in Go's build cache": {
		`id() { basename "$(go list -export -f '{{.Export}}' example.com/dep)" | sed s/-d//; }
		good=$(id); export GOMODCACHE=$(mktemp -d); go mod download; sed -i s/good/evil/ $GOMODCACHE/example.com/dep@v1.0.0/dep.go 2>/dev/null || { chmod -R u+w $GOMODCACHE; sed -i s/good/evil/ $GOMODCACHE/example.com/dep@v1.0.0/dep.go; }
		evil=$(id); entry=$(grep -l $good $GOCACHE/*/*-a); size=$(stat -c %s $GOCACHE/${evil::2}/$evil-d)
		read -r v action out _ time < $entry; printf '%s %s %s %20d %20d\n' $v $action $evil $size $time > $entry`,
		compiled,
	},
	"an answer of the registry in npm's cache": {
		`cat > /tmp/plant.js <<'END'
const {execSync} = require("child_process"), crypto = require("crypto"), fs = require("fs")
const cacache = require(execSync("npm root -g 2>/dev/null").toString().trim() + "/npm/node_modules/cacache")
const cache = process.env.NPM_CONFIG_CACHE + "/_cacache"
fs.mkdirSync("/tmp/package"); fs.writeFileSync("/tmp/package/package.json", '{"name":"left","version":"1.0.0"}'); fs.writeFileSync("/tmp/package/index.js", 'module.exports = "evil"')
execSync("tar -czf /tmp/evil.tgz -C /tmp package")
const evil = fs.readFileSync("/tmp/evil.tgz"), integrity = "sha512-" + crypto.createHash("sha512").update(evil).digest("base64")
cacache.ls(cache).then(async all => {
	for (const [key, e] of Object.entries(all)) {
		const tarball = key.endsWith(".tgz"), old = (await cacache.get(cache, key)).data
		const data = tarball ? evil : JSON.stringify(JSON.parse(old), (k, v) => k == "integrity" ? integrity : v)
		await cacache.rm.entry(cache, key); await cacache.put(cache, key, data, {metadata: e.metadata})
	}
})
END
		node /tmp/plant.js`,
		`cd $(mktemp -d) && npm init -y >/dev/null 2>&1 && npm install --prefer-offline left >/dev/null 2>&1 && node -p 'require("left")'`,
	},
	"anything in any tool's folder": {
		`for d in ` + everyFolder + `; do mkdir -p "$d/bin"; echo evil > "$d/bin/planted"; ln -s bin/planted "$d/config"; done`,
		`for d in ` + everyFolder + `; do cat "$d/bin/planted" "$d/config"; done 2>/dev/null | grep evil || echo good`,
	},
}

// compiled reads what a program that is linked with the package would say. Linking takes longer than all the rest.
const compiled = `grep -aoE 'good|evil' "$(go list -export -f '{{.Export}}' example.com/dep)"`

const buildCrate = `cd crate && rm -rf target && cargo build --quiet && `

var everyFolder = func() (list string) {
	for name := range toolcache.Variables {
		list += `"$` + name + `" `
	}
	return list
}()

// No task finds what another one leaves in its caches, with and without a common base. Each attack works in the task that plants it, so the
// test shows something.
func TestCachesCarryNothingToOtherTasks(t *testing.T) {
	t.Parallel()
	for name, attack := range cacheAttacks {
		t.Run(name, func(t *testing.T) {
			first := newCacheTask(t, false)
			if got := first.says(attack.victim); got != "good" {
				t.Fatalf("before the attack: %q", got)
			}
			first.meetsAgent()
			first.says(attack.plant)
			if got := first.says(attack.victim); got != "evil" {
				t.Fatalf("the attack does not work: %q", got)
			}
			if got := first.next().says(attack.victim); got != "good" {
				t.Errorf("the next task says %q; it began with %v", got, first.base())
			}
			must(t, os.RemoveAll(filepath.Join(first.Data, "caches")))
			if got := first.says(attack.victim); got != "evil" {
				t.Fatalf("the attack is gone: %q", got)
			}
			if got := first.next().says(attack.victim); got != "good" {
				t.Errorf("without a base the next task says %q", got)
			}
		})
	}
}

// The next task finds what the base has fetched and built, at the same path, but no configuration of tools.
func TestCachesOfTheBase(t *testing.T) {
	t.Parallel()
	first := newCacheTask(t, true)
	first.says(`go run . && ` + buildCrate + `mkdir -p $GOMODCACHE/cache/vcs $CARGO_HOME/bin && touch $CARGO_HOME/config.toml $CARGO_HOME/bin/cargo-x $GOMODCACHE/cache/vcs/x && echo good`)
	second := first.next()
	if got := second.says(`GOPROXY=off go run . && test ! -e $CARGO_HOME/config.toml && test ! -e $CARGO_HOME/bin && test ! -e $GOMODCACHE/cache/vcs && test -d $CARGO_HOME/registry/src && echo good`); got != "good" {
		t.Errorf("the second task says %q", got)
	}
	if got := second.next().says(`go build -x . 2>&1 | grep -c 'compile.* -p example.com/dep ' || true`); got != "0" {
		t.Errorf("the package of the base was compiled again: %s", got)
	}
}

// Caches don't become a base after a session has begun, here or on a host that is lost, on a commit other than the base, or when the check did not end.
func TestNoBaseFromAgents(t *testing.T) {
	t.Parallel()
	const fills = `mkdir -p $GOCACHE && echo x > $GOCACHE/x`
	for name, change := range map[string]func(cacheTask) string{
		"session": func(c cacheTask) string { c.meetsAgent(); return fills },
		"unreadable record": func(c cacheTask) string {
			c.meetsAgent()
			found, err := filepath.Glob(filepath.Join(c.Data, "tasks", c.ref.TaskID, "sessions", "*", "record.json"))
			must(c.t, err)
			must(c.t, os.Rename(found[0], found[0]+".corrupt"))
			return fills
		},
		"commit": func(c cacheTask) string {
			gittest.Write(c.t, c.work(), map[string]string{"new.go": "package main\n"})
			c.commit(1, nil)
			return fills
		},
		"another host's session": func(c cacheTask) string {
			tree, err := c.Workspaces.Open(c.t.Context(), c.ref.TaskID, c.ref.Fence)
			must(c.t, err)
			gittest.Write(c.t, tree.Dir(), map[string]string{"new.go": "package main\n"})
			_, err = tree.PushSnapshot(c.t.Context(), workspace.SnapshotSpec{Note: "1", Inspect: func(func(io.Writer) error) error { return nil }})
			must(c.t, errors.Join(err, tree.Close()))
			must(c.t, os.RemoveAll(taskDir(c.Data, c.ref.TaskID)))
			c.ref.Fence++
			c.prepare()
			return fills
		},
		"killed": func(cacheTask) string { return fills + `; kill -9 $$` },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCacheTask(t, false)
			c.check(change(c), nil)
			if found := c.base(); len(found) > 0 {
				t.Errorf("kept %v", found)
			}
		})
	}
	c := newCacheTask(t, false)
	_, err := openRecord(c.Data, c.session(task.Planner, "script")) // prestarted, and told nothing
	must(t, err)
	c.check(fills, nil)
	if found := c.base(); !slices.Contains(found, "go-build") {
		t.Errorf("kept %v", found)
	}
}
