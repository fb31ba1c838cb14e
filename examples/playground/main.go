//go:build !js

// Playground is a whole program in a page of a browser: the engine, a year of orders in memory, the HTTP API,
// the console and the pages of affiliates, as WebAssembly behind a service worker. There is no server, and nothing leaves the
// machine. In a clone:
//
//	go run ./examples/playground                  # on http://127.0.0.1:8090
//	go run ./examples/playground -out DIR         # a folder that any host of files can serve
//
// world.go is what embeds the program, tour.go what the tour does with it, engine_js.go what the browser calls, and web what it
// shows. The tour is open to all who open the page, on a program of their own.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed web
var web embed.FS

// files are all that a visitor loads; the first five are those of web.
var files = []string{"index.html", "style.css", "shell.js", "engine.js", "sw.js", "wasm_exec.js", "engine.wasm.gz"}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("playground", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("out", "", "`folder` to write; it is made, and what it has of the playground is replaced")
	addr := flags.String("addr", "127.0.0.1:8090", "`address` to serve on when no folder is named")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil || flags.NArg() > 0:
		return 2
	}
	if err := play(*out, *addr, stdout); err != nil {
		fmt.Fprintln(stderr, "playground:", err)
		return 1
	}
	return 0
}

func play(out, addr string, stdout io.Writer) error {
	if out != "" {
		size, err := write(out)
		if err == nil {
			_, err = fmt.Fprintf(stdout, "%s has the playground: %.1f MB over the wire. Serve it with https, or on this machine.\n", out, float64(size)/1e6)
		}
		return err
	}
	folder, err := os.MkdirTemp("", "playground")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if _, err := write(folder); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "the playground is on http://%s\n", listener.Addr())
	server := &http.Server{Handler: http.FileServer(http.Dir(folder)), ReadHeaderTimeout: time.Minute}
	return server.Serve(listener)
}

// write writes the folder, and returns how many bytes a visitor loads.
func write(folder string) (size int64, err error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return 0, err
	}
	for _, name := range files[:5] {
		data, err := web.ReadFile("web/" + name)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), data, 0o666)
		}
		if err != nil {
			return 0, err
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return 0, fmt.Errorf("the go command is needed: %w", err)
	}
	glue, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "wasm_exec.js"), glue, 0o666)
	}
	if err != nil {
		return 0, err
	}
	if err := compile(filepath.Join(folder, "engine.wasm.gz")); err != nil {
		return 0, err
	}
	return stamp(folder)
}

// stamp puts the digest of all files into the service worker, so that a browser takes new ones, and returns
// their size.
func stamp(folder string) (size int64, err error) {
	digest := sha256.New()
	for _, name := range files {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return 0, err
		}
		digest.Write(data)
		size += int64(len(data))
	}
	worker := filepath.Join(folder, "sw.js")
	data, err := os.ReadFile(worker)
	if err == nil {
		err = os.WriteFile(worker, bytes.Replace(data, []byte("VERSION"), fmt.Appendf(nil, "%x", digest.Sum(nil)[:6]), 1), 0o666)
	}
	return size, err
}

// compile writes the engine as WebAssembly, compressed. Without inlining it is smaller by a sixth, and fast enough.
func compile(to string) error {
	temp, err := os.MkdirTemp("", "engine")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	built := filepath.Join(temp, "engine.wasm")
	build := exec.Command("go", "build", "-trimpath", "-gcflags=all=-l", "-ldflags=-s -w", "-o", built, "github.com/tributary-go/tributary/examples/playground")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, said)
	}
	from, err := os.Open(built)
	if err != nil {
		return err
	}
	defer from.Close()
	file, err := os.Create(to)
	if err != nil {
		return err
	}
	zipped, err := gzip.NewWriterLevel(file, gzip.BestCompression)
	if err == nil {
		_, err = io.Copy(zipped, from)
		err = errors.Join(err, zipped.Close())
	}
	return errors.Join(err, file.Close())
}
