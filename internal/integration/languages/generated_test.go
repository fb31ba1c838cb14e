package languages

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestGenerated: OpenAPI Generator makes clients of the document with amounts as strings, and
// programs that use them add up exactly, and get a refusal with its code.
func TestGenerated(t *testing.T) {
	jar := generator(t)
	for _, tt := range []struct {
		language
		generator, needs, program string
	}{
		{python, "python", "import certifi, dateutil, six, urllib3", "generated.py"},
		{ruby, "ruby", "require 'typhoeus'", "generated.rb"},
		{php, "php", "require 'GuzzleHttp/autoload.php'; exit(function_exists('bcadd') ? 0 : 1);", "generated.php"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			command, url := tt.command(t, tt.needs), serve(t, ada)
			dir := t.TempDir()
			document := filepath.Join(dir, "openapi.json")
			write(t, document, lowered(t, url))
			run(t, "java", "-jar", jar, "generate", "-i", document, "-g", tt.generator, "-o", dir,
				"--global-property", "apiTests=false,modelTests=false,apiDocs=false,modelDocs=false")
			if got := run(t, command, filepath.Join("testdata", tt.program), dir, url, key); got != salesPrint {
				t.Errorf("it prints %q, want %q", got, salesPrint)
			}
		})
	}
}

// generator returns the path of OpenAPI Generator, and skips the test where it cannot be had. It is
// the last version that npm has whole: later packages load the program from elsewhere when they
// run. TRIBUTARY_OPENAPI_GENERATOR names the jar of another one.
func generator(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("java"); err != nil {
		t.Skip("SKIPPED: ", err)
	}
	if jar := os.Getenv("TRIBUTARY_OPENAPI_GENERATOR"); jar != "" {
		return jar
	}
	dir := t.TempDir()
	text, err := os.ReadFile("testdata/generator/package.json")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "package.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	install := exec.CommandContext(t.Context(), "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: npm cannot install OpenAPI Generator: %v\n%s", err, out)
	}
	return filepath.Join(dir, "node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar")
}

// lowered returns the document with amounts as strings, in OpenAPI 3.0, which the generator reads:
// a type has no null beside it, and a field of two types has none. Bodies get names, so that their
// classes do.
func lowered(t *testing.T, url string) map[string]any {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/v1/openapi.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"Authorization": {"Bearer " + key}, "Amounts": {"string"}}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var document map[string]any
	if err := json.NewDecoder(answer.Body).Decode(&document); err != nil {
		t.Fatal(err)
	}
	document["openapi"] = "3.0.3"
	for _, methods := range document["paths"].(map[string]any) {
		for _, op := range methods.(map[string]any) {
			op := op.(map[string]any)
			id := op["operationId"].(string)
			if body, is := op["requestBody"].(map[string]any); is {
				schema := body["content"].(map[string]any)["application/json"].(map[string]any)["schema"].(map[string]any)
				schema["title"] = strings.ToUpper(id[:1]) + id[1:] + "Request"
			}
		}
	}
	return lower(document).(map[string]any)
}

func lower(node any) any {
	switch node := node.(type) {
	case []any:
		for i := range node {
			node[i] = lower(node[i])
		}
	case map[string]any:
		for name := range node {
			node[name] = lower(node[name])
		}
		lowerTypes(node)
		if _, is := node["pattern"].(string); is {
			delete(node, "pattern") // of Go and ECMAScript, which the generator does not take
		}
		if value, is := node["const"]; is {
			node["enum"] = []any{value}
			delete(node, "const")
		}
		delete(node, "identifier")
	}
	return node
}

// lowerTypes says null in the way of OpenAPI 3.0.
func lowerTypes(node map[string]any) {
	isNull := func(kind any) bool { return kind == "null" || kind == nil }
	if values, is := node["enum"].([]any); is {
		node["enum"] = slices.DeleteFunc(values, isNull)
	}
	if kinds, is := node["type"].([]any); is {
		node["nullable"] = slices.ContainsFunc(kinds, isNull)
		if kinds = slices.DeleteFunc(kinds, isNull); len(kinds) == 1 {
			node["type"] = kinds[0]
		} else {
			delete(node, "type")
		}
	}
	if node["type"] == "null" {
		delete(node, "type")
		node["nullable"] = true
	}
	if options, is := node["anyOf"].([]any); is && node["properties"] == nil { // two forms of a text
		node["type"] = options[0].(map[string]any)["type"]
	}
	delete(node, "anyOf") // or which members a body needs
	delete(node, "allOf")
	if options, is := node["oneOf"].([]any); is && len(options) == 2 {
		first, second := options[0].(map[string]any), options[1].(map[string]any)
		if ref := first["$ref"]; ref != nil && second["nullable"] == true {
			delete(node, "oneOf")
			node["$ref"] = ref
		}
	}
}
