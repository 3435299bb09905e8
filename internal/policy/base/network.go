package base

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const noNetwork = "a task reaches no other machine; only servers that it started itself, on localhost"

// networkPrograms connect to other machines. Some may connect to this one, or copy within the tree.
func networkPrograms() []grammar.Program {
	local := []grammar.Need{grammar.NeedLoopback}
	return []grammar.Program{
		{Names: []string{"curl"}, Spec: grammar.Spec{Class: grammar.Run, Needs: local, Args: "local+", Judge: curl, Why: noNetwork,
			Opts: `-s,--silent -S,--show-error -f,--fail --fail-with-body --fail-early -v,--verbose -i,--include,--show-headers -I,--head
				-L,--location --max-redirs=number -X,--request=data -H,--header=data -d,--data,--data-ascii=data --data-raw=data
				--data-binary=data --data-urlencode=data --json=data -F,--form=data --form-string=data -o,--output=write --create-dirs
				-w,--write-out=data -m,--max-time=number --connect-timeout=number --retry=number --retry-delay=number
				--retry-max-time=number --retry-connrefused --retry-all-errors -k,--insecure -u,--user=data -A,--user-agent=data
				-b,--cookie=data --compressed -g,--globoff -G,--get -N,--no-buffer -4,--ipv4 -6,--ipv6 -0,--http1.0 --http1.1 --http2
				--http2-prior-knowledge --no-progress-meter --progress-bar --url=local -e,--referer=data --oauth2-bearer=data
				--path-as-is --raw --tr-encoding --no-keepalive --noproxy=data -r,--range=data --limit-rate=data --styled-output
				--no-styled-output -j,--junk-session-cookies ~-O,--remote-name ~-J,--remote-header-name ~-c,--cookie-jar
				~-D,--dump-header ~--trace ~--trace-ascii ~--stderr ~-R,--remote-time ~-Z,--parallel !-x,--proxy !--preproxy !--socks4
				!--socks4a !--socks5 !--socks5-hostname !-K,--config !--unix-socket !--abstract-unix-socket !-T,--upload-file !--resolve
				!--connect-to !--doh-url !--dns-servers !-n,--netrc !--netrc-file !--netrc-optional !-E,--cert !--key !--cacert
				!--capath !--interface !-Q,--quote !-P,--ftp-port !--mail-from !--mail-rcpt !--mail-auth !-t,--telnet-option !--libcurl
				!--engine !-q,--disable !--proto-default !--proto-redir !--proto !--location-trusted !--variable !--expand-url
				!--expand-data !--etag-save !--etag-compare !--hsts !--alt-svc !--login-options !--pinnedpubkey !--negotiate
				!--delegation !--haproxy-protocol -h,--help -V,--version`}},
		{Names: []string{"wget"}, Spec: grammar.Spec{Class: grammar.Run, Needs: local, Args: "local+", Judge: onlyLocal, Why: noNetwork,
			Opts: `-q,--quiet -nv,--no-verbose -v,--verbose -O,--output-document=write -S,--server-response -T,--timeout=number
				-t,--tries=number -w,--wait=number --spider --no-check-certificate --header=data --method=data --post-data=data
				--body-data=data --retry-connrefused --content-on-error --max-redirect=number -nc,--no-clobber -U,--user-agent=data -4
				-6 --no-proxy --no-cache -h,--help -V,--version !-i,--input-file !--post-file !--body-file !-e,--execute !--config
				!--use-askpass !-o,--output-file !-a,--append-output !-r,--recursive !-m,--mirror !-p,--page-requisites
				!-P,--directory-prefix !-B,--base !--load-cookies !--save-cookies !--ca-certificate !--certificate !--private-key
				!--warc-file !-b,--background !--use-proxy`}},
		{Names: []string{"rsync"}, Spec: grammar.Spec{Class: grammar.Change, Args: "read*", Judge: mirrors, Why: noNetwork,
			Opts: `-a,--archive -r,--recursive -v,--verbose -q,--quiet -n,--dry-run -h,--human-readable -P --progress --partial -u,--update
				-c,--checksum -l,--links -p,--perms -t,--times -g -o -D -i,--itemize-changes -m,--prune-empty-dirs --stats
				--exclude=data --include=data !-f,--filter --exclude-from=read --include-from=read --delete --delete-after
				--delete-excluded --existing --ignore-existing --size-only -W,--whole-file --mkpath --info=data --no-perms --no-owner
				--no-group --no-times --chmod=data --max-size=data --min-size=data -x,--one-file-system -H -S !-e,--rsh !--rsync-path
				!--daemon !--config !--password-file !--files-from !-T,--temp-dir !--remove-source-files !-M,--remote-option
				!--write-batch !--read-batch !--only-write-batch !--log-file !--backup-dir !--compare-dest !--copy-dest !--link-dest
				!--partial-dir !--copy-devices !--write-devices !--sockopts !--address !--port` + std}},
		whole("nc ncat netcat", grammar.Run, probe),
		refused(noNetwork, `ssh scp sftp ftp lftp tftp telnet rlogin rsh rexec rclone socat nmap masscan dig host nslookup drill kdig ping ping6
			fping hping3 arping traceroute traceroute6 tracepath mtr whois getent resolvectl systemd-resolve nmcli avahi-browse mail mailx sendmail
			mutt msmtp swaks s-nail http https httpie xh aria2c axel lynx w3m links elinks chromium google-chrome firefox youtube-dl yt-dlp ngrok
			cloudflared localtunnel lt bore frpc wg wg-quick openvpn tailscale zerotier-cli sshfs sshpass mosh autossh ssh-copy-id ssh-keyscan croc
			wormhole magic-wormhole magic transfer websocat wscat grpcurl mosquitto_pub mosquitto_sub kcat kafkacat nats irssi weechat curlie iperf
			iperf3 tcpdump tshark wireshark ngrep bettercap proxychains proxychains4 torsocks torify tor smbclient ldapsearch snmpwalk rpcclient
			showmount finger vncviewer xfreerdp ab wrk hey siege k6 vegeta bombardier transmission-cli`),
		refused("a task may not use clouds and clusters", `aws gcloud gsutil bq az azcopy kubectl k9s oc eksctl helmfile flux argocd
			istioctl minikube kind k3d k3s doctl heroku fly flyctl vercel netlify wrangler firebase railway render supabase pulumi cdk serverless
			sls sam ansible ansible-playbook ansible-vault ansible-galaxy salt chef knife puppet vault consul nomad boundary s3cmd mc b2 linode-cli
			hcloud oci ibmcloud aliyun tccli scw openstack databricks snowsql gitlab-runner circleci travis jenkins-cli sentry-cli stripe twilio
			slack ory doppler infisical sops teller chamber op bw lpass pass gopass keybase`),
		refused("containers are a way around the sandbox; Longshift starts what a task needs", `docker docker-compose podman podman-compose
			nerdctl buildah skopeo crictl ctr runc crun lxc lxd incus containerd dockerd buildctl kaniko img apptainer singularity finch colima
			lima limactl multipass virsh qemu-system-x86_64 VBoxManage distrobox toolbox`),
	}
}

