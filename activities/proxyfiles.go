package activities

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/longshift/longshift/internal/repo/toolcache"
)

// Maven and Gradle take a proxy only from files of settings, while other tools take it from the environment.

var mavenSettings = fmt.Sprintf(`<settings>
  <proxies>
    <proxy>
      <id>registries</id>
      <active>true</active>
      <protocol>http</protocol>
      <host>127.0.0.1</host>
      <port>%d</port>
      <nonProxyHosts>localhost|127.0.0.1</nonProxyHosts>
    </proxy>
  </proxies>
</settings>
`, EgressPort)

var gradleProperties = fmt.Sprintf(`systemProp.http.proxyHost=127.0.0.1
systemProp.http.proxyPort=%[1]d
systemProp.https.proxyHost=127.0.0.1
systemProp.https.proxyPort=%[1]d
systemProp.http.nonProxyHosts=localhost|127.0.0.1
`, EgressPort)

// writeProxyFiles tells Maven and Gradle of the proxy. home is below dir, which the programs can write to. What they have put there
// themselves stays, and where they have left no room for a file they have none.
func writeProxyFiles(dir, home string, d Dirs) {
	writeNew(dir, filepath.Join(home, ".m2"), "settings.xml", mavenSettings)
	writeNew(d.own, toolcache.Variables["GRADLE_USER_HOME"], "gradle.properties", gradleProperties)
}

// writeNew makes a file below dir unless there is something of its name. It follows no link out of dir.
func writeNew(dir, folder, name, text string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer root.Close()
	file := filepath.Join(folder, name)
	if root.MkdirAll(folder, 0o700) != nil {
		return
	}
	f, err := root.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, err = f.WriteString(text)
	if errors.Join(err, f.Close()) != nil {
		_ = root.Remove(file) // the next program's attempt makes a whole one
	}
}
