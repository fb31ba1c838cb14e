package affiliate_test

import (
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // so that the zones exist on every machine

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
)

var clock = time.Date(2026, 3, 11, 9, 24, 18, 442_999_999, time.UTC)

func TestTime(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   time.Time
		want string
	}{
		{"CutToMillisecond", clock, "2026-03-11T09:24:18.442Z"},
		{"ThreeDigits", clock.Truncate(time.Second), "2026-03-11T09:24:18.000Z"},
		{"Zone", clock.In(time.FixedZone("", -5*3600)), "2026-03-11T09:24:18.442Z"},
		{"YearOne", time.Time{}, "0001-01-01T00:00:00.000Z"},
		{"Year9999", time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), "9999-12-31T23:59:59.999Z"},
		{"MonotonicClock", time.Now(), time.Now().UTC().Format("2006")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := affiliate.TimeOf(tt.in)
			b, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			if s := v.String(); !strings.HasPrefix(s, tt.want) || string(b) != `"`+s+`"` {
				t.Errorf("%s and %s, want %s", s, b, tt.want)
			}
			var back affiliate.Time
			if err := json.Unmarshal(b, &back); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(v, back); diff != "" || back != v {
				t.Errorf("read back %v %s", back, diff)
			}
			if got := v.Time(); got.Location() != time.UTC || !got.Equal(tt.in.Truncate(time.Millisecond)) {
				t.Errorf("Time() = %v", got)
			}
		})
	}
	if !(affiliate.Time{}).IsZero() || affiliate.TimeOf(clock).IsZero() || affiliate.TimeOf(clock).Equal(affiliate.Time{}) {
		t.Error("IsZero or Equal mixes up the zero Time and another")
	}
	for _, year := range []int{0, 10_000} {
		if _, err := json.Marshal(affiliate.TimeOf(time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC))); !errors.Is(err, affiliate.ErrDate) {
			t.Errorf("year %d: %v, want ErrDate", year, err)
		}
	}
}

func TestTimeUnmarshal(t *testing.T) {
	for _, tt := range []struct {
		name, json, want string
		err              error
	}{
		{"Offset", `"2026-03-11T11:24:18.4429+02:00"`, "2026-03-11T09:24:18.442Z", nil},
		{"Null", `null`, "2026-03-11T09:24:18.442Z", nil},
		{"Plain", `"2026-03-11"`, "", affiliate.ErrDate},
		{"NoZone", `"2026-03-11T11:24:18"`, "", affiliate.ErrDate},
		{"Number", `1795132800`, "", affiliate.ErrDate},
		{"Empty", `""`, "", affiliate.ErrDate},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := affiliate.TimeOf(clock)
			if err := json.Unmarshal([]byte(tt.json), &got); !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if tt.want != "" && got.String() != tt.want {
				t.Errorf("%v, want %s", got, tt.want)
			}
		})
	}
}