// onlyLocal refuses every address but this machine's own.
func onlyLocal(m *grammar.Match) {
	for _, u := range m.Uses {
		if u.Kind != grammar.Local {
			continue
		}
		if text, ok := u.Word.Text(); !ok || !grammar.IsLocal(text) {
			m.Deny(".address", noNetwork)
			return
		}
	}
}

// curl judges addresses, and values that name a file.
func curl(m *grammar.Match) {
	if m.Has("--help", "--version") {
		m.Class, m.Needs = grammar.Inspect, nil
	}
	onlyLocal(m)
	for _, u := range m.Uses {
		if text := u.Word.Prefix(); u.Kind == grammar.Local && m.Has("-L") && handsOn.MatchString(text) {
			m.Ask(".redirect", "with -L this follows where the server sends it, and "+text+" looks like a way to other machines; leave -L out")
		}
		if !strings.HasPrefix(u.Via, "-") || u.Kind != grammar.Data {
			continue
		}
		text := u.Word.Prefix()
		switch u.Via {
		case "-d", "--data", "--data-ascii", "--data-binary", "--json":
			if strings.HasPrefix(text, "@") {
				m.Use(grammar.Read, u.Word.Drop(1), u.Via)
			} else if text == "" && u.Word.Source() == grammar.Any {
				m.Ask(".data", "what is sent is not known; write it out, or name a file with @")
			}
		case "-H", "--header", "-w", "--write-out":
			if strings.HasPrefix(text, "@") || strings.Contains(text, "%output{") || text == "" && u.Word.Source() == grammar.Any {
				m.Ask(".file", "this value names a file; write the text itself")
			}
		case "-F", "--form", "--data-urlencode", "-b", "--cookie":
			_, literal := u.Word.Text()
			if strings.ContainsAny(text, "@<") || !literal || strings.HasSuffix(u.Via, "b") && !strings.Contains(text, "=") ||
				u.Via == "--cookie" && !strings.Contains(text, "=") {
				m.Ask(".file", "this value may name a file; send it with -d")
			}
		}
	}
}

// handsOn are paths of servers that forward to another one.
var handsOn = regexp.MustCompile(`(?i)/(redirect|redir|proxy|goto|forward|fetch)\b|[?&](url|uri|to|next|target|dest|redirect\w*)=`)

// probe reads the words of nc, which may only check whether a local port is open.
func probe(m *grammar.Match) {
	scan := false
	var rest []string
	for i := 0; i < len(m.Words); i++ {
		text, ok := m.Words[i].Text()
		switch {
		case !ok && m.Words[i].Source() == grammar.Digits:
			rest = append(rest, "1")
		case !ok:
			m.Deny(".address", noNetwork)
			return
		case text == "-w" && i+1 < len(m.Words):
			i++
		case len(text) > 1 && text[0] == '-' && strings.Trim(text[1:], "zvnw0123456789") == "":
			scan = scan || strings.Contains(text, "z")
		default:
			rest = append(rest, text)
		}
	}
	if !scan || len(rest) != 2 || !grammar.IsLocal(rest[0]+":"+rest[1]) {
		m.Deny(".address", noNetwork+"; nc -z localhost PORT tests whether a port is open")
		return
	}
	m.Needs = append(m.Needs, grammar.NeedLoopback)
}

// mirrors judges rsync between folders of the tree. A colon in a name means another machine.
func mirrors(m *grammar.Match) {
	for _, i := range m.Operands() {
		if strings.Contains(m.Uses[i].Word.String(), ":") {
			m.Deny(".remote", noNetwork)
			return
		}
	}
	if m.Has("--delete", "--delete-after", "--delete-excluded") {
		m.Needs = append(m.Needs, grammar.NeedDestructive)
	}
	lastIs(grammar.Write)(m)
	for _, u := range m.Uses {
		if text := strings.TrimRight(u.Word.String(), "/."); u.Kind == grammar.Write && text == "" &&
			m.Has("--delete", "--delete-after", "--delete-excluded") {
			m.Deny(".everything", "this would remove all that the folder holds and the source does not; name a folder below")
		}
	}
}
