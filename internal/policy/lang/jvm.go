package lang

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const gradleOpts = ` -q,--quiet -w,--warn -i,--info -d,--debug -s,--stacktrace -S,--full-stacktrace --no-daemon --daemon --foreground
	--offline -x,--exclude-task=name --tests=data --parallel --no-parallel --build-cache --no-build-cache --configuration-cache
	--no-configuration-cache --configuration-cache-problems=name --configure-on-demand --no-configure-on-demand --continue --no-continue
	--rerun-tasks --rerun --refresh-dependencies --refresh-keys --console=name --warning-mode=name -P,--project-prop=data
	-D,--system-prop=data -p,--project-dir=dir --project-cache-dir=write --max-workers=number --write-locks --update-locks=data
	-M,--write-verification-metadata=data -m,--dry-run --profile --status --stop -v,--version -V,--show-version -h,--help -a,--no-rebuild
	--all --no-scan --no-watch-fs --watch-fs --priority=name --dependency=data --configuration=name --fail-fast --test-dry-run
	--no-test-dry-run --group=name --task=name --args=data --types --isolated-projects --non-interactive --property=name --no-problems-report
	!-I,--init-script !-g,--gradle-user-home !--scan ~-b,--build-file ~-c,--settings-file ~--include-build ~-t,--continuous ~--gradle-version
	~--gradle-distribution-url `

var (
	// Gradle accepts abbreviated names of tasks, hump by hump.
	gradlePublish = regexp.MustCompile(`(?i)^(pu|up(l|d)|depl|relea|closeand|jib|dockerpush|bootbuildimage|login|artifactory|sonatype` +
		`|nexus|install(debug|release|dist)?$|wrapper|sonar|buildscan|signin|playpublish)`)
	gradleHumps = regexp.MustCompile(`^[a-z]{1,3}([A-Z][a-z]?)+$`)
	mvnPhase    = regexp.MustCompile(`^(validate|initialize|generate-(test-)?(sources|resources)|process-(test-)?(sources|resources` +
		`|classes)|compile|test-compile|test|prepare-package|package|pre-integration-test|integration-test|post-integration-test|verify` +
		`|install|pre-clean|clean|site)$`)
	mvnGoal = regexp.MustCompile(`^(dependency:(tree|list|resolve|resolve-plugins|go-offline|analyze|sources|build-classpath)` +
		`|(spotless|checkstyle|pmd|spotbugs|findbugs|license|enforcer|jacoco|surefire|failsafe|compiler|resources|javadoc|formatter|fmt` +
		`|sortpom|impsort|animal-sniffer|apache-rat|rat|detekt|ktlint|kotlin|antlr4|xml|cobertura|pitest|revapi|japicmp|source|war` +
		`|jar):[\w-]+|versions:display-[\w-]+|help:(effective-pom|describe|active-profiles|evaluate)|spring-boot:(run|test-run|repackage` +
		`|build-info)|quarkus:(test|build)|clean:clean)$`)
	javaProperty = regexp.MustCompile(`(?i)(jvm|javaagent|argline|exec\.|executable|\.ext\.|agent|repository|repo\.local|settings|script` +
		`|compilerarg|fork|java\.|javax\.|sun\.|jdk\.|user\.|gradle\.user|init|classpath|class\.path|library\.path|plugin|altdeploy|gpg` +
		`|debug$|bootstrap|logback|log4j|config(uration)?(file)?$)`)
)

// javaProperties judges -Dname=value: it asks about names that load code, change the tool chain or connect to other machines.
func javaProperties(options ...string) func(m *grammar.Match) {
	return func(m *grammar.Match) {
		eachOption(m, func(v string) {
			name, value, _ := strings.Cut(v, "=")
			if javaProperty.MatchString(name) && name != "file.encoding" && name != "java.awt.headless" && name != "user.timezone" &&
				name != "user.language" || grammar.LeadsOut(value) || strings.Contains(value, "://") || strings.HasPrefix(value, "-") {
				m.Ask(".property", "the property "+name+" may load code or reach out; put it into the project's own build files")
			}
		}, options...)
	}
}