func TestParseDate(t *testing.T) {
	for _, tt := range []struct {
		name, in, want string // want as String writes it; "" is ErrDate
	}{
		{"Plain", "2026-03-11", "2026-03-11"},
		{"PlainLeapDay", "2024-02-29", "2024-02-29"},
		{"PlainFirst", "0001-01-01", "0001-01-01"},
		{"PlainLast", "9999-12-31", "9999-12-31"},
		{"UTC", "2026-03-11T09:24:18Z", "2026-03-11T09:24:18Z"},
		{"Milliseconds", "2026-03-11T09:24:18.442Z", "2026-03-11T09:24:18.442Z"},
		{"OneDigit", "2026-03-11T09:24:18.5Z", "2026-03-11T09:24:18.5Z"},
		{"CutToMicrosecond", "2026-03-11T09:24:18.442999999Z", "2026-03-11T09:24:18.442999Z"},
		{"East", "2026-03-11T01:24:18+02:00", "2026-03-10T23:24:18Z"},
		{"West", "2026-12-31T23:59:59-23:59", "2027-01-01T23:58:59Z"},
		{"MinusZero", "2026-03-11T09:24:18-00:00", "2026-03-11T09:24:18Z"},
		{"First", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
		{"Last", "9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999Z"},

		{"Empty", "", ""},
		{"Word", "tomorrow", ""},
		{"LongWord", "the day after tomorrow", ""},
		{"Unix", "1795132800", ""},
		{"NoLeapDay", "2026-02-29", ""},
		{"CenturyNoLeapDay", "1900-02-29", ""},
		{"Month13", "2026-13-01", ""},
		{"Month0", "2026-00-10", ""},
		{"Day0", "2026-01-00", ""},
		{"Day31", "2026-04-31", ""},
		{"Day32", "2026-01-32", ""},
		{"OneDigitDate", "2026-1-2", ""},
		{"Basic", "20261120", ""},
		{"Week", "2026-W47-5", ""},
		{"Ordinal", "2026-324", ""},
		{"SpaceBefore", " 2026-11-20", ""},
		{"SpaceAfter", "2026-11-20 ", ""},
		{"Slashes", "2026/11/20", ""},
		{"FirstHyphen", "2026/11-20", ""},
		{"SecondHyphen", "2026-11/20", ""},
		{"NoZone", "2026-11-20T10:00:00", ""},
		{"NoSeconds", "2026-11-20T10:00Z", ""},
		{"Space", "2026-11-20 10:00:00Z", ""},
		{"LowerT", "2026-11-20t10:00:00Z", ""},
		{"LowerZ", "2026-11-20T10:00:00z", ""},
		{"OneDigitHour", "2026-11-20T1:00:00Z", ""},
		{"Comma", "2026-11-20T10:00:00,5Z", ""},
		{"NoFraction", "2026-11-20T10:00:00.Z", ""},
		{"TenDigits", "2026-11-20T10:00:00.1234567890Z", ""},
		{"LeapSecond", "2026-11-20T23:59:60Z", ""},
		{"Hour24", "2026-11-20T24:00:00Z", ""},
		{"Minute60", "2026-11-20T10:60:00Z", ""},
		{"FirstColon", "2026-11-20T10-00:00Z", ""},
		{"SecondColon", "2026-11-20T10:00-00Z", ""},
		{"Offset24", "2026-11-20T10:00:00+24:00", ""},
		{"OffsetMinute60", "2026-11-20T10:00:00+01:60", ""},
		{"OffsetShort", "2026-11-20T10:00:00+0100", ""},
		{"OffsetHours", "2026-11-20T10:00:00+01", ""},
		{"OffsetSign", "2026-11-20T10:00:00 01:00", ""},
		{"OffsetColon", "2026-11-20T10:00:00+01-00", ""},
		{"OffsetLetters", "2026-11-20T10:00:00+aa:00", ""},
		{"Trailing", "2026-11-20T10:00:00Zx", ""},
		{"Year0", "0000-01-01", ""},
		{"Year0Leap", "0000-02-29", ""},
		{"Year10000", "10000-01-01", ""},
		{"NegativeYear", "-001-01-01", ""},
		{"Year0InUTC", "0001-01-01T00:00:00+00:01", ""},
		{"Year10000InUTC", "9999-12-31T23:59:59-00:01", ""},
		{"WideDigits", "２０２６-11-20", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := affiliate.ParseDate(tt.in)
			if tt.want == "" {
				if !errors.Is(err, affiliate.ErrDate) || !d.IsZero() {
					t.Errorf("%v, %v, want ErrDate", d, err)
				}
				return
			}
			if err != nil || d.String() != tt.want {
				t.Errorf("%v, %v, want %s", d, err, tt.want)
			}
		})
	}
}

func TestDateJSON(t *testing.T) {
	for _, tt := range []struct {
		name, json string
		want       affiliate.Date
		err        error
	}{
		{"Plain", `"2026-03-11"`, affiliate.Day(2026, time.March, 11), nil},
		{"Instant", `"2026-03-11T09:24:18.442999Z"`, affiliate.At(clock), nil},
		{"Null", `null`, affiliate.Date{}, nil},
		{"Number", `20260311`, affiliate.Date{}, affiliate.ErrDate},
		{"Bad", `"2026-3-11"`, affiliate.Date{}, affiliate.ErrDate},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got affiliate.Date
			if err := json.Unmarshal([]byte(tt.json), &got); !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if got.IsZero() {
				return
			}
			b, err := json.Marshal(got)
			if err != nil || string(b) != tt.json {
				t.Errorf("%s, %v, want %s", b, err, tt.json)
			}
		})
	}
	for _, d := range []affiliate.Date{affiliate.Day(0, 12, 31), affiliate.Day(10_000, 1, 1), affiliate.At(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC))} {
		if _, err := json.Marshal(d); !errors.Is(err, affiliate.ErrDate) {
			t.Errorf("%v: %v, want ErrDate", d, err)
		}
	}
}

