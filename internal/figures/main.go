// Command figures prints how a package of this module is built: files, lines,
// exported types, the length and complexity of its functions, knots of
// declarations, and arrows from a noun's file to its operations.
//
//	go run ./internal/figures ./affiliate ./httpapi
//
// It does not count tests, and it does not fail for a bad figure.
package main

import (
	"fmt"
	"os"
)

func main() {
	folders := os.Args[1:]
	if len(folders) == 0 {
		folders = []string{"./affiliate"}
	}
	fmt.Println("| package | files | lines | exported types | functions | median | p95 | longest | complexity > 15 | largest knot | arrows | noun to operations |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, folder := range folders {
		pkg, err := read(folder)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		f := pkg.figures()
		fmt.Printf("| %s | %d | %d | %d | %d | %d | %d | %d (%s) | %d | %d | %d | %d |\n", folder, f.files, f.lines, f.types, f.functions,
			f.median, f.p95, f.longest.lines, f.longest.name, len(f.complex), len(f.knot), f.arrows, len(f.up))
		for _, c := range f.complex {
			fmt.Println("  complexity", c)
		}
		if len(f.knot) > 1 {
			fmt.Println("  knot", f.knot)
		}
		for _, u := range f.up {
			fmt.Println("  up", u)
		}
	}
}
