package app

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

// example is a line of curl in docs/first-steps.md with the answer that it shows.
var example = regexp.MustCompile("(?s)```sh\n(curl .*?)\n```\n\n```json\n(.*?)\n```")

// The addresses of the page.
const serverAddress, receiverURL = "127.0.0.1:8080", "http://127.0.0.1:9090/"

// section returns a section of docs/first-steps.md.
func section(t *testing.T, title string) string {
	t.Helper()
	raw, err := os.ReadFile("../../docs/first-steps.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(raw), "\n## "+title+"\n")
	if !found {
		t.Fatalf("the page has no chapter %q", title)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// launch starts the server as a section of the page does, with the key that
// the page exports.
func launch(t *testing.T, text string) (s *runningServer, variables map[string]string) {
	t.Helper()
	export := regexp.MustCompile(`(?m)^export (\w+)=(\S+)$`).FindStringSubmatch(section(t, "Server in one command"))
	command := regexp.MustCompile(`(?m)^go run \./examples/server (.*)$`).FindStringSubmatch(text)
	if export == nil || command == nil {
		t.Fatal("the page does not start the server")
	}
	variables = map[string]string{export[1]: export[2]}
	args := strings.Fields(strings.ReplaceAll(command[1], serverAddress, "127.0.0.1:0"))
	return startIn(t, func(name string) string { return variables[name] }, args...), variables
}

// curl sends a line of the page to the server.
func (s *runningServer) curl(line string, variables map[string]string) (answer string) {
	s.t.Helper()
	r, err := request(strings.ReplaceAll(line, "http://"+serverAddress, s.url), variables)
	if err != nil {
		s.t.Fatal(err)
	}
	_, answer = s.do(r)
	return answer
}

// TestReadme: the command of the page starts a server. It answers the lines
// below the command as the page shows, and then those of its page.
// It is console check 30.
func TestReadme(t *testing.T) {
	text := section(t, "Server in one command")
	s, variables := launch(t, text)
	examples := example.FindAllStringSubmatch(text, -1)
	if lines := strings.Count(text, "\ncurl "); len(examples) == 0 || len(examples) != lines {
		t.Errorf("%d of %d lines of curl have an answer", len(examples), lines)
	}
	for _, e := range examples {
		if got := s.curl(e[1], variables); !shows(e[2], got) {
			t.Errorf("%s\n got %s\nwant %s", e[1], got, e[2])
		}
	}
	s.follow(s.page(""), variables)
}

// TestReadmeCommandLine: the command line does what the page says, with the key and the
// address that the page exports.
func TestReadmeCommandLine(t *testing.T) {
	text := section(t, "Server in one command")
	s, variables := launch(t, text)
	if !strings.Contains(text, "\nexport TRIBUTARY_URL=http://"+serverAddress+"\n") {
		t.Fatal("the page does not export the address")
	}
	tributary := filepath.Join(t.TempDir(), "tributary")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", tributary, "../../client/cmd/tributary").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := regexp.MustCompile(`(?m)^go run \./client/cmd/tributary (.*)$`).FindAllStringSubmatch(text, -1)
	if len(lines) != 2 {
		t.Errorf("the page has %d commands", len(lines))
	}
	for _, line := range lines {
		command := exec.CommandContext(t.Context(), tributary, strings.Fields(line[1])...)
		command.Env = []string{"TRIBUTARY_URL=" + s.url, "TRIBUTARY_KEY=" + variables["TRIBUTARY_KEY"]}
		out, err := command.CombinedOutput()
		if err != nil || strings.Count(string(out), "\n") < 4 || !strings.Contains(string(out), " USD") {
			t.Errorf("tributary %s: %v\n%s", line[1], err, out)
		}
	}
}

// TestReadmeEvents: an endpoint that is made as the page shows gets the events
// that its receiver prints.
func TestReadmeEvents(t *testing.T) {
	text := section(t, "Receiving events")
	s, variables := launch(t, text)
	came := make(chan webhooks.Event, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		e, err := webhooks.Parse(body)
		if err != nil {
			t.Error(err)
		}
		came <- e
	}))
	defer receiver.Close()
	subscribe := regexp.MustCompile("(?s)```sh\n(curl .*?)\n```").FindStringSubmatch(text)
	if subscribe == nil || !strings.Contains(subscribe[1], receiverURL) {
		t.Fatal("the page does not subscribe the receiver")
	}
	if answer := s.curl(strings.ReplaceAll(subscribe[1], receiverURL, receiver.URL+"/"), variables); !shows(`{…,"secret":"whsec_…"}`, answer) {
		t.Errorf("the answer does not end with the secret: %s", answer)
	}
	sale := regexp.MustCompile("(?s)```sh\n(curl [^`]*/sales [^`]*ines15[^`]*)\n```").FindStringSubmatch(section(t, "Server in one command"))
	if sale == nil {
		t.Fatal("the page makes no sale by ines15")
	}
	s.curl(sale[1], variables)
	printed := regexp.MustCompile(`(?m)^(evt_)… (\S+) revision (\d+): (.*)$`).FindAllStringSubmatch(text, -1)
	if len(printed) != 2 {
		t.Fatalf("the page prints %d events", len(printed))
	}
	events := map[string]webhooks.Event{} // in no order: they are sent at once
	for range printed {
		e := <-came
		events[string(e.Type)] = e
	}
	for _, line := range printed {
		e := events[line[2]]
		if !strings.HasPrefix(e.ID, line[1]) || strconv.FormatInt(e.Revision, 10) != line[3] {
			t.Errorf("%s %s revision %d; the page prints %s", e.ID, e.Type, e.Revision, line[0])
		}
	}
	recorded, err := webhooks.Decode[affiliate.Sale](events[string(affiliate.SaleCreated)])
	want := fmt.Sprintf("revision 1: %d: %s of %s to affiliate …", recorded.ID, recorded.CommissionEarned, recorded.TotalEarned)
	if err != nil || !strings.HasSuffix(printed[1][0], want) {
		t.Errorf("%s, error %v; the page prints %s", want, err, printed[1][0])
	}
}

// shows reports whether a text is another one with parts left out at each ….
func shows(short, text string) bool {
	parts := strings.Split(short, "…")
	for i, part := range parts {
		at := strings.Index(text, part)
		if i == len(parts)-1 && part != "" && i > 0 {
			at = strings.LastIndex(text, part)
		}
		if at < 0 || i == 0 && at > 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return text == "" || strings.HasSuffix(short, "…")
}

func TestShows(t *testing.T) {
	for _, tt := range []struct {
		short, text string
		want        bool
	}{
		{"null", "null", true},
		{"null", "nulls", false},
		{"null", "a null", false},
		{`{"id":"…","n":1}`, `{"id":"abc","n":1}`, true},
		{`{"id":"…","n":1}`, `{"id":"abc","n":12}`, false},
		{`{"id":"…","n":1}`, `{"id":"abc","m":1}`, false},
		{`{…}`, `{"a":{}}`, true},
		{`{…}`, `[1]`, false},
		{`a…b…c`, `axcxb`, false},
		{`a…a`, `a`, false},
	} {
		if got := shows(tt.short, tt.text); got != tt.want {
			t.Errorf("%s shows %s: %v", tt.short, tt.text, got)
		}
	}
}