func TestDateEqual(t *testing.T) {
	midnight := time.Date(2026, 3, 11, 0, 0, 0, 0, time.UTC)
	day := affiliate.Day(2026, 3, 11)
	for _, tt := range []struct {
		name string
		a, b affiliate.Date
		want bool
	}{
		{"SameDay", day, affiliate.Day(2026, 2, 39), true},
		{"OtherDay", day, affiliate.Day(2026, 3, 12), false},
		{"SameInstant", affiliate.At(midnight), affiliate.At(midnight.In(time.FixedZone("", 3600))), true},
		{"SameMicrosecond", affiliate.At(midnight), affiliate.At(midnight.Add(999)), true},
		{"OtherInstant", affiliate.At(midnight), affiliate.At(midnight.Add(time.Microsecond)), false},
		{"DayAndInstant", day, affiliate.At(midnight), false},
		{"DayOneIsNotZero", affiliate.Day(1, 1, 1), affiliate.Date{}, false},
		{"Zero", affiliate.At(time.Time{}), affiliate.Date{}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.a.Equal(tt.b); got != tt.want {
				t.Errorf("Equal = %v, want %v", got, tt.want)
			}
		})
	}
	if !(affiliate.Date{}).IsZero() || affiliate.Day(1, 1, 1).IsZero() || affiliate.At(midnight).IsZero() {
		t.Error("IsZero")
	}
}

func TestDateInstants(t *testing.T) {
	for _, tt := range []struct {
		name, date, zone, first, last string
	}{
		{"UTC", "2026-03-11", "UTC", "2026-03-11T00:00:00Z", "2026-03-11T23:59:59.999Z"},
		{"Hours23", "2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59.999Z"},
		{"Hours25", "2026-10-25", "Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T22:59:59.999Z"},
		{"NextMidnightMissing", "2018-11-03", "America/Sao_Paulo", "2018-11-03T03:00:00Z", "2018-11-04T02:59:59.999Z"},
		{"OwnMidnightMissing", "2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00Z", "2018-11-05T01:59:59.999Z"},
		{"LastHourTwice", "2018-02-17", "America/Sao_Paulo", "2018-02-17T02:00:00Z", "2018-02-18T02:59:59.999Z"},
		{"MidnightTwice", "2006-10-28", "America/St_Johns", "2006-10-28T02:30:00Z", "2006-10-29T03:29:59.999Z"},
		{"OwnMidnightTwice", "2006-10-29", "America/St_Johns", "2006-10-29T02:30:00Z", "2006-10-30T03:29:59.999Z"},
		{"BeforeSkippedDay", "2011-12-29", "Pacific/Apia", "2011-12-29T10:00:00Z", "2011-12-30T09:59:59.999Z"},
		{"SkippedDay", "2011-12-30", "Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-30T09:59:59.999Z"},
		{"AfterSkippedDay", "2011-12-31", "Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-31T09:59:59.999Z"},
		{"East", "2026-06-01", "Pacific/Kiritimati", "2026-05-31T10:00:00Z", "2026-06-01T09:59:59.999Z"},
		{"LastDayWest", "9999-12-31", "America/New_York", "9999-12-31T05:00:00Z", "9999-12-31T23:59:59.999Z"},
		{"FirstDayEast", "0001-01-01", "Asia/Tokyo", "0001-01-01T00:00:00Z", "0001-01-01T14:41:00.999Z"},
		{"Instant", "2026-03-11T09:24:18.442Z", "Asia/Tokyo", "2026-03-11T09:24:18.442Z", "2026-03-11T09:24:18.442Z"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := affiliate.ParseDate(tt.date)
			if err != nil {
				t.Fatal(err)
			}
			loc, err := time.LoadLocation(tt.zone)
			if err != nil {
				t.Fatal(err)
			}
			first, last := d.FirstInstant(loc), d.Instant(loc)
			got := []string{first.Format(time.RFC3339Nano), last.Format(time.RFC3339Nano)}
			if diff := cmp.Diff([]string{tt.first, tt.last}, got); diff != "" {
				t.Error(diff)
			}
			if first.Location() != time.UTC || last.Location() != time.UTC {
				t.Errorf("not in UTC: %v, %v", first, last)
			}
		})
	}
}

