package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// printed runs the program and returns its exit code and what it prints.
func printed(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// TestExamples: each export is imported, a dry run has the same report, and the
// second import creates nothing.
func TestExamples(t *testing.T) {
	code, out, errs := printed(t)
	if code != 0 || errs != "" {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	parts := strings.Split(out, "== ")[1:]
	if len(parts) != 9 || strings.Count(out, "the books hold\n") != 3 {
		t.Fatalf("%d parts:\n%s", len(parts), out)
	}
	for i := 0; i < len(parts); i += 3 {
		_, dry, _ := strings.Cut(parts[i], "\n")
		_, first, _ := strings.Cut(parts[i+1], "\n")
		if dry != first || !strings.HasPrefix(first, "created: affiliates 2 ") {
			t.Errorf("dry run:\n%s\nimport:\n%s", dry, first)
		}
		if _, again, _ := strings.Cut(parts[i+2], "\n"); !strings.HasPrefix(again, "created:\nexisting: affiliates ") {
			t.Errorf("again:\n%s", again)
		}
	}
}

// TestFolder: a folder is imported once, and a folder that cannot be is an error.
func TestFolder(t *testing.T) {
	if code, out, _ := printed(t, "-from", "dub", filepath.Join("testdata", "dub")); code != 3 || !strings.HasSuffix(out, "the books hold\n") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	mapping := func(text string) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "mapping.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	for name, c := range map[string]struct {
		code int
		text string
		args []string
	}{
		"no such folder":  {1, "no such file", []string{"absent"}},
		"no such service": {1, `the service is "awin"`, []string{"-from", "awin", "testdata"}},
		"no files":        {1, "the folder has none of the files", []string{"-from", "rewardful", t.TempDir()}},
		"no mapping":      {1, "mapping.json", []string{t.TempDir()}},
		"empty mapping":   {1, "lists no file", []string{mapping(`[]`)}},
		"two lists":       {1, "more than one list", []string{mapping(`[{"file": "x"}] []`)}},
		"unknown member":  {1, `unknown field "colums"`, []string{mapping(`[{"colums": {}}]`)}},
		"unknown kind":    {1, "orders", []string{mapping(`[{"file": "mapping.json", "kind": "orders"}]`)}},
		"two characters":  {1, "it must be one character", []string{mapping(`[{"comma": ";;"}]`)}},
		"unknown zone":    {1, "Berlyn", []string{mapping(`[{"zone": "Europe/Berlyn"}]`)}},
		"wrong sign":      {1, "Mapping.Decimal", []string{mapping(`[{"file": "mapping.json", "kind": "affiliates", "decimal": ";"}]`)}},
		"missing file":    {1, "sales.csv", []string{mapping(`[{"file": "sales.csv"}]`)}},
		"outside":         {1, "invalid argument", []string{mapping(`[{"file": "../sales.csv"}]`)}},
		"wrong currency":  {2, "currency", []string{"-currency", "EURO", "x"}},
		"wrong zone":      {2, "zone", []string{"-zone", "Berlyn", "x"}},
		"wrong slugs":     {2, "skip, rename or fail", []string{"-slugs", "drop", "x"}},
		"wrong discount":  {2, "discount", []string{"-discount", "a lot%", "x"}},
		"wrong program":   {2, "program", []string{"-program", "1", "x"}},
		"two folders":     {2, `unexpected argument "y"`, []string{"x", "y"}},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := printed(t, c.args...)
			if code != c.code || !strings.Contains(errs, c.text) {
				t.Errorf("exit code %d\n%s%s", code, out, errs)
			}
		})
	}
}

// TestFlags: what the flags say reaches the import.
func TestFlags(t *testing.T) {
	rewardful := filepath.Join("testdata", "rewardful")
	for _, c := range []struct{ flag, want string }{
		{"-discount=20%", "coupons 1"}, {"-discount=5.00", "coupons 1"}, {"-currency=EUR", "rejected USD: "}, {"-slugs=rename", "rejected: "},
	} {
		code, out, errs := printed(t, "-from", "rewardful", c.flag, rewardful)
		if code != 3 || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit code %d\n%s%s", c.flag, code, out, errs)
		}
	}
	if _, out, _ := printed(t, "-from", "rewardful", rewardful); strings.Contains(strings.SplitN(out, "\n", 2)[0], "coupons") {
		t.Errorf("coupons without -discount:\n%s", out)
	}
}
