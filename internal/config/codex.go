package config

import (
	"os/exec"
	"path/filepath"
	"runtime"
)

// CodexProgram returns the path of Codex, or its name on PATH. npm installs it as a script for Node, which starts a program of a package for
// this machine; that program is returned then, because sessions have no use for Node and the driver speaks to one process.
func (m Model) CodexProgram() string {
	script, err := exec.LookPath(m.Codex)
	if err != nil {
		return m.Codex
	}
	script, err = filepath.EvalSymlinks(script)
	if err != nil || filepath.Base(script) != "codex.js" {
		return m.Codex
	}
	pack := filepath.Dir(filepath.Dir(script)) // .../node_modules/@openai/codex
	for _, modules := range []string{filepath.Join(pack, "node_modules"), filepath.Dir(filepath.Dir(pack))} {
		if path, err := exec.LookPath(filepath.Join(modules, codexInPackage())); err == nil {
			return path
		}
	}
	return m.Codex
}

// codexInPackage is where npm puts the program for this machine, below node_modules.
func codexInPackage() string {
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	system := map[string]string{"linux": "-unknown-linux-musl", "darwin": "-apple-darwin"}[runtime.GOOS]
	return filepath.Join("@openai", "codex-"+runtime.GOOS+"-"+arch, "vendor", machine+system, "bin", "codex")
}