func jvmPrograms() []grammar.Program {
	run, inspect, change := grammar.Run, grammar.Inspect, grammar.Change
	registry := []grammar.Need{grammar.NeedRegistry}
	maven := grammar.Spec{Class: run, Style: grammar.Single, Args: "data*", Why: whyPublish,
		Judge: judges(javaProperties("-D", "-D*", "-define"), mvnGoals),
		Opts: `-q,-quiet -B,-batch-mode -ntp,-no-transfer-progress -e,-errors -X,-debug -o,-offline -U,-update-snapshots -N,-non-recursive
			-pl,-projects=data -am,-also-make -amd,-also-make-dependents -T,-threads=data -T*=data -D=data -D*=data -define=data -P=data -P*=data
			-f,-file=code -ff,-fail-fast -fae,-fail-at-end -fn,-fail-never -rf,-resume-from=data -r,-resume -l,-log-file=write -v,-version
			-V,-show-version -C,-strict-checksums -c,-lax-checksums -nsu,-no-snapshot-updates -llr -npu -npr -h,-help -color=name -itr -sadp
			!-s,-settings !-gs,-global-settings !-t,-toolchains !-gt,-global-toolchains !-ps !-emp,-encrypt-master-password !-ep,-encrypt-password
			!-b,-builder `}
	return []grammar.Program{
		program(jvm, "gradle gradlew ./gradlew", grammar.Spec{Class: run, Opts: gradleOpts, Args: "data*", Why: whyPublish,
			Judge: judges(javaProperties("-D", "--system-prop", "-P", "--project-prop"), gradleTasks)}),
		program(jvm, "mvn mvnw ./mvnw mvnd", maven),
		program(jvm, "java", grammar.Spec{Class: run, Style: grammar.GoFlag, Args: "data*", Why: whyExec, Judge: judges(javaProperties("-D*"),
			javaMain),
			Opts: `-version -showversion -help -h -jar=code -cp,-classpath,-class-path=data -p,-module-path=data -m,-module=name -D*=data -Xmx*
				-Xms* -Xss* -Xshare:* -Xint -Xlog:gc -XX:+Use* -XX:-Use* -XX:MaxRAMPercentage=number -XX:TieredStopAtLevel=number
				-XX:MaxMetaspaceSize=number -XX:ActiveProcessorCount=number -XX:+ExitOnOutOfMemoryError -XX:+EnableDynamicAgentLoading -ea* -da* -esa
				-enableassertions* -server -client -verbose:* -enable-preview -source=name -add-opens=data -add-exports=data -add-reads=data
				-add-modules=data -list-modules -d -describe-module=name -dry-run -validate-modules -enable-native-access=data
				-sun-misc-unsafe-memory-access=name
				!-javaagent:* !-agentlib:* !-agentpath:* !-Xrun* !-Xbootclasspath* !-Xdebug !-upgrade-module-path !-patch-module`}),
		program(jvm, "javac", grammar.Spec{Class: run, Style: grammar.Single, Args: "read*", Why: whyExec, Judge: judges(noArgFiles, classPath),
			Opts: `-d=write -cp,-classpath,-class-path=data -sourcepath,-source-path=data -p,-module-path=data -module-source-path=data -Xlint*
				-Xdoclint* -Xmaxerrs=number -Xmaxwarns=number -Xdiags:* -Xpkginfo:* -g* -source=number -target=number -release=number -proc:* -s=write
				-h=write -encoding=name -parameters -nowarn -Werror -verbose -implicit:* -deprecation -version -help -enable-preview -add-modules=data
				-add-exports=data -A*=data ~-processor ~-processorpath ~-processor-path !-J* !-Xplugin* !-Xbootclasspath*`}),
		program(jvm, "kotlinc kotlin", grammar.Spec{Class: run, Style: grammar.Single, Args: "data*", Why: whyInline, Judge: judges(noArgFiles,
			classPath, javaMainKotlin),
			Opts: `-d=write -cp,-classpath=data -include-runtime -no-stdlib -no-reflect -no-jdk -jvm-target=name -language-version=name
				-api-version=name -module-name=name -nowarn -Werror -verbose -version -help -progressive -Xjvm-default=name -Xjsr305=name ~-script ~-e
				~-expression !-Xplugin* !-P !-J* !-kotlin-home !-jdk-home ~-script-templates`}),
		program(jvm, "groovy", grammar.Spec{Class: run, Style: grammar.Posix, Args: "code data*",
			Judge: func(m *grammar.Match) { scriptArgs(m, dropOperands(m, 1), false) },
			Opts:  "-v,--version -h,--help -d,--debug ~-e ~-p ~-i ~-n ~-l", Why: whyInline}),
		program(jvm, "jar", grammar.Spec{Class: inspect, Opts: "-t,--list -f,--file=read -v,--verbose --version -d,--describe-module",
			Subs: table(
				row{"tf tvf", grammar.Spec{Class: inspect, Args: "read name*"}},
				row{"cf cvf cfe cvfe cfm cvfm uf uvf", grammar.Spec{Class: change, Args: "write data*", Judge: func(m *grammar.Match) {
					for n, i := range m.Operands() {
						if n > 0 {
							m.Uses[i].Kind = grammar.Read
						}
					}
				}}},
				row{"xf xvf", grammar.Spec{Class: change, Args: "read name*",
					Judge: func(m *grammar.Match) { m.Use(grammar.Write, grammar.Lit("."), "extract") }}}), SubElse: &grammar.Spec{Class: inspect}}),
		program(jvm, "javap javadoc jdeps", grammar.Spec{Class: inspect, Style: grammar.Single, Args: "data*", Judge: judges(noArgFiles, readable,
			classPath), Why: whyExec,
			Opts: `-c -v -verbose -p -private -public -protected -l -s -constants -cp,-classpath,-class-path=data -d=write -sourcepath=data -quiet
				-Xdoclint* -subpackages=data -summary -recursive -R -package=data -version -help -encoding=name -tag=data !-J* !-doclet !-docletpath
				!-taglet !-tagletpath`}),
		program(jvm, "sbt ./sbt", grammar.Spec{Class: run, Args: "data*", Style: grammar.Single, Judge: sbtCommands, Why: whyExec,
			Opts: `-batch -no-colors -client -no-server -v,-verbose -version -help -warn -error -info -mem=number -timings -Dsbt.ci* -Dsbt.color*
				-Dsbt.supershell* !-J* !-java-home !-sbt-jar !-sbt-dir !-ivy !-D* !-S* !-jvm-debug`}),
		program(jvm, "mill ./mill", grammar.Spec{Class: run, Args: "data*", Judge: sbtCommands, Opts: `-i,--interactive -j,--jobs=data
			-k,--keep-going -s,--silent --no-server --ticker=name -v,--version ~-w,--watch ~-D,--define`, Why: whyWatch}),
		program(jvm, "lein", grammar.Spec{Class: run, Opts: "-o -v,--version -h,--help", Subs: table(
			row{"test check compile classpath jar uberjar clean javac pom show-profiles version help retest eastwood kibit cljfmt bikeshed test-out",
				grammar.Spec{Class: run, Args: "name*", Style: grammar.Bare}},
			row{"deps", grammar.Spec{Class: grammar.Install, Needs: registry, Args: "name*", Style: grammar.Bare}},
			row{"run", grammar.Spec{Class: run, Whole: func(m *grammar.Match) { scriptArgs(m, m.Words, true) }}},
			row{"with-profile", grammar.Spec{Class: run, Whole: func(m *grammar.Match) {
				if len(m.Words) < 2 {
					m.Ask(".operand", "lein with-profile misses the profile or the task")
					return
				}
				m.Use(grammar.Name, m.Words[0], "profile")
				command(m, "lein", m.Words[1:], "with-profile")
			}}},
			row{"deploy release install", denied(whyPublish)}, row{"repl eval new trampoline do update-in change upgrade", asked(whyInline)})}),
		program(jvm, "clojure clj", asked(whyInline)),
		program(jvm, "ant", grammar.Spec{Class: run, Style: grammar.Single, Args: "name*", Judge: judges(javaProperties("-D*"), noPublish),
			Why: whySettings,
			Opts: `-q,-quiet -v,-verbose -d,-debug -S,-silent -e,-emacs -p,-projecthelp -version -help,-h -f,-file,-buildfile=code -D*=data
				-k,-keep-going -noinput -diagnostics -l,-logfile=write !-lib !-logger !-listener !-inputhandler !-propertyfile !-main !-find`}),
		program(jvm, "ktlint ./ktlint", grammar.Spec{Class: inspect, Args: "read*", Judge: fixes("-F", "--format"), Why: whyExec,
			Opts: `-F,--format --color --color-name=name --reporter=name --relative --limit=number --editorconfig=read --baseline=write
				-l,--log-level=name --stdin --patterns-from-stdin -V,--version -h,--help --code-style=name --disabled_rules=data !-R,--ruleset`}),
		program(jvm, "detekt", grammar.Spec{Class: inspect, Opts: `-i,--input=read -c,--config=code -b,--baseline=write -r,--report=data
			--build-upon-default-config --parallel --auto-correct,-ac --all-rules --excludes=data --includes=data --jvm-target=name --version
			--help !-p,--plugins -ex=data`, Why: whyExec}),
		program(jvm, "google-java-format scalafmt", grammar.Spec{Class: inspect, Args: "read*", Judge: fixes("-i", "--replace"),
			Opts: `-i,--replace,-replace -n,--dry-run --set-exit-if-changed -a,--aosp --skip-sorting-imports --skip-removing-unused-imports --test
				--check --list --non-interactive -c,--config=code --quiet --version --lines=data`}),
		program(jvm, "checkstyle pmd spotbugs", grammar.Spec{Class: inspect, Args: "data*", Judge: readable, Opts: `-c,--config=code
			-f,--format=name -o,--output=write -d,--dir=read -R,--rulesets=data --no-cache --cache=write -textui -x,--exclude=data --version --help
			-e=data --minimum-priority=name`}),
		program(jvm, "jps jinfo jdb visualvm jconsole", asked(whyDebug)),
		program(jvm, "coursier cs jbang", asked(whyFetch)),
	}
}

