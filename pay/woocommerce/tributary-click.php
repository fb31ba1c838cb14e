<?php
/*
 * Plugin Name: Tributary click
 * Description: Puts the click that brought a visitor into their order.
 */
const TRIBUTARY_PROGRAM = '0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01'; // yours: the id that GET /api/v1/program answers

// The first is the checkout of a shortcode, the second that of blocks.
foreach (['woocommerce_checkout_create_order', 'woocommerce_store_api_checkout_update_order_meta'] as $action) {
    add_action($action, function ($order) {
        $click = $_COOKIE['tributary_click_' . str_replace('-', '', TRIBUTARY_PROGRAM)] ?? '';
        if (is_string($click) && preg_match('/^[1-9][0-9]{0,17}$/D', $click)) {
            $order->update_meta_data('tributary_click', $click);
            $order->update_meta_data('tributary_program', TRIBUTARY_PROGRAM);
            $order->save();
        }
    });
}
