package policy

import (
	"sort"
	"testing"
	"time"
)

// BenchmarkCorpus judges all commands of both corpora; it reports the median and the 99th percentile of a decision.
func BenchmarkCorpus(b *testing.B) { benchmarkCorpus(b, openConfig()) }

// BenchmarkCorpusBoxed is BenchmarkCorpus in the sandbox, where inline code is searched as well.
func BenchmarkCorpusBoxed(b *testing.B) { benchmarkCorpus(b, boxedConfig(knownProfiles)) }

func benchmarkCorpus(b *testing.B, c Config) {
	p := newPolicy(b, c)
	rows := append(corpus(b, "policy-benign.jsonl"), corpus(b, "policy-bypass.jsonl")...)
	for _, name := range []string{"policy-daily.jsonl", "boxed-ordinary.jsonl"} {
		for _, r := range placedRows(b, name) {
			rows = append(rows, row{Command: r.Command})
		}
	}
	took := make([]time.Duration, 0, b.N*len(rows))
	b.ResetTimer()
	for range b.N {
		for _, r := range rows {
			start := time.Now()
			decide(p, r.Command)
			took = append(took, time.Since(start))
		}
	}
	b.StopTimer()
	sort.Slice(took, func(i, j int) bool { return took[i] < took[j] })
	b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
	b.ReportMetric(float64(took[len(took)*99/100]), "p99-ns")
	b.ReportMetric(float64(took[len(took)-1]), "max-ns")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(len(took)), "ns/decision")
}
