package generic

import _ "embed"

//go:embed schema.json
var schema string

// Schema returns the JSON Schema (2020-12) of reports, for a backend that checks or makes its
// reports by one. What it refuses the endpoint refuses, except that there null and an empty
// text are a field that is not given. A report that it takes can be refused for what no
// schema says, such as a tax above the amount.
func Schema() string { return schema }
