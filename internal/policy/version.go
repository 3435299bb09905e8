package policy

import "github.com/longshift/longshift/internal/policy/grammar"

// tellsVersion are refused programs that only print their version when --version is their only word. Programs that take an
// unknown word for the name of a script, or ignore it, are not among them.
var tellsVersion = grammar.Set(`docker podman docker-compose gh kubectl helm aws gcloud az terraform ansible-playbook nvm fnm volta asdf
	mise pyenv rbenv direnv nix bazel bazelisk earthly gdb lldb strace latexmk pdflatex pandoc ffmpeg convert magick dot psql mysql sqlite3
	redis-cli irb iex elixir ipython jupyter celery locust streamlit fzf semgrep husky conan vcpkg sccache entr hyperfine curl wget ssh rsync
	dlv nim`)

// onlyVersion reports whether a refused program only prints its version.
func onlyVersion(m *grammar.Match, name string, args []grammar.Word) bool {
	return tellsVersion[name] && len(args) == 1 && args[0].Is("--version") && (m.Class == grammar.Ask || m.Class == grammar.Deny)
}
