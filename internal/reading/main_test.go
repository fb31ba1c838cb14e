package reading_test

import (
	"testing"

	"github.com/tributary-go/tributary/internal/atlength"
)

func TestMain(m *testing.M) { atlength.Main(m) }
