package affiliate_test

import "encoding/json"

// jsonOf is v on the wire.
func jsonOf(v any) string { return string(must(json.Marshal(v))) }
