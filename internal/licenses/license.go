package main

import (
	"slices"
	"strings"
)

// The licences that a module may have.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"}

// A module under the Mozilla licence may be depended on, one by one.
const mpl = "MPL-2.0"

var mplModules = []string{"github.com/hashicorp/go-cleanhttp",
	"github.com/hashicorp/go-retryablehttp", "pgregory.net/rapid"}

// limiting are licences and conditions that take back what a text beside them grants:
// the first is Apache's only years later, and says so.
var limiting = []string{"Business Source License", "Commons Clause", "Elastic License",
	"Functional Source License", "Server Side Public License"}

// classify names the licences of a text by the sentences that grant the rights.
// The answer has "unknown" when there is no such sentence.
func classify(text string) (licenses []string) {
	text = strings.Join(strings.Fields(text), " ")
	has := func(s string) bool { return strings.Contains(text, s) }
	add := func(is bool, name string) {
		if is {
			licenses = append(licenses, name)
		}
	}
	add(has("Apache License") && has("Version 2.0"), "Apache-2.0")
	add(has("Mozilla Public License") && has("2.0"), mpl)
	add(has("Permission is hereby granted, free of charge, to any person obtaining a copy"), "MIT")
	add(has("Permission to use, copy, modify, and/or distribute this software for any purpose") ||
		has("Permission to use, copy, modify, and distribute this software for any purpose"), "ISC")
	bsd := has("Redistribution and use in source and binary forms")
	three := has("to endorse or promote products")
	add(bsd && three, "BSD-3-Clause")
	add(bsd && !three, "BSD-2-Clause")
	add(strings.HasPrefix(strings.TrimLeft(text, "# "), "GNU "), "GNU")
	for _, name := range limiting {
		add(has(name), name)
	}
	if len(licenses) == 0 {
		return []string{"unknown"}
	}
	return licenses
}

// refused lists the modules whose licences are not allowed.
func refused(found map[string]*dependency) (bad []string) {
	for path, d := range found {
		ok := len(d.licenses) > 0
		for _, name := range d.licenses {
			ok = ok && (slices.Contains(allowed, name) || name == mpl && slices.Contains(mplModules, path))
		}
		if !ok {
			bad = append(bad, path+" ("+strings.Join(d.licenses, " and ")+")")
		}
	}
	slices.Sort(bad)
	return bad
}
