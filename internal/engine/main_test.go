package engine_test

import (
	"os"
	"testing"

	"github.com/tributary-go/tributary/internal/atlength"
)

func TestMain(m *testing.M) {
	atlength.Checks()
	os.Exit(m.Run())
}
