package transcript

import (
	"errors"
	"fmt"
	"io/fs"
)

// Head returns the name of the last entry of the conversation, as far as it has come. Of an ask that has ended, its result says it. While
// one runs, only the workflow of the session knows. But the ask has begun with a conversation, and the result of each act is kept, under the
// entry that it goes on with, before the workflow learns of it; an attempt that comes again gets the same. So the workflow is nowhere but
// where kept acts lead to, and what an attempt that was cut off has added beside is the result of none.
func (f Folder) Head() (string, error) {
	a, err := f.About()
	if err != nil {
		return "", err
	}
	var ended struct {
		Head string `json:"head"`
	}
	if err := readFile(f.Result(a.Ask), &ended); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if ended.Head != "" {
		return ended.Head, nil
	}
	return f.follow(a.Begun)
}

// follow returns where kept acts lead to from an entry. An answer without any content adds none, so its act leads nowhere.
func (f Folder) follow(name string) (string, error) {
	for seen := map[string]bool{}; !seen[name]; {
		seen[name] = true
		for _, kind := range []string{Ask, Run} {
			var kept struct {
				Result struct {
					Head string `json:"head"`
				} `json:"result"`
			}
			if err := readFile(f.Act(name, kind), &kept); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", fmt.Errorf("follow the conversation: %w", err)
			}
			if kept.Result.Head != "" {
				name = kept.Result.Head
				break
			}
		}
	}
	return name, nil
}
