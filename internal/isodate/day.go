package isodate

import "time"

// LastBefore returns the last millisecond in loc whose wall clock shows less
// than wall, a wall clock written in UTC. It goes back over the changes of
// loc's offset: time.Date does not promise which side it takes when wall is
// skipped or comes twice.
func LastBefore(wall time.Time, loc *time.Location) time.Time {
	t := wall.Add(maxShift).In(loc)
	var limit time.Time // where the offset looked at ends; zero for the first
	for {
		start, _ := t.ZoneBounds()
		end := onClock(wall, t)
		if !limit.IsZero() && limit.Before(end) {
			end = limit
		}
		last := end.Add(-time.Millisecond)
		if start.IsZero() || !last.Before(start) {
			return last.UTC()
		}
		limit, t = start, start.Add(-time.Nanosecond)
	}
}

// FirstFrom returns the first instant in loc whose wall clock shows wall or
// more. On the last day of a leap year after 2037 ZoneBounds has an end that is
// over, in zones with summer time (seen in Go 1.26): the offset goes on then.
func FirstFrom(wall time.Time, loc *time.Location) time.Time {
	t := wall.Add(-maxShift).In(loc)
	for {
		start, end := t.ZoneBounds()
		first := onClock(wall, t)
		if !start.IsZero() && first.Before(start) {
			first = start
		}
		if end.IsZero() || !end.After(t) || first.Before(end) {
			return first.UTC()
		}
		t = end
	}
}

// maxShift is more than any zone is away from UTC.
const maxShift = 48 * time.Hour

// onClock returns the instant at which a clock with the offset of t shows wall.
func onClock(wall, t time.Time) time.Time {
	_, offset := t.Zone()
	return wall.Add(-time.Duration(offset) * time.Second)
}
