package paging

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/tributary-go/tributary/pay/adapter"
)

// TestNext: what never ends is refused, also when each page is another one; what ends is not.
func TestNext(t *testing.T) {
	of := func(n int) []json.RawMessage {
		return []json.RawMessage{json.RawMessage(fmt.Sprint(n)), json.RawMessage("0")}
	}
	var pages Pages
	for n := range most {
		if err := pages.Next("/a", of(n), true); err != nil {
			t.Fatal(n, err)
		}
	}
	if err := pages.Next("/a", of(most), true); !errors.Is(err, adapter.ErrAnswer) {
		t.Error(err)
	}
	for name, row := range map[string]struct {
		page    []json.RawMessage
		more    bool
		refused bool
	}{"again": {of(1), true, true}, "none": {nil, false, true}, "empty": {of(1)[:0], false, false}, "empty and more": {of(1)[:0], true, true}, "another": {of(2), false, false}} {
		var pages Pages
		if err := pages.Next("/a", of(1), true); err != nil {
			t.Fatal(err)
		}
		if err := pages.Next("/a", row.page, row.more); errors.Is(err, adapter.ErrAnswer) != row.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}
