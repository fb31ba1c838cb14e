package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestClassify: a licence is told by what it grants, a text without a grant is
// unknown, and two texts in one file are two licences.
func TestClassify(t *testing.T) {
	own, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	mit := "Permission is hereby granted, free of charge, to any person obtaining\na copy of this software"
	bsd := "Redistribution and use in source and binary forms, with or\n without modification, are permitted"
	for _, c := range []struct {
		name, text, want string
	}{
		{"ours", string(own), "Apache-2.0"},
		{"MIT", mit, "MIT"},
		{"two clauses", bsd, "BSD-2-Clause"},
		{"three clauses", bsd + " may be used to endorse or promote products derived from", "BSD-3-Clause"},
		{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee", "ISC"},
		{"Mozilla", "Mozilla Public License Version 2.0 ... GNU General Public License", "MPL-2.0"},
		{"GNU", "  GNU AFFERO GENERAL PUBLIC LICENSE Version 3", "GNU"},
		{"Apache's later", "Business Source License 1.1 ... Change License: Apache License, Version 2.0", "Apache-2.0 Business Source License"},
		{"Apache's with a condition", "\"Commons Clause\" License Condition v1.0 ... Apache License Version 2.0", "Apache-2.0 Commons Clause"},
		{"two", mit + "\n\nApache License, Version 2.0", "Apache-2.0 MIT"},
		{"none", "All rights reserved.", "unknown"},
	} {
		if got := strings.Join(classify(c.text), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestRefused: what is not allowed is named: a foreign licence, none, an allowed
// one beside another, and Mozilla's where it was not looked at.
func TestRefused(t *testing.T) {
	found := map[string]*dependency{
		"a.example/mit": {licenses: []string{"MIT"}}, "a.example/two": {licenses: []string{"GNU", "MIT"}}, "a.example/none": {},
		"a.example/mpl": {licenses: []string{mpl}}, mplModules[0]: {licenses: []string{mpl}},
	}
	want := []string{"a.example/mpl (MPL-2.0)", "a.example/none ()", "a.example/two (GNU and MIT)"}
	if got := refused(found); !slices.Equal(got, want) {
		t.Errorf("refused %q, want %q", got, want)
	}
}

// TestRead: the licence files at the top of a module are read, whatever their
// ending, and nothing else.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"LICENSE.txt": "Permission is hereby granted, free of charge, to any person obtaining a copy", "README.md": "GNU ", "LICENSE-LOGO": "where the logo is from", "license.go": "Apache License Version 2.0",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := read(dir)
	if err != nil || !slices.Equal(got, []string{"MIT"}) {
		t.Errorf("licences %q, error %v", got, err)
	}
}

// TestModules: the nested modules are found, and those of testdata are not ours.
func TestModules(t *testing.T) {
	got, err := modules("../..")
	if err != nil || got[0] != "../.." || !slices.Contains(got, "../../pgstore") || !slices.Contains(got, "../../internal/integration") {
		t.Errorf("modules %q, error %v", got, err)
	}
}

// TestPlaces: the root is named.
func TestPlaces(t *testing.T) {
	for want, folders := range map[string][]string{"": nil, "the root, pay": {".", "pay"}, "pgstore": {"pgstore"}} {
		if got := places(folders); got != want {
			t.Errorf("%q is shown as %q, want %q", folders, got, want)
		}
	}
}