// TestDateInstantsEqualSlow compares every zone below, over its real changes,
// with a walk in steps of a minute.
func TestDateInstantsEqualSlow(t *testing.T) {
	var zones []*time.Location
	for _, name := range []string{
		"UTC", "Europe/Berlin", "America/Sao_Paulo", "America/St_Johns", "Pacific/Apia", "Africa/Cairo",
		"Asia/Kathmandu", "Australia/Lord_Howe", "America/Havana", "Asia/Beirut", "Antarctica/Troll",
	} {
		loc, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		zones = append(zones, loc)
	}
	zones = append(zones, time.FixedZone("", 14*3600), time.FixedZone("", -(23*3600+59*60)))

	rapid.Check(t, func(t *rapid.T) {
		loc := rapid.SampledFrom(zones).Draw(t, "zone")
		wall := time.Date(1987, 1, rapid.IntRange(1, 60*365).Draw(t, "day"), 0, 0, 0, 0, time.UTC)
		if rapid.Bool().Draw(t, "nearChange") {
			_, change := wall.In(loc).ZoneBounds()
			if !change.IsZero() {
				y, m, d := change.In(loc).Date()
				wall = time.Date(y, m, d+rapid.IntRange(-1, 1).Draw(t, "off"), 0, 0, 0, 0, time.UTC)
			}
		}
		d := affiliate.Day(wall.Date())
		first, last := slowInstants(wall, loc)
		if diff := cmp.Diff([]time.Time{first, last}, []time.Time{d.FirstInstant(loc), d.Instant(loc)}); diff != "" {
			t.Fatal(d, diff)
		}
	})
}

// The end of a leap year after 2037, where the standard library's bounds of zones
// with summer time are wrong.
func TestDateInstantsAtTheEndOfLeapYears(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "America/Havana", "America/St_Johns", "Asia/Beirut", "Antarctica/Troll", "Australia/Lord_Howe"} {
		loc, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for year := 2036; year < 2100; year += 4 {
			for day := -4; day < 4; day++ {
				wall := time.Date(year+1, 1, 1+day, 0, 0, 0, 0, time.UTC)
				d := affiliate.Day(wall.Date())
				first, last := slowInstants(wall, loc)
				if diff := cmp.Diff([]time.Time{first, last}, []time.Time{d.FirstInstant(loc), d.Instant(loc)}); diff != "" {
					t.Error(name, d, diff)
				}
			}
		}
	}
}

// slowInstants finds the first minute on the day or later, and the end of the
// day.
func slowInstants(day time.Time, loc *time.Location) (first, last time.Time) {
	number := func(t time.Time) int {
		y, m, d := t.In(loc).Date()
		return y*10_000 + int(m)*100 + d
	}
	want := number(time.Date(day.Year(), day.Month(), day.Day(), 12, 0, 0, 0, loc))
	if y, m, d := day.Date(); want != y*10_000+int(m)*100+d { // a skipped day
		want = y*10_000 + int(m)*100 + d
	}
	for t := day.Add(-36 * time.Hour); t.Before(day.Add(72 * time.Hour)); t = t.Add(time.Minute) {
		if number(t) >= want && first.IsZero() {
			first = t
		}
		if number(t) <= want {
			last = t.Add(time.Minute - time.Millisecond)
		}
	}
	return first, last
}

func TestDateRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(-62135596800, 253402300799).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns"))
		want := affiliate.At(at)
		if rapid.Bool().Draw(t, "plain") {
			want = affiliate.Day(at.UTC().Date())
		}
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got affiliate.Date
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestTimeAllocations(t *testing.T) {
	now := affiliate.TimeOf(clock)
	buf := make([]byte, 0, 64)
	for name, call := range map[string]func(){
		"AppendJSON": func() { buf = now.AppendJSON(buf[:0]) },
		"ParseDate":  func() { _, _ = affiliate.ParseDate("2026-03-11T09:24:18.442Z") },
	} {
		t.Run(name, func(t *testing.T) {
			if got := testing.AllocsPerRun(100, call); got != 0 {
				t.Errorf("%v allocations, want 0", got)
			}
		})
	}
}

