package engine_test

import (
	"encoding/json"
)

func jsonInto(text string, v any) error { return json.Unmarshal([]byte(text), v) }
