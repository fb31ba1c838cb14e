package engine

import (
	"testing"
	"time"
)

func TestDefaultSchedule(t *testing.T) {
	var total time.Duration
	for _, step := range defaultSchedule() {
		total += step
	}
	if n := len(defaultSchedule()); n != 10 || total != 75*time.Hour+35*time.Minute+5*time.Second {
		t.Errorf("%d attempts over %v", n, total)
	}
}
