package devserver

import (
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	enumspb "go.temporal.io/api/enums/v1"
)

// flags are the raw values of "server start-dev". Names and shorthands are the official command line's,
// plus --retention and --ui-host.
type flags struct {
	ip, uiIP, uiPublicPath, uiAssetPath, uiCodecEndpoint string
	port, httpPort, metricsPort, uiPort                  int
	dbFilename                                           string
	namespaces, searchAttributes                         []string
	dynamicConfig, pragmas, uiHosts                      []string
	headless, uiDisableNewsFetch                         bool
	retention, logLevel, logFormat, color                string
}

func (f *flags) define(set *pflag.FlagSet) {
	set.SortFlags = false
	set.StringVar(&f.ip, "ip", loopback, "address to listen on")
	set.IntVarP(&f.port, "port", "p", defaultPort, "gRPC port; 0 takes a free one")
	set.IntVar(&f.httpPort, "http-port", 0, "HTTP API port; 0 takes a free one; without this flag there is none")
	set.IntVar(&f.metricsPort, "metrics-port", 0, "Prometheus metrics port; 0 takes a free one; without this flag there are none")
	set.StringVarP(&f.dbFilename, "db-filename", "f", "", "SQLite file to keep everything in; without it all is lost on exit")
	set.StringArrayVarP(&f.namespaces, "namespace", "n", nil, "namespace to create; repeatable; \"default\" always is")
	set.StringVar(&f.retention, "retention", "30d",
		"how long closed workflows stay readable, for example 72h or 30d; existing namespaces change only if given")
	set.StringArrayVar(&f.searchAttributes, "search-attribute", nil,
		"search attribute to register, Name=Type; repeatable; Text, Keyword, Int, Double, Bool, Datetime or KeywordList")
	set.StringArrayVar(&f.dynamicConfig, "dynamic-config-value", nil, "server setting, key=JSON; repeatable")
	set.StringArrayVar(&f.pragmas, "sqlite-pragma", nil, "SQLite pragma, name=value; repeatable")
	set.BoolVar(&f.headless, "headless", false, "no Temporal Web")
	set.IntVar(&f.uiPort, "ui-port", 0, "Temporal Web port; 0 is --port + 1000")
	set.StringVar(&f.uiIP, "ui-ip", "", "address Temporal Web listens on (default --ip)")
	set.StringArrayVar(&f.uiHosts, "ui-host", nil, "public name of Temporal Web, host or host:port, when a proxy leads to it; repeatable")
	set.StringVar(&f.uiPublicPath, "ui-public-path", "", "path prefix of Temporal Web")
	set.StringVar(&f.uiAssetPath, "ui-asset-path", "", "folder with other Temporal Web pages")
	set.StringVar(&f.uiCodecEndpoint, "ui-codec-endpoint", "", "URL of a codec server for Temporal Web")
	set.BoolVar(&f.uiDisableNewsFetch, "ui-disable-news-fetch", true, "accepted for compatibility; news are never fetched")
}

// defineGlobal adds the flags that may also stand before the command.
func (f *flags) defineGlobal(set *pflag.FlagSet) {
	set.StringVar(&f.logLevel, "log-level", "warn", "debug, info, warn, error or never")
	set.StringVar(&f.logFormat, "log-format", "text", "text or json")
	set.StringVar(&f.color, "color", "auto", "accepted for compatibility; output has no color")
}

// options checks every value. Nothing has been opened or started by then.
func (f *flags) options(set *pflag.FlagSet, stderr io.Writer) (Options, []string, error) {
	o := Options{
		IP: f.ip, Port: f.port, HTTP: set.Changed("http-port"), HTTPPort: f.httpPort, Metrics: set.Changed("metrics-port"),
		MetricsPort: f.metricsPort, Headless: f.headless, UIIP: f.uiIP, UIPort: f.uiPort, UIHosts: f.uiHosts,
		UIPublicPath: f.uiPublicPath, UIAssetPath: f.uiAssetPath, UICodecEndpoint: f.uiCodecEndpoint,
		DBFilename: f.dbFilename, Namespaces: f.namespaces,
	}
	var err error
	if o.Logger, err = f.logger(stderr); err != nil {
		return o, nil, err
	}
	if o.Retention, err = parseRetention(f.retention); err != nil {
		return o, nil, err
	}
	if !set.Changed("retention") {
		o.Retention = 0
	}
	if o.SearchAttributes, err = f.parseSearchAttributes(); err != nil {
		return o, nil, err
	}
	if o.Pragmas, err = pairs("--sqlite-pragma", "name=value", f.pragmas); err != nil {
		return o, nil, err
	}
	settings, err := pairs("--dynamic-config-value", "key=JSON", f.dynamicConfig)
	if err != nil {
		return o, nil, err
	}
	var warnings []string
	o.DynamicConfig, warnings, err = ParseDynamicConfig(settings)
	return o, warnings, err
}

func (f *flags) logger(stderr io.Writer) (*slog.Logger, error) {
	level := slog.Level(0)
	switch f.logLevel {
	case "debug", "info", "warn", "error":
		if err := level.UnmarshalText([]byte(f.logLevel)); err != nil {
			return nil, fmt.Errorf("--log-level %q: %w", f.logLevel, err)
		}
	case "never":
		return slog.New(slog.DiscardHandler), nil
	default:
		return nil, fmt.Errorf("--log-level %q: use debug, info, warn, error or never", f.logLevel)
	}
	options := &slog.HandlerOptions{Level: level}
	switch f.logFormat {
	case "text", "pretty": // older official servers call it pretty
		return slog.New(slog.NewTextHandler(stderr, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(stderr, options)), nil
	}
	return nil, fmt.Errorf("--log-format %q: use text or json", f.logFormat)
}

func (f *flags) parseSearchAttributes() (map[string]enumspb.IndexedValueType, error) {
	values, err := pairs("--search-attribute", "Name=Type", f.searchAttributes)
	if err != nil {
		return nil, err
	}
	attributes := make(map[string]enumspb.IndexedValueType, len(values))
	for name, kind := range values {
		if attributes[name], err = ParseSearchAttribute(name, kind); err != nil {
			return nil, err
		}
	}
	return attributes, nil
}

// pairs splits name=value arguments. A name given twice with different values is a mistake.
func pairs(flag, form string, arguments []string) (map[string]string, error) {
	values := make(map[string]string, len(arguments))
	for _, argument := range arguments {
		name, value, ok := strings.Cut(argument, "=")
		if !ok || name == "" || value == "" {
			return nil, fmt.Errorf("%s %q: must have the form %s", flag, argument, form)
		}
		if before, ok := values[name]; ok && before != value {
			return nil, fmt.Errorf("%s %q: %s was already given as %s", flag, argument, name, before)
		}
		values[name] = value
	}
	return values, nil
}

// parseRetention accepts Go durations and whole days: 72h, 30d.
func parseRetention(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil && n > 0 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < minRetention {
		return 0, fmt.Errorf("--retention %q: use at least 1h, for example 72h or 30d", text)
	}
	return d, nil
}