func gradleTasks(m *grammar.Match) {
	for _, w := range dropOperands(m, 0) {
		t, ok := w.Text()
		task := t[strings.LastIndex(t, ":")+1:]
		if ok && (gradlePublish.MatchString(task) || gradleHumps.MatchString(task)) && task != "installDist" {
			m.Ask(".task", "the task "+t+" publishes, installs or is an abbreviation; write the full name of a task that builds or tests")
			continue
		}
		m.Use(grammar.Name, w, "task")
	}
}

func mvnGoals(m *grammar.Match) {
	for _, w := range dropOperands(m, 0) {
		t, ok := w.Text()
		switch {
		case ok && mvnPhase.MatchString(t):
		case ok && mvnGoal.MatchString(t):
			if strings.HasPrefix(t, "dependency:resolve") || t == "dependency:go-offline" || t == "dependency:sources" {
				m.Class = grammar.Install
				m.Needs = append(m.Needs, grammar.NeedRegistry)
			}
		case ok && (t == "deploy" || strings.HasPrefix(t, "deploy:") || strings.HasPrefix(t, "release:") || strings.Contains(t, ":deploy") ||
			t == "site-deploy"):
			m.Deny(".publish", whyPublish)
		default:
			m.Ask(".goal", w.String()+" is not among the phases and goals that may run unattended; bind it to a phase in pom.xml")
		}
	}
}

