package policy

import (
	"strings"
	"testing"
)

// publishing is what takes something out by way of a registry or a forge, one command a line.
const publishing = `
npm publish
npm publish --registry=https://registry.npmjs.org ./pkg.tgz
npm dist-tag add a@1.0.0 latest
npm unpublish a
npm login
npm token create
npm adduser
npm owner add x y
npm access grant read-write a:b c
npm stage publish
pnpm publish
pnpm -r publish --no-git-checks
yarn publish
yarn npm publish
bun publish
deno publish
npx jsr publish
npx np
npx semantic-release
npx lerna publish
npx changeset publish
gem push x.gem
gem push x.gem --host https://rubygems.org
gem yank x
gem signin
bundle exec rake release
rake release
twine upload dist/*
python -m twine upload dist/*
python3 -m build && python3 -m twine upload dist/*
uv publish
poetry publish --build
flit publish
hatch publish
pdm publish
python setup.py sdist upload
cargo publish
cargo publish --allow-dirty --no-verify
cargo owner --add x
cargo yank a
cargo login
mvn deploy
mvn -B clean deploy
mvn deploy:deploy-file -Dfile=x.jar
./mvnw deploy
gradle publish
./gradlew publish
./gradlew publishAllPublicationsToMavenCentral
dotnet nuget push a.nupkg
nuget push a.nupkg
docker push x/y
docker buildx build --push .
podman push x
helm push a oci://x
oras push x/y:1 f
gh release upload v1 a.tgz
gh release create v1 a.tgz
gh gist create f
composer global require x
goreleaser release
sbt publish
lein deploy
`

// Nothing is published without a person, in either mode and however the command is wrapped.
func TestPublishingIsNeverAllowed(t *testing.T) {
	profiles := []string{"node", "bun", "python", "ruby", "go", "rust", "php", "jvm", "dotnet", "cpp"}
	bare := newPolicy(t, Config{Root: root, Home: home, Profiles: profiles})
	open, boxed := newPolicy(t, openConfig()), newPolicy(t, boxedConfig(profiles))
	n := 0
	for command := range strings.Lines(publishing) {
		if command = strings.TrimSpace(command); command == "" {
			continue
		}
		for _, form := range []string{command, "cd sub && " + command, "true; " + command + " || true", "env CI=1 " + command, "bash -c '" + command + "'", "timeout 60 " + command} {
			n++
			if d := decide(bare, form); d.Verdict == Allow {
				t.Errorf("bare: %s: %s", form, d.Rule)
			}
			if d := decide(open, form); d.Verdict == Allow {
				t.Errorf("everything on: %s: %s", form, d.Rule)
			}
			if d := decideBoxed(boxed, form); d.Verdict == Allow {
				t.Errorf("boxed: %s: %s", form, d.Rule)
			}
		}
	}
	if n < 300 {
		t.Errorf("only %d were tried", n)
	}
}
