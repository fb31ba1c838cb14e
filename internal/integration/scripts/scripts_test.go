package scripts

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

var update = flag.Bool("update", false, "write the small script")

// TestClickScript: what is served is what people read, in fewer bytes.
func TestClickScript(t *testing.T) {
	const from, to = "../../../httpapi/click.js", "../../../httpapi/click.min.js"
	source, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	made := api.Transform("("+string(source)+")(GIVEN)", api.TransformOptions{
		Target: api.ES2022, MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
	})
	if len(made.Errors)+len(made.Warnings) > 0 {
		t.Fatalf("%v %v", made.Errors, made.Warnings)
	}
	small, called := strings.CutSuffix(string(made.Code), "(GIVEN);\n")
	if !called {
		t.Fatalf("the script is no function: %s", made.Code)
	}
	if *update {
		if err := os.WriteFile(to, []byte(small), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	served, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	if string(served) != small {
		t.Errorf("%s is not made of %s: run this test with -update", to, from)
	}
}
