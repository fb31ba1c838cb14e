package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// serve writes the files of a module into a proxy, from the commit at the head of a
// repository, and returns the lines of go.sum about it.
func serve(proxy, repository string, m mod, version string) (sums string, err error) {
	escaped, err := module.EscapePath(m.path())
	if err != nil {
		return "", err
	}
	dir := filepath.Join(proxy, escaped, "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(repository, m.dir, "go.mod"))
	if err != nil {
		return "", err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{version, time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return "", err
	}
	for name, content := range map[string][]byte{"list": []byte(version + "\n"),
		version + ".info": info, version + ".mod": text} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return "", err
		}
	}
	archive := filepath.Join(dir, version+".zip")
	if err := pack(archive, repository, m, version); err != nil {
		return "", err
	}
	whole, err := dirhash.HashZip(archive, dirhash.Hash1)
	if err != nil {
		return "", err
	}
	file, err := goModSum(text)
	return fmt.Sprintf("%[1]s %[2]s %[3]s\n%[1]s %[2]s/go.mod %[4]s\n", m.path(), version, whole, file), err
}

// pack writes the archive of a module as the go command makes it from a tag: without
// nested modules, and with the licence of the repository.
func pack(archive, repository string, m mod, version string) error {
	file, err := os.Create(archive)
	if err != nil {
		return err
	}
	subdir := m.dir
	if subdir == "." {
		subdir = ""
	}
	if err := zip.CreateFromVCS(file, module.Version{Path: m.path(), Version: version}, repository, "HEAD", subdir); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}

// goModSum returns the sum of a go.mod, as go.sum has it.
func goModSum(text []byte) (string, error) {
	return dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(text)), nil
	})
}
