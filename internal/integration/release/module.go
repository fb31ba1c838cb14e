package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// onlyTests is what the go.mod of a module says that nobody requires. Such a module
// has no releases.
const onlyTests = "This module only tests"

// A mod is a module of the repository that others may require.
type mod struct {
	dir  string // below the repository, with slashes; "." is the root
	file *modfile.File
}

func (m mod) path() string { return m.file.Module.Mod.Path }

// tag returns the name of the tag of a version: nested modules have their folder before it.
func (m mod) tag(version string) string {
	return path.Join(m.dir, version) // path.Join(".", v) is v
}

// modules returns the modules below a folder that have releases, each after those that
// it requires.
func modules(dir string) ([]mod, error) {
	var found []mod
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() == ".git" || entry.Name() == "testdata" || entry.Name() != "go.mod" {
			if entry != nil && entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "testdata") {
				return filepath.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil || strings.Contains(string(text), onlyTests) {
			return err
		}
		file, err := modfile.Parse(name, text, nil)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, filepath.Dir(name))
		found = append(found, mod{filepath.ToSlash(below), file})
		return err
	})
	if err != nil {
		return nil, err
	}
	return ordered(found)
}

// ordered sorts modules so that each comes after those of them that it requires.
func ordered(all []mod) (sorted []mod, err error) {
	done := map[string]bool{}
	ours := map[string]bool{}
	for _, m := range all {
		ours[m.path()] = true
	}
	for len(sorted) < len(all) {
		before := len(sorted)
		for _, m := range all {
			waits := slices.ContainsFunc(m.file.Require,
				func(r *modfile.Require) bool { return ours[r.Mod.Path] && !done[r.Mod.Path] })
			if !done[m.path()] && !waits {
				done[m.path()] = true
				sorted = append(sorted, m)
			}
		}
		if len(sorted) == before {
			return nil, fmt.Errorf("modules of this repository require each other in a circle")
		}
	}
	return sorted, nil
}

// publish writes the go.mod of a module as it is published: the modules of this
// repository are required at the version, and nothing is replaced.
func (m mod) publish(dir, version string, ours []mod) error {
	for _, o := range ours {
		for _, required := range m.file.Require {
			if required.Mod.Path != o.path() {
				continue
			}
			if err := m.file.AddRequire(o.path(), version); err != nil {
				return err
			}
		}
		if err := m.file.DropReplace(o.path(), ""); err != nil {
			return err
		}
	}
	m.file.Cleanup()
	if left := m.file.Replace; len(left) > 0 {
		return fmt.Errorf("the go.mod of %s replaces %s, which has no release", m.path(), left[0].Old.Path)
	}
	if len(m.file.Exclude) > 0 {
		return fmt.Errorf("the go.mod of %s excludes a version: go install refuses it", m.path())
	}
	text, err := m.file.Format()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, m.dir, "go.mod"), text, 0o644)
}

// newest is the heading of a section of the changelog that has a version.
var newest = regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\]`)

// versionOf reads the version from the newest section of a changelog.
func versionOf(changelog string) (string, error) {
	if strings.Contains(changelog, "## [Unreleased]") {
		return "", fmt.Errorf("CHANGELOG.md has a section without a version: the release would not be described")
	}
	found := newest.FindStringSubmatch(changelog)
	if found == nil {
		return "", fmt.Errorf("CHANGELOG.md has no section with a version")
	}
	return "v" + found[1], nil
}
