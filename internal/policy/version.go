package policy

import "github.com/longshift/longshift/internal/policy/grammar"

// tellsVersion are programs that are refused, but only say their version when --version is their one word. (Programs that take
// an unknown word for the name of a script, or do something without looking at it, are not among them.)
var tellsVersion = nameSet(`docker podman docker-compose gh kubectl helm aws gcloud az terraform ansible-playbook nvm fnm volta asdf mise pyenv rbenv direnv
	nix bazel bazelisk earthly gdb lldb strace latexmk pdflatex pandoc ffmpeg convert magick dot psql mysql sqlite3 redis-cli irb iex elixir ipython jupyter celery locust
	streamlit fzf semgrep husky conan vcpkg sccache entr hyperfine curl wget ssh rsync dlv nim`)

// onlyVersion tells whether a refused program is asked for its version and nothing else.
func onlyVersion(m *grammar.Match, name string, args []grammar.Word) bool {
	return tellsVersion[name] && len(args) == 1 && args[0].Is("--version") && (m.Class == grammar.Ask || m.Class == grammar.Deny)
}
