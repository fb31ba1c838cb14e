package woocommerce_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

// shopOfPHP is what the plugin needs of WordPress, and of an order; it prints what each action puts into one.
const shopOfPHP = `<?php
class Order {
    public $meta = [], $saved = 0;
    function update_meta_data($key, $value) { $this->meta[$key] = $value; }
    function save() { $this->saved = count($this->meta); }
}
$actions = [];
function add_action($name, $do) { global $actions; $actions[$name][] = $do; }
require $argv[1];
$_COOKIE = json_decode($argv[2], true);
$said = [];
foreach ($actions as $name => $all) {
    $order = new Order();
    foreach ($all as $do) { $do($order); }
    $said[$name] = $order->saved === count($order->meta) ? (object)$order->meta : 'not saved';
}
echo json_encode($said);
`

// TestPluginOfPHP: the plugin of the page puts the click of a visitor into orders of either checkout, in the words
// that an event is read by, and nothing that is none.
func TestPluginOfPHP(t *testing.T) {
	php, err := exec.LookPath("php")
	if err != nil {
		t.Skip("there is no php")
	}
	shop := filepath.Join(t.TempDir(), "shop.php")
	if err := os.WriteFile(shop, []byte(shopOfPHP), 0o600); err != nil {
		t.Fatal(err)
	}
	id := uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01")
	name := fmt.Sprintf("tributary_click_%x", id[:])
	none := map[string]string{}
	for _, tt := range []struct {
		name, cookies string
		want          map[string]string
	}{
		{"OK", `{"` + name + `":"1042"}`, map[string]string{"tributary_click": "1042", "tributary_program": id.String()}},
		{"NoCookie", `{}`, none},
		{"OfAnother", `{"tributary_click_00000000000000000000000000000000":"1042"}`, none},
		{"Email", `{"` + name + `":"kim@example.com"}`, none},
		{"Zero", `{"` + name + `":"01"}`, none},
		{"Long", `{"` + name + `":"` + strings.Repeat("9", 19) + `"}`, none},
		{"Line", `{"` + name + `":"1042\n"}`, none},
		{"Array", `{"` + name + `":["1042"]}`, none},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := exec.Command(php, "-d", "display_errors=stderr", "-d", "error_reporting=E_ALL", shop, "tributary-click.php", tt.cookies).CombinedOutput()
			var got map[string]map[string]string
			if err != nil || json.Unmarshal(out, &got) != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			want := map[string]map[string]string{"woocommerce_checkout_create_order": tt.want, "woocommerce_store_api_checkout_update_order_meta": tt.want}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
