package browser

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPlayground: the folder that the example writes is a program in the browser, without a server behind it: every step of the
// tour says what happens and shows it in the console, the check of the books stays true, and sees a cent that is
// taken out behind the program's back. Forms, redirects and the API work. It works offline after the first load, and nothing is
// asked of anybody else.
func TestPlayground(t *testing.T) {
	folder := t.TempDir()
	if said, err := exec.CommandContext(t.Context(), "go", "run", "-C", "../../..", "./examples/playground", "-out", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	site := httptest.NewServer(http.FileServer(http.Dir(folder)))
	defer site.Close()
	tb := unwatched(t, site.URL)
	began := time.Now()
	tb.open("/")
	running := `document.querySelector("#state").textContent === "It runs."`
	inFrame := func(text string) string {
		return `frames[0].document.readyState === "complete" && frames[0].document.body?.innerText.includes("` + text + `")`
	}
	tb.until(running + " && " + inFrame("Overview"))
	t.Logf("the console of a year is there after %s", time.Since(began).Round(time.Millisecond))
	holds := `document.querySelector("#books").textContent.startsWith("Verify: holds")`
	tb.until(holds)
	moves := &film{tab: tb}
	moves.shoot(150)
	for _, step := range []struct{ id, says, shows string }{
		{"checkout", "is left to pay", "Mara Lindqvist"},
		{"why", "rounded once", "Mara Lindqvist"},
		{"refund", "the commission was", "8.00"},
		{"race", "3 of 50 have the discount; 47 were told", "FIRST3-"},
		{"dispute", "The bank takes the 250.00 back", "Mara Lindqvist"},
		{"terms", "it would have been", "Terms"},
	} {
		eval[int](tb, `document.getElementById("`+step.id+`").click(), 1`)
		tb.until(`[...document.querySelectorAll("#` + step.id + ` ~ .said span")].map((s) => s.textContent).join().includes("` + step.says + `")`)
		tb.until(inFrame(step.shows))
		tb.until(holds + ` && !document.querySelector("button:disabled")`)
		eval[int](tb, `document.getElementById("`+step.id+`").scrollIntoView(), 1`)
		moves.shoot(300)
	}
	for _, window := range []size{desk, phone} {
		tb.fits(window)
		tb.keep(t.ArtifactDir(), fmt.Sprint("playground-", window.width))
	}
	tb.window(desk)
	eval[int](tb, `document.querySelector("#clock button").click(), 1`)
	tb.until(`document.querySelector("#clock-said").textContent.startsWith("It is ") && !document.querySelector("button:disabled")`)
	eval[int](tb, `document.getElementById("break").click(), 1`)
	tb.until(`document.querySelector("#books").textContent === "Verify: broken" && document.querySelector("#books-said").textContent.includes("I4") && !document.querySelector("button:disabled")`)
	eval[int](tb, `document.getElementById("break").scrollIntoView(), 1`)
	moves.shoot(300)
	moves.keep(t)
	eval[int](tb, `document.getElementById("mend").click(), 1`)
	tb.until(holds + ` && !document.querySelector("button:disabled")`)

	eval[int](tb, `frames[0].location = "app/console/affiliates/new", 1`) // a form, and the redirect after it
	tb.until(inFrame("First name"))
	eval[int](tb, `(() => { const f = frames[0].document.querySelector("main form"); f.firstName.value = "Grace"; f.lastName.value = "Hopper"; f.email.value = "grace@partners.example"; f.requestSubmit(); return 1; })()`)
	tb.until(inFrame("Grace Hopper") + ` && frames[0].location.pathname.match(/console\/affiliates\/[0-9a-f-]{36}$/) !== null`)
	if sales := eval[int](tb, `fetch("app/api/v1/sales?limit=3").then((r) => r.json()).then((all) => all.length)`); sales != 3 {
		t.Errorf("the API has %d sales", sales)
	}

	site.CloseClientConnections()
	site.Listener.Close() // nobody listens any more
	tb.open("/")
	tb.until(running + " && " + inFrame("Overview"))
	for _, c := range tb.watch.complaints() {
		if !strings.Contains(c, "service worker") {
			t.Log(c)
		}
	}
}

// A film is what somebody sees who takes the tour. It is made when TRIBUTARY_PICTURES names a folder.
type film struct {
	*tab
	frames gif.GIF
}

// shoot takes a picture, which is shown for hundredths of a second.
func (f *film) shoot(delay int) {
	if os.Getenv("TRIBUTARY_PICTURES") == "" {
		return
	}
	f.window(size{1080, 640, 1})
	shot, err := png.Decode(bytes.NewReader(f.picture()))
	f.must(err)
	count := map[color.RGBA]int{}
	bounds := shot.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[color.RGBAModel.Convert(shot.At(x, y)).(color.RGBA)]++
		}
	}
	most := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int { return count[b] - count[a] })
	var colours color.Palette
	for _, c := range most[:min(128, len(most))] { // text and its edges have few
		colours = append(colours, c)
	}
	frame := image.NewPaletted(bounds, colours)
	draw.Draw(frame, bounds, shot, bounds.Min, draw.Src)
	f.frames.Image, f.frames.Delay = append(f.frames.Image, frame), append(f.frames.Delay, delay)
	f.window(desk)
}

// keep writes the film, of a megabyte at most.
func (f *film) keep(t *testing.T) {
	folder := os.Getenv("TRIBUTARY_PICTURES")
	if folder == "" {
		return
	}
	var data bytes.Buffer
	f.must(gif.EncodeAll(&data, &f.frames))
	if data.Len() > 1_000_000 {
		t.Errorf("the film has %d bytes", data.Len())
	}
	f.must(os.WriteFile(filepath.Join(folder, "tour.gif"), data.Bytes(), 0o666))
}
