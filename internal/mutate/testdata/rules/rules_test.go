package rules

import "testing"

func TestReached(t *testing.T) {
	if Reached(0, 5) || Reached(2, 1) || !Reached(2, 2) || !Reached(1, 3) || Reached(-1, 3) {
		t.Error("Reached")
	}
}

func TestAny(t *testing.T) {
	if !Any(true, false, false) || Any(false, false, false) {
		t.Error("Any")
	}
}

func TestLeft(t *testing.T) {
	if Left(3, 1) != 2 || Left(1, 3) != 0 || Amount(1).Add(2) != 3 || Amount(3).Sub(2) != 1 {
		t.Error("Left")
	}
}

func TestChanged(t *testing.T) {
	if !Changed("a", "b", false) || Changed("a", "a", false) || !Changed("a", "a", true) || !Changed("a", "b", true) {
		t.Error("Changed")
	}
}

func TestCount(t *testing.T) {
	n := 0
	Count(&n)
}
