package app

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tributary-go/tributary/httpapi"
)

// readKeys reads the keys of a file. It warns when other people on this machine
// can read the file too.
func readKeys(path string, warn io.Writer) ([]httpapi.Key, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		fmt.Fprintf(warn, "server: %s has mode %03o: others on this machine may read the keys; chmod 600 it\n", path, mode)
	}
	keys, err := parseKeys(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return keys, nil
}

// parseKeys reads one key from each line: its name, its scope, and its secret or
// its hash as httpapi.Key has it. Empty lines and lines that begin with # are
// comments. No error shows a secret.
func parseKeys(r io.Reader) (keys []httpapi.Key, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) != 3 {
			return nil, fmt.Errorf("line %d has %d words, want NAME SCOPE SECRET", n, len(words))
		}
		key := httpapi.Key{Name: words[0], Scope: httpapi.Scope(words[1])}
		if strings.HasPrefix(words[2], "sha256:") {
			key.Hash = words[2]
		} else {
			key.Secret = words[2]
		}
		keys = append(keys, key)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("no key")
	}
	return keys, nil
}
