package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestNginx: nginx understands the sample, and with it brings a request whole to the server, which learns
// who asks and for which host.
func TestNginx(t *testing.T) {
	if _, err := exec.LookPath("nginx"); err != nil {
		t.Skip("SKIPPED: nginx is not here")
	}
	got := make(chan http.Header, 1)
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Host", r.Host)
		r.Header.Set("Path", r.RequestURI)
		n, err := io.Copy(io.Discard, r.Body)
		r.Header.Set("Bytes", strconv.FormatInt(n, 10))
		if err != nil {
			t.Error(err)
		}
		got <- r.Header
	}))
	t.Cleanup(behind.Close)

	const host = "partners.shop.example"
	dir := t.TempDir()
	cert, pool := certificate(t, host)
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	write(t, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]})), filepath.Join(dir, "fullchain.pem"))
	write(t, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})), filepath.Join(dir, "privkey.pem"))
	// It gets its sockets, so that nobody waits until it listens.
	plain, secure := listening(t), listening(t)
	sample := deployed(t, "nginx.conf")
	for old, own := range map[string]string{"listen 80;": "listen " + plain.Addr().String() + ";", "listen 443 ssl;": "listen " + secure.Addr().String() + " ssl;",
		"listen [::]:80;": "", "listen [::]:443 ssl;": "", "/etc/letsencrypt/live/" + host: dir, "http://127.0.0.1:8080": behind.URL} {
		if !strings.Contains(sample, old) {
			t.Fatalf("the sample lacks %q", old)
		}
		sample = strings.ReplaceAll(sample, old, own)
	}
	around := "daemon off;\npid nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n"
	for _, of := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		around += of + "_temp_path " + of + ";\n"
	}
	if os.Getuid() == 0 {
		around = "user root;\n" + around // nobody else sees the folder
	}
	write(t, around+sample+"}\n", filepath.Join(dir, "nginx.conf"))
	args := []string{"-e", "stderr", "-p", dir, "-c", "nginx.conf"}
	if out, err := exec.CommandContext(t.Context(), "nginx", append(args, "-t", "-q")...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%s%v", out, err)
	}
	proxy := exec.Command("nginx", args...) // without the test's context: its end would kill the parent of the worker alone
	said := new(transcript)
	proxy.Stderr = said
	for _, l := range []*net.TCPListener{plain, secure} {
		file, err := l.File()
		if err != nil {
			t.Fatal(err)
		}
		proxy.ExtraFiles = append(proxy.ExtraFiles, file)
	}
	proxy.Env = append(os.Environ(), "NGINX=3;4;")
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Process.Signal(os.Interrupt); _ = proxy.Wait() })
	for i, l := range []*net.TCPListener{plain, secure} { // the sockets are those of nginx alone
		_ = l.Close()
		_ = proxy.ExtraFiles[i].Close()
	}

	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: host}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	ask := func(url, body string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		r.Header.Set("X-Forwarded-For", "192.0.2.1") // which is not true
		r.Header.Set("Authorization", "Bearer "+testKey)
		res, err := client.Do(r)
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		res.Body.Close()
		return res
	}
	if res := ask("http://"+plain.Addr().String()+"/partner/?a=1", ""); res.StatusCode != http.StatusMovedPermanently || res.Header.Get("Location") != "https://"+host+"/partner/?a=1" {
		t.Errorf("without TLS: %s to %q", res.Status, res.Header.Get("Location"))
	}
	if res := ask("https://"+secure.Addr().String()+"/pay/shopify?a=%2F", strings.Repeat("x", 4<<20)); res.StatusCode != http.StatusOK {
		t.Fatalf("%s\n%s", res.Status, said)
	}
	header := <-got
	for name, want := range map[string]string{"Host": host, "Path": "/pay/shopify?a=%2F", "Bytes": "4194304", "X-Forwarded-For": "127.0.0.1", "X-Forwarded-Proto": "https", "Authorization": "Bearer " + testKey} {
		if is := strings.Join(header.Values(name), ", "); is != want {
			t.Errorf("%s: %q, want %q", name, is, want)
		}
	}
}

// listening returns a socket of this machine.
func listening(t *testing.T) *net.TCPListener {
	t.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}