var (
	plainShape   = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	instantShape = regexp.MustCompile(`^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)
)

// slowDate is ParseDate by regular expressions and package time.
func slowDate(s string) (affiliate.Date, bool) {
	if plainShape.MatchString(s) {
		t, err := time.Parse("2006-01-02", s)
		return affiliate.Day(t.Date()), err == nil && t.Year() > 0
	}
	if !instantShape.MatchString(s) {
		return affiliate.Date{}, false
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	year := t.UTC().Year()
	return affiliate.At(t), err == nil && 1 <= year && year <= 9999
}

func FuzzDate(f *testing.F) {
	for _, s := range []string{
		"2026-03-11", "2026-03-11T09:24:18.442Z", "2026-02-29", "0000-01-01", "0000-02-29", "9999-12-31T23:59:59-00:01",
		"2026-11-20T10:00:00+24:00", "2026-11-20T10:00:00,5Z", "2026-11-20T1:00:00Z", "2026-11-20T23:59:60Z",
		"2026-11-20T10:00:00.123456789+05:45", "0001-01-01T00:00:00-23:59", "2026-11-20T10:00:00.Z", "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := affiliate.ParseDate(s)
		want, ok := slowDate(s)
		if ok != (err == nil) {
			t.Fatalf("ParseDate(%q) = %v, the reference says %v", s, err, ok)
		}
		if err != nil {
			if !errors.Is(err, affiliate.ErrDate) {
				t.Fatal(err)
			}
			return
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		if back, err := affiliate.ParseDate(got.String()); err != nil || !back.Equal(got) {
			t.Fatalf("%q is %v, which is %v, %v", s, got, back, err)
		}
		if year := got.Instant(time.UTC).Year(); year < 1 || year > 9999 {
			t.Fatalf("%q is in the year %d", s, year)
		}
	})
}

// TestTimeAppendJSON: the hand-written encoder writes what the layout writes,
// for every digit.
func TestTimeAppendJSON(t *testing.T) {
	at := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	for at.Year() <= 9999 {
		want := `"` + at.Format("2006-01-02T15:04:05.000Z07:00") + `"`
		if got := string(affiliate.TimeOf(at).AppendJSON(nil)); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
		at = at.Add(1_234_567*time.Minute + 34_567_891*time.Microsecond)
	}
}

// An instant of a record is a time.Time in UTC, truncated to microseconds: with
// the same order, the same arithmetic and the same JSON.
func TestInstant(t *testing.T) {
	const last = 253402300799 // the last second of the year 9999
	rapid.Check(t, func(t *rapid.T) {
		whole := func(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
		draw := func(name string) time.Time {
			zone := time.FixedZone("", rapid.IntRange(-12*3600, 12*3600).Draw(t, "zone"))
			sec := rapid.Int64Range(time.Time{}.Unix(), last).Draw(t, name)
			return time.Unix(sec, rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).In(zone)
		}
		x, y := draw("x"), draw("y")
		i, j := affiliate.InstantOf(x), affiliate.InstantOf(y)
		x, y = whole(x), whole(y)
		if i.Time() != x || i.IsZero() != x.IsZero() || i.Before(j) != x.Before(y) || i.After(j) != x.After(y) ||
			i.Equal(j) != x.Equal(y) || i.Compare(j) != x.Compare(y) || i.Sub(j) != x.Sub(y) {
			t.Fatalf("%v and %v, want as %v and %v", i, j, x, y)
		}
		d := time.Duration(rapid.Int64Range(-math.MaxInt64/1000, math.MaxInt64/1000).Draw(t, "d")) * time.Microsecond
		if got := i.Add(d); got.Time() != x.Add(d) {
			t.Fatalf("%v + %v = %v", i, d, got)
		}
		if got := i.Truncate(time.Hour); got.Time() != x.Truncate(time.Hour) {
			t.Fatalf("%v truncated is %v", i, got)
		}
		want, err1 := json.Marshal(x)
		raw, err2 := json.Marshal(i)
		var back affiliate.Instant
		if err := json.Unmarshal(raw, &back); err1 != nil || err2 != nil || err != nil || string(raw) != string(want) || back != i {
			t.Fatalf("%s, want %s; back %v; %v, %v, %v", raw, want, back, err1, err2, err)
		}
	})
	for _, far := range []int64{math.MinInt64, math.MaxInt64} {
		if got := affiliate.InstantOf(time.Unix(far, 0)); got.Before(affiliate.Instant{}) != (far < 0) {
			t.Errorf("the time %d is %v", far, got)
		}
	}
	if err := new(affiliate.Instant).UnmarshalJSON([]byte(`"yesterday"`)); err == nil {
		t.Error("yesterday is an instant")
	}
}
