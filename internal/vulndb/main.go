// Command vulndb makes a vulnerability database that govulncheck reads without a
// network, from the reports of a clone of golang/vulndb.
//
//	go run ./internal/vulndb -osv vulndb/data/osv -date 2026-08-21 -to /tmp/vulndb
//	VULNDB=/tmp/vulndb .ci/vulnerabilities
//
// The date is that of the newest commit of the clone. The reports do not have it.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	osv := flag.String("osv", "", "the folder of the reports, *.json in the OSV format")
	date := flag.String("date", "", "the date of the reports, as 2026-08-21")
	to := flag.String("to", "", "the folder that the database is written to")
	flag.Parse()
	n, err := run(*osv, *date, *to)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%d reports of %s\n", n, *date)
}

func run(osv, date, to string) (int, error) {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return 0, err
	}
	return build(osv, day, to)
}

// A report has the fields that the index is made from.
type report struct {
	ID       string           `json:"id"`
	Aliases  []string         `json:"aliases,omitempty"`
	Affected []affectedModule `json:"affected"`
}

type affectedModule struct {
	Package struct {
		Name string `json:"name"`
	} `json:"package"`
	Ranges []struct {
		Events []struct {
			Fixed string `json:"fixed"`
		} `json:"events"`
	} `json:"ranges"`
}

// fixed returns the last version that fixes a module, or the empty string.
func (a affectedModule) fixed() (version string) {
	for _, r := range a.Ranges {
		version = ""
		for _, e := range r.Events {
			version = cmp.Or(e.Fixed, version)
		}
	}
	return version
}

// A module is the row of a module in the index.
type module struct {
	Path  string  `json:"path"`
	Vulns []entry `json:"vulns"`
}

// An entry is a report in the row of a module, and one in the list of reports.
type entry struct {
	ID       string    `json:"id"`
	Modified time.Time `json:"modified"`
	Fixed    string    `json:"fixed,omitempty"`
	Aliases  []string  `json:"aliases,omitempty"`
}

// build writes the database and returns the number of its reports.
func build(osv string, date time.Time, to string) (int, error) {
	files, err := filepath.Glob(filepath.Join(osv, "*.json"))
	if err != nil || len(files) == 0 {
		return 0, errors.Join(err, fmt.Errorf("no reports in %q", osv))
	}
	for _, dir := range []string{"ID", "index"} {
		if err := os.MkdirAll(filepath.Join(to, dir), 0o755); err != nil {
			return 0, err
		}
	}
	modules := map[string]*module{}
	var vulns []entry
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		var r report
		if err := json.Unmarshal(raw, &r); err != nil {
			return 0, fmt.Errorf("%s: %w", file, err)
		}
		vulns = append(vulns, entry{ID: r.ID, Modified: date, Aliases: r.Aliases})
		for _, a := range r.Affected {
			m := modules[a.Package.Name]
			if m == nil {
				m = &module{Path: a.Package.Name}
				modules[m.Path] = m
			}
			m.Vulns = append(m.Vulns, entry{ID: r.ID, Modified: date, Fixed: a.fixed()})
		}
		if err := os.WriteFile(filepath.Join(to, "ID", filepath.Base(file)), raw, 0o644); err != nil {
			return 0, err
		}
	}
	rows := slices.SortedFunc(maps.Values(modules), func(a, b *module) int { return strings.Compare(a.Path, b.Path) })
	index := filepath.Join(to, "index")
	return len(vulns), errors.Join(
		store(filepath.Join(index, "db.json"), map[string]time.Time{"modified": date}),
		store(filepath.Join(index, "modules.json"), rows),
		store(filepath.Join(index, "vulns.json"), vulns))
}

func store(file string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(file, raw, 0o644)
}