// noArgFiles refuses "@file", which contains more options.
func noArgFiles(m *grammar.Match) {
	for _, w := range m.Words {
		if strings.HasPrefix(w.Prefix(), "@") {
			m.Ask(".argfile", "options from a file can't be checked beforehand; write them out")
		}
	}
}

// classPath judges lists of paths from which classes are loaded.
func classPath(m *grammar.Match) {
	for _, o := range []string{"-cp", "-p", "-sourcepath", "-module-source-path", "-classpath", "-class-path", "--class-path", "-module-path",
		"--module-path", "-source-path"} {
		eachOption(m, func(v string) {
			for p := range strings.SplitSeq(v, ":") {
				if p != "" {
					m.Use(grammar.Code, grammar.Lit(strings.TrimSuffix(p, "*")), o)
				}
			}
		}, o)
	}
}

func javaMain(m *grammar.Match) {
	noArgFiles(m)
	classPath(m)
	args := dropOperands(m, 0)
	switch {
	case m.Has("-jar"), m.Has("-m"):
		scriptArgs(m, args, false)
	case len(args) == 0:
		m.Class = grammar.Inspect
		if !m.Has("-version", "-help", "-h", "-list-modules", "-showversion") {
			m.Ask(".operand", "java misses the class or the file to run")
		}
	default:
		t, ok := args[0].Text()
		if !ok || strings.HasSuffix(t, ".java") || strings.Contains(t, "/") {
			m.Use(grammar.Code, args[0], "class")
		} else {
			m.Use(grammar.Name, args[0], "class")
		}
		scriptArgs(m, args[1:], false)
	}
}

func javaMainKotlin(m *grammar.Match) {
	for _, w := range dropOperands(m, 0) {
		m.Use(grammar.Code, w, "file")
	}
}

var sbtPlain = regexp.MustCompile(`^([\w-]+/)*(Test/|IntegrationTest/|it:|test:)?(clean|compile|test|testQuick|package|assembly` +
	`|scalafmt\w*|scalafix\w*|fmt|fmtCheck|update|dependencyTree|dependencyUpdates|doc|run|coverage\w*|undeclaredCompileDependencies\w*` +
	`|unusedCompileDependencies\w*|mimaReportBinaryIssues|projects|headerCheck\w*|projects|about|reload|stage|scalastyle|__\.compile` +
	`|__\.test|_\.compile|_\.test|checkFormat|reformat|scalafmtCheckAll|(\w+\.)+(compile|test|checkFormat|reformat)|(testOnly|testQuick` +
	`|runMain|project) [\w.*" -]+)$`)

// sbtCommands judges commands of the build, and asks about those that change settings or run programs.
func sbtCommands(m *grammar.Match) {
	for i, w := range dropOperands(m, 0) {
		t, ok := w.Text()
		t = strings.TrimPrefix(strings.TrimSpace(t), "+")
		if ok && (sbtPlain.MatchString(t) || i > 0 && regexp.MustCompile(`^[\w.*-]+$`).MatchString(t) && strings.Contains(t, ".")) {
			continue
		}
		m.Ask(".command", w.String()+" is not among the commands of the build that may run unattended; use compile, test or testOnly")
	}
}

func noPublish(m *grammar.Match) {
	for _, i := range m.Operands() {
		if t := m.Uses[i].Word.String(); gradlePublish.MatchString(t) {
			m.Ask(".task", "the target "+t+" publishes or installs; "+whyPublish)
		}
	}
}
