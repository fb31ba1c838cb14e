package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// What the tests need beside the module.
var (
	chromium context.Context // of the one Chromium
	axe      string          // the source of axe-core
	scratch  string          // a folder that goes when the tests are over
)

// TestMain is console check 74.
func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "browser:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	source, err := os.ReadFile(os.Getenv("TRIBUTARY_AXE"))
	if err != nil {
		return 0, fmt.Errorf("axe-core is read from TRIBUTARY_AXE, see .ci/browser: %w", err)
	}
	axe = string(source)
	if scratch, err = os.MkdirTemp("", "browser-*"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(scratch)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), flags()...)
	defer stop()
	ctx, cancel := chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(ctx); err != nil {
		return 0, fmt.Errorf("start Chromium: %w", err)
	}
	chromium = ctx
	code := m.Run()
	fmt.Printf("%d pages were opened, with %d requests\n", seen.pages.Load(), seen.requests.Load())
	return code, nil
}

// flags start Chromium without a window, without a sandbox where there is none
// (as root), and without a way to any other machine.
func flags() []chromedp.ExecAllocatorOption {
	path := os.Getenv("TRIBUTARY_CHROMIUM")
	if path == "" {
		path = "/usr/bin/chromium"
	}
	all := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.UserDataDir(filepath.Join(scratch, "profile")),
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"),
		chromedp.Flag("lang", "en-GB"),
		chromedp.WSURLReadTimeout(time.Minute),
	)
	if os.Geteuid() == 0 {
		all = append(all, chromedp.NoSandbox)
	}
	return all
}
