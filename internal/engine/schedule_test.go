package engine_test

import (
	"testing"
	"time"

	"github.com/tributary-go/tributary/internal/scene"
)

func TestDefaultSchedule(t *testing.T) {
	schedule := scene.New(t).Config().Schedule
	var total time.Duration
	for _, step := range schedule {
		total += step
	}
	if n := len(schedule); n != 10 || total != 75*time.Hour+35*time.Minute+5*time.Second {
		t.Errorf("%d attempts over %v", n, total)
	}
}
