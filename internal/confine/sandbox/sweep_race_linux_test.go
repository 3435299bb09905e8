package sandbox

import (
	"os"
	"sync"
	"testing"
)

// TestFoldersBesideSweeps starts workers that sweep while others create their folders.
func TestFoldersBesideSweeps(t *testing.T) {
	stop := make(chan struct{})
	var sweeps sync.WaitGroup
	for range 2 {
		sweeps.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					sweep()
				}
			}
		})
	}
	for range 300 {
		dir, lock, err := makeFolder()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir); err != nil {
			t.Error(err)
		}
		os.RemoveAll(dir)
		lock.Close()
	}
	close(stop)
	sweeps.Wait()
}
