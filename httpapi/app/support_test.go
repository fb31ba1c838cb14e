package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// A runningServer is a server that a test has started.
type runningServer struct {
	t      testing.TB
	url    string
	output *buffer // standard output
	errors *buffer // standard error
	end    context.CancelFunc
	ended  chan error
}

var clock = time.Date(2026, 3, 11, 9, 24, 18, 442_000_000, time.UTC)

// testKey is the key of the tests. environment has it in its variable, nothing
// has no variable.
const testKey = "test-key-of-this-suite"

func environment(name string) string { return map[string]string{keyVariable: testKey}[name] }

func nothing(string) string { return "" }

// start runs the server with flags, on a free port unless they name one, with a
// fixed clock and the same ids in every run. Its environment is empty.
func start(t testing.TB, args ...string) *runningServer {
	t.Helper()
	return startIn(t, nothing, args...)
}

// startIn is start with an environment.
func startIn(t testing.TB, getenv func(string) string, args ...string) *runningServer {
	t.Helper()
	set, err := parse(new(Memory), append([]string{"-addr", "127.0.0.1:0"}, args...), getenv, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	set.now, set.rand = func() time.Time { return clock }, rand8()
	return startWith(t, set)
}

func startWith(t testing.TB, set settings) *runningServer {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	s := &runningServer{t: t, output: &buffer{}, errors: &buffer{}, end: end, ended: make(chan error, 1)}
	ready := make(chan string, 1)
	s.output.each = func(line string) {
		if url, ok := strings.CutPrefix(line, "listening on "); ok {
			ready <- url
		}
	}
	go func() {
		defer close(s.ended)
		s.ended <- runServer(ctx, set, s.output, s.errors)
	}()
	select {
	case s.url = <-ready:
	case err := <-s.ended:
		t.Fatalf("the server did not start: %v", err)
	}
	t.Cleanup(s.stop)
	return s
}

// stop ends the server, if it still runs, and expects no error.
func (s *runningServer) stop() {
	s.t.Helper()
	s.end()
	if err := <-s.ended; err != nil {
		s.t.Errorf("the server ended with %v", err)
	}
	if text := s.errors.String(); text != "" {
		s.t.Errorf("standard error: %s", text)
	}
}

// do sends a request and returns status and body.
func (s *runningServer) do(r *http.Request) (int, string) {
	s.t.Helper()
	res, err := http.DefaultTransport.RoundTrip(r.WithContext(s.t.Context()))
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// A buffer is an output that one goroutine writes and another reads.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
	each func(line string)
	more chan struct{} // gets a value when something was written since
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.each != nil {
		b.each(strings.TrimSuffix(string(p), "\n"))
	}
	select {
	case b.more <- struct{}{}:
	default:
	}
	return b.text.Write(p)
}

// wait waits until a text was written.
func (b *buffer) wait(t *testing.T, text string) {
	t.Helper()
	b.mu.Lock()
	b.more = make(chan struct{}, 1)
	b.mu.Unlock()
	for !strings.Contains(b.String(), text) {
		select {
		case <-b.more:
		case <-time.After(20 * time.Second):
			t.Fatalf("%q was not written:\n%s", text, b.String())
		}
	}
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// lockedReader is a source of randomness that several programs share.
type lockedReader struct {
	mu  sync.Mutex
	src io.Reader
}

// rand8 returns randomness that is the same in every run.
func rand8() io.Reader { return &lockedReader{src: rand.NewChaCha8([32]byte{})} }

func (l *lockedReader) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.src.Read(p)
}

// request returns the request of a line of curl. Variables are replaced as a
// shell does.
func request(line string, variables map[string]string) (*http.Request, error) {
	words := words(line, variables)
	if len(words) == 0 || words[0] != "curl" {
		return nil, errors.New("not a line of curl: " + line)
	}
	method, url, body := "", "", ""
	header := http.Header{}
	for i := 1; i < len(words); i++ {
		word := words[i]
		switch word {
		case "-X", "-H", "-d":
			if i++; i == len(words) {
				return nil, errors.New("nothing after " + word)
			}
		}
		switch {
		case word == "-X":
			method = words[i]
		case word == "-H":
			name, value, _ := strings.Cut(words[i], ": ")
			header.Add(name, value)
		case word == "-d":
			body = words[i]
		case strings.HasPrefix(word, "-") || url != "":
			return nil, errors.New("unexpected " + word)
		default:
			url = word
		}
	}
	if method == "" && body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err == nil {
		r.Header = header
	}
	return r, err
}

// words splits a line as a shell does.
func words(line string, variables map[string]string) []string {
	var all []string
	var word strings.Builder
	begun := false
	line = strings.ReplaceAll(line, "\\\n", " ")
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\n':
			if begun {
				all = append(all, word.String())
			}
			begun = false
			word.Reset()
			continue
		case '\'', '"':
			length := strings.IndexByte(line[i+1:], c)
			text := line[i+1 : i+1+length]
			if c == '"' {
				for name, value := range variables {
					text = strings.ReplaceAll(text, "$"+name, value)
				}
			}
			word.WriteString(text)
			i += length + 1
		case '\\':
			i++
			word.WriteByte(line[i])
		default:
			word.WriteByte(c)
		}
		begun = true
	}
	if begun {
		all = append(all, word.String())
	}
	return all
}
