// Package browser looks at the pages of the console, and of the partners, with
// Chromium: that each page keeps its own policy, can be read by everybody, works
// with a keyboard alone and without scripts, and fits every window.
//
// The tests need Chromium at /usr/bin/chromium, or at the path in
// TRIBUTARY_CHROMIUM, and axe.min.js of axe-core at the path in TRIBUTARY_AXE.
// .ci/browser installs both and runs the tests:
//
//	.ci/browser                         # all of them
//	.ci/browser -run TestKeyboard -v    # with flags of go test
//	TRIBUTARY_PICTURES=$PWD/docs/pictures .ci/browser -run "TestPictures|TestPlayground"
//
// # Reading the package
//
// main_test.go starts the browser. look_test.go is a tab: what it does and what it
// complains about, whatever the test is; and looks at a page: its layout, its
// accessibility, its picture. site_test.go has the programs whose pages are
// looked at; a new set of pages is a line there. The other files are the tests.
package browser
