-- +goose Up

CREATE TABLE tributary_programs (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE tributary_sequences (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  name TEXT NOT NULL,
  last INTEGER NOT NULL,
  PRIMARY KEY (program, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE tributary_dedup (
  id TEXT PRIMARY KEY,
  done_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tributary_dedup_done ON tributary_dedup (done_at);

CREATE TABLE tributary_affiliates (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  email TEXT NOT NULL,
  external_id TEXT NOT NULL,
  language TEXT NOT NULL,
  status TEXT,
  source TEXT NOT NULL,
  commission_rate INTEGER,
  commission_type TEXT NOT NULL,
  commission_plan_id TEXT,
  commission_tier_id TEXT,
  offer_coupon_id TEXT,
  note TEXT NOT NULL,
  exempt_from_commission_tier_changes INTEGER NOT NULL CHECK (exempt_from_commission_tier_changes IN (0, 1)),
  payout_email TEXT NOT NULL,
  payee TEXT NOT NULL,
  payee_shared INTEGER NOT NULL CHECK (payee_shared IN (0, 1)),
  payment_method TEXT NOT NULL,
  question_answers TEXT,
  opening_clicks INTEGER NOT NULL,
  merged INTEGER NOT NULL CHECK (merged IN (0, 1)),
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  given_as_null TEXT,
  by_email TEXT,
  by_external_id TEXT,
  of_payee TEXT,
  of_shared TEXT,
  PRIMARY KEY (program, id)
) STRICT;
CREATE UNIQUE INDEX tributary_affiliates_by_email ON tributary_affiliates (program, by_email) WHERE by_email IS NOT NULL;
CREATE UNIQUE INDEX tributary_affiliates_by_external_id ON tributary_affiliates (program, by_external_id) WHERE by_external_id IS NOT NULL;
CREATE INDEX tributary_affiliates_of_plan ON tributary_affiliates (program, commission_plan_id, id) WHERE commission_plan_id IS NOT NULL;
CREATE INDEX tributary_affiliates_of_tier ON tributary_affiliates (program, commission_tier_id, id) WHERE commission_tier_id IS NOT NULL;
CREATE INDEX tributary_affiliates_of_coupon ON tributary_affiliates (program, offer_coupon_id, id) WHERE offer_coupon_id IS NOT NULL;
CREATE INDEX tributary_affiliates_of_state ON tributary_affiliates (program, status, id) WHERE status IS NOT NULL;
CREATE INDEX tributary_affiliates_of_payee ON tributary_affiliates (program, of_payee, id) WHERE of_payee IS NOT NULL;
CREATE INDEX tributary_affiliates_of_shared ON tributary_affiliates (program, of_shared, id) WHERE of_shared IS NOT NULL;

CREATE TABLE tributary_links (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  affiliate_id TEXT NOT NULL,
  slug TEXT NOT NULL,
  aliases TEXT,
  opening_clicks INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  by_slug TEXT,
  PRIMARY KEY (program, id)
) STRICT;
CREATE UNIQUE INDEX tributary_links_by_slug ON tributary_links (program, by_slug) WHERE by_slug IS NOT NULL;
CREATE INDEX tributary_links_of_affiliate ON tributary_links (program, affiliate_id, id);

CREATE TABLE tributary_clicks (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  click_id INTEGER NOT NULL,
  affiliate_id TEXT NOT NULL,
  affiliate_link_id TEXT,
  referral_id TEXT,
  device_id TEXT NOT NULL,
  full_landing_url TEXT NOT NULL,
  document_referrer TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  is_unique INTEGER NOT NULL CHECK (is_unique IN (0, 1)),
  earlier_click_id INTEGER,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (program, id)
) STRICT;
CREATE UNIQUE INDEX tributary_clicks_by_number ON tributary_clicks (program, click_id);
CREATE INDEX tributary_clicks_of_affiliate ON tributary_clicks (program, affiliate_id, id);
CREATE INDEX tributary_clicks_of_link ON tributary_clicks (program, affiliate_link_id, id) WHERE affiliate_link_id IS NOT NULL;
CREATE INDEX tributary_clicks_of_referral ON tributary_clicks (program, referral_id, id) WHERE referral_id IS NOT NULL;

CREATE TABLE tributary_referrals (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  affiliate_id TEXT NOT NULL,
  affiliate_link_id TEXT,
  commission_plan_id TEXT,
  commission_plan_fixed INTEGER NOT NULL CHECK (commission_plan_fixed IN (0, 1)),
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  referred_user_external_id TEXT NOT NULL,
  plan TEXT NOT NULL,
  status TEXT NOT NULL,
  submission_type TEXT NOT NULL,
  referral_medium TEXT NOT NULL,
  source TEXT NOT NULL,
  integration_referral_source TEXT NOT NULL,
  initial_landing_page TEXT NOT NULL,
  notes TEXT,
  metadata TEXT,
  erased_at INTEGER,
  merged INTEGER NOT NULL CHECK (merged IN (0, 1)),
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  given_as_null TEXT,
  by_email TEXT,
  of_customer TEXT,
  PRIMARY KEY (program, id)
) STRICT;
CREATE UNIQUE INDEX tributary_referrals_by_email ON tributary_referrals (program, by_email) WHERE by_email IS NOT NULL;
CREATE INDEX tributary_referrals_of_affiliate ON tributary_referrals (program, affiliate_id, id);
CREATE INDEX tributary_referrals_of_link ON tributary_referrals (program, affiliate_link_id, id) WHERE affiliate_link_id IS NOT NULL;
CREATE INDEX tributary_referrals_of_customer ON tributary_referrals (program, of_customer, id) WHERE of_customer IS NOT NULL;
CREATE INDEX tributary_referrals_of_plan ON tributary_referrals (program, commission_plan_id, id) WHERE commission_plan_id IS NOT NULL;

CREATE TABLE tributary_coupons (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  coupon_type TEXT NOT NULL,
  percent_off INTEGER NOT NULL,
  amount_off INTEGER NOT NULL,
  currency TEXT NOT NULL,
  duration TEXT NOT NULL,
  duration_in_months INTEGER NOT NULL,
  max_redemptions INTEGER NOT NULL,
  times_redeemed INTEGER NOT NULL,
  opening_redeemed INTEGER NOT NULL,
  limit_to_products INTEGER NOT NULL CHECK (limit_to_products IN (0, 1)),
  product_ids TEXT,
  valid INTEGER NOT NULL CHECK (valid IN (0, 1)),
  redeem_by INTEGER,
  starts_at INTEGER,
  max_discount INTEGER NOT NULL,
  max_discount_total INTEGER NOT NULL,
  discount_total INTEGER NOT NULL,
  max_redemptions_per_customer INTEGER NOT NULL,
  times_held INTEGER NOT NULL,
  held_discount INTEGER NOT NULL,
  restore_on_refund INTEGER NOT NULL CHECK (restore_on_refund IN (0, 1)),
  external_id TEXT NOT NULL,
  integration_type TEXT NOT NULL,
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  by_external_id TEXT,
  of_name TEXT,
  PRIMARY KEY (program, id)
) STRICT;
CREATE UNIQUE INDEX tributary_coupons_by_external_id ON tributary_coupons (program, by_external_id) WHERE by_external_id IS NOT NULL;
CREATE INDEX tributary_coupons_of_name ON tributary_coupons (program, of_name, id) WHERE of_name IS NOT NULL;

CREATE TABLE tributary_codes (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  coupon_id TEXT NOT NULL,
  affiliate_id TEXT,
  code TEXT NOT NULL,
  external_id TEXT NOT NULL,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  expires_at INTEGER,
  max_redemptions INTEGER NOT NULL,
  times_redeemed INTEGER NOT NULL,
  opening_redeemed INTEGER NOT NULL,
  first_time_order INTEGER NOT NULL CHECK (first_time_order IN (0, 1)),
  minimum_amount INTEGER,
  minimum_amount_currency TEXT NOT NULL,
  starts_at INTEGER,
  minimum_quantity INTEGER NOT NULL,
  max_redemptions_per_customer INTEGER NOT NULL,
  times_held INTEGER NOT NULL,
  limit_to_customers INTEGER NOT NULL CHECK (limit_to_customers IN (0, 1)),
  customer_id TEXT NOT NULL,
  limit_to_affiliate INTEGER NOT NULL CHECK (limit_to_affiliate IN (0, 1)),
  is_auto_generated INTEGER NOT NULL CHECK (is_auto_generated IN (0, 1)),
  is_affiliate_generated INTEGER NOT NULL CHECK (is_affiliate_generated IN (0, 1)),
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  given_as_null TEXT,
  by_code TEXT,
  by_external_id TEXT,
  PRIMARY KEY (program, id)
) STRICT;
CREATE UNIQUE INDEX tributary_codes_by_code ON tributary_codes (program, by_code) WHERE by_code IS NOT NULL;
CREATE UNIQUE INDEX tributary_codes_by_external_id ON tributary_codes (program, by_external_id) WHERE by_external_id IS NOT NULL;
CREATE INDEX tributary_codes_of_coupon ON tributary_codes (program, coupon_id, id);
CREATE INDEX tributary_codes_of_affiliate ON tributary_codes (program, affiliate_id, id) WHERE affiliate_id IS NOT NULL;

CREATE TABLE tributary_redemptions (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  sale_id INTEGER NOT NULL,
  promotional_code_id TEXT,
  coupon_id TEXT NOT NULL,
  external_id TEXT NOT NULL,
  discount INTEGER NOT NULL,
  refunded INTEGER NOT NULL CHECK (refunded IN (0, 1)),
  over_limit INTEGER NOT NULL CHECK (over_limit IN (0, 1)),
  hold_id TEXT NOT NULL,
  seen_at INTEGER,
  restored_at INTEGER,
  created_at INTEGER NOT NULL,
  by_external_id TEXT,
  of_state TEXT,
  PRIMARY KEY (program, id)
) STRICT;
CREATE UNIQUE INDEX tributary_redemptions_by_external_id ON tributary_redemptions (program, by_external_id) WHERE by_external_id IS NOT NULL;
CREATE INDEX tributary_redemptions_of_code ON tributary_redemptions (program, promotional_code_id, id) WHERE promotional_code_id IS NOT NULL;
CREATE INDEX tributary_redemptions_of_coupon ON tributary_redemptions (program, coupon_id, id);
CREATE INDEX tributary_redemptions_of_state ON tributary_redemptions (program, of_state, id) WHERE of_state IS NOT NULL;

CREATE TABLE tributary_sales (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  sale_id INTEGER NOT NULL,
  affiliate_id TEXT NOT NULL,
  referral_id TEXT,
  affiliate_link_id TEXT,
  promotional_code_id TEXT,
  external_id TEXT NOT NULL,
  external_invoice_id TEXT NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  total_earned INTEGER NOT NULL,
  subtotal INTEGER,
  tax_amount INTEGER NOT NULL,
  shipping_amount INTEGER NOT NULL,
  refunded_amount INTEGER NOT NULL,
  commission_rate INTEGER,
  commission_type TEXT,
  commission_rate_fixed INTEGER NOT NULL CHECK (commission_rate_fixed IN (0, 1)),
  commission_by_hand TEXT,
  status TEXT,
  payment_trigger TEXT,
  source TEXT,
  integration_sales_source TEXT,
  deleted_fired INTEGER NOT NULL CHECK (deleted_fired IN (0, 1)),
  free INTEGER NOT NULL CHECK (free IN (0, 1)),
  offer INTEGER NOT NULL CHECK (offer IN (0, 1)),
  conversion TEXT NOT NULL,
  past INTEGER NOT NULL CHECK (past IN (0, 1)),
  commissions TEXT,
  refunds TEXT,
  lines TEXT,
  products_bought TEXT,
  clicks INTEGER NOT NULL,
  metadata TEXT,
  revision INTEGER NOT NULL,
  refunded_at INTEGER,
  paid_at INTEGER,
  charged TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  hold_days INTEGER NOT NULL,
  commission_cap INTEGER,
  budgets TEXT,
  candidates TEXT,
  why_by TEXT,
  why_rate_from TEXT,
  why_plan_from TEXT,
  why_over TEXT,
  why_deducted TEXT,
  why_click_id INTEGER,
  why_payment INTEGER,
  why_month INTEGER,
  why_month_from_referral INTEGER NOT NULL CHECK (why_month_from_referral IN (0, 1)),
  why_earlier INTEGER,
  why_commission_plan_id TEXT,
  why_commission_tier_id TEXT,
  payable_amount INTEGER NOT NULL,
  payable_from INTEGER,
  commission_earned INTEGER NOT NULL,
  approval_statuses TEXT NOT NULL,
  charged_currency TEXT NOT NULL,
  product TEXT,
  product_name TEXT,
  given_as_null TEXT,
  by_external_id TEXT,
  by_invoice TEXT,
  by_conversion TEXT,
  of_customer TEXT,
  of_payable TEXT,
  of_payout TEXT,
  of_state TEXT,
  PRIMARY KEY (program, id)
) STRICT;
CREATE UNIQUE INDEX tributary_sales_by_number ON tributary_sales (program, sale_id);
CREATE UNIQUE INDEX tributary_sales_by_external_id ON tributary_sales (program, by_external_id) WHERE by_external_id IS NOT NULL;
CREATE UNIQUE INDEX tributary_sales_by_invoice ON tributary_sales (program, by_invoice) WHERE by_invoice IS NOT NULL;
CREATE UNIQUE INDEX tributary_sales_by_conversion ON tributary_sales (program, by_conversion) WHERE by_conversion IS NOT NULL;
CREATE INDEX tributary_sales_of_affiliate ON tributary_sales (program, affiliate_id, id);
CREATE INDEX tributary_sales_of_referral ON tributary_sales (program, referral_id, id) WHERE referral_id IS NOT NULL;
CREATE INDEX tributary_sales_of_link ON tributary_sales (program, affiliate_link_id, id) WHERE affiliate_link_id IS NOT NULL;
CREATE INDEX tributary_sales_of_customer ON tributary_sales (program, of_customer, id) WHERE of_customer IS NOT NULL;
CREATE INDEX tributary_sales_of_payable ON tributary_sales (program, of_payable, id) WHERE of_payable IS NOT NULL;
CREATE INDEX tributary_sales_of_payout ON tributary_sales (program, of_payout, id) WHERE of_payout IS NOT NULL;
CREATE INDEX tributary_sales_of_state ON tributary_sales (program, of_state, id) WHERE of_state IS NOT NULL;

CREATE TABLE tributary_plans (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  commission_type TEXT NOT NULL,
  commission_rate INTEGER NOT NULL,
  number_of_payments INTEGER NOT NULL,
  number_of_months INTEGER NOT NULL,
  hold_days INTEGER NOT NULL,
  rules TEXT,
  months_from TEXT NOT NULL,
  max_per_sale INTEGER NOT NULL,
  max_per_customer INTEGER NOT NULL,
  budgets TEXT,
  bonuses TEXT,
  offer_coupon_id TEXT,
  versions TEXT,
  payment_trigger TEXT NOT NULL,
  hold_rewards INTEGER NOT NULL CHECK (hold_rewards IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (program, id)
) STRICT;

CREATE TABLE tributary_tiers (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  tier INTEGER NOT NULL,
  name TEXT NOT NULL,
  emoji TEXT NOT NULL,
  min_referrals INTEGER NOT NULL,
  min_revenue INTEGER NOT NULL,
  per TEXT NOT NULL,
  grace_periods INTEGER NOT NULL,
  at_period_end INTEGER NOT NULL CHECK (at_period_end IN (0, 1)),
  condition_type TEXT NOT NULL,
  commission_rate INTEGER,
  commission_type TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  given_as_null TEXT,
  PRIMARY KEY (program, id)
) STRICT;

CREATE TABLE tributary_payouts (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  affiliate_id TEXT NOT NULL,
  amount INTEGER NOT NULL,
  status TEXT,
  payment_method TEXT NOT NULL,
  period_start INTEGER,
  period_end INTEGER,
  external_id TEXT NOT NULL,
  manually_paid INTEGER NOT NULL CHECK (manually_paid IN (0, 1)),
  paid_at INTEGER,
  failed_reason TEXT NOT NULL,
  payee_name TEXT NOT NULL,
  payee_email TEXT NOT NULL,
  canceled_at INTEGER,
  items TEXT,
  commission_ids TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  run_id TEXT,
  returned_at INTEGER,
  returned_reason TEXT NOT NULL,
  PRIMARY KEY (program, id)
) STRICT;
CREATE INDEX tributary_payouts_of_affiliate ON tributary_payouts (program, affiliate_id, id);
CREATE INDEX tributary_payouts_of_state ON tributary_payouts (program, status, id) WHERE status IS NOT NULL;
CREATE INDEX tributary_payouts_of_run ON tributary_payouts (program, run_id, id) WHERE run_id IS NOT NULL;

CREATE TABLE tributary_adjustments (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  affiliate_id TEXT NOT NULL,
  sale_id INTEGER,
  kind TEXT NOT NULL,
  amount INTEGER NOT NULL,
  reason TEXT NOT NULL,
  external_id TEXT NOT NULL,
  reverses_id TEXT,
  reversed_by_id TEXT,
  payout_id TEXT,
  created_at INTEGER NOT NULL,
  by_external_id TEXT,
  of_payable TEXT,
  PRIMARY KEY (program, id)
) STRICT;
CREATE UNIQUE INDEX tributary_adjustments_by_external_id ON tributary_adjustments (program, by_external_id) WHERE by_external_id IS NOT NULL;
CREATE INDEX tributary_adjustments_of_affiliate ON tributary_adjustments (program, affiliate_id, id);
CREATE INDEX tributary_adjustments_of_payable ON tributary_adjustments (program, of_payable, id) WHERE of_payable IS NOT NULL;
CREATE INDEX tributary_adjustments_of_payout ON tributary_adjustments (program, payout_id, id) WHERE payout_id IS NOT NULL;

CREATE TABLE tributary_movements (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  affiliate_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  from_account TEXT,
  to_account TEXT,
  cause TEXT,
  amount INTEGER NOT NULL,
  sale_id INTEGER,
  commission_id INTEGER,
  payout_id TEXT,
  adjustment_id TEXT,
  affiliate_link_id TEXT,
  promotional_code_id TEXT,
  sales INTEGER NOT NULL,
  conversions INTEGER NOT NULL,
  revenue INTEGER NOT NULL,
  refunds INTEGER NOT NULL,
  held INTEGER NOT NULL,
  payable INTEGER NOT NULL,
  in_payout INTEGER NOT NULL,
  paid INTEGER NOT NULL,
  actor TEXT NOT NULL,
  PRIMARY KEY (program, id)
) STRICT;
CREATE INDEX tributary_movements_of_affiliate ON tributary_movements (program, affiliate_id, id);
CREATE INDEX tributary_movements_of_sale ON tributary_movements (program, sale_id, id) WHERE sale_id IS NOT NULL;

CREATE TABLE tributary_runs (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  external_id TEXT NOT NULL,
  sent_until INTEGER,
  until INTEGER,
  minimum INTEGER NOT NULL,
  methods TEXT,
  no_details INTEGER NOT NULL CHECK (no_details IN (0, 1)),
  affiliate_ids TEXT,
  except_ids TEXT,
  status TEXT NOT NULL,
  cursor TEXT,
  created INTEGER NOT NULL,
  skipped INTEGER NOT NULL,
  total INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  by_external_id TEXT,
  PRIMARY KEY (program, id)
) STRICT;
CREATE UNIQUE INDEX tributary_runs_by_external_id ON tributary_runs (program, by_external_id) WHERE by_external_id IS NOT NULL;

CREATE TABLE tributary_lines (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  affiliate_id TEXT NOT NULL,
  amount INTEGER NOT NULL,
  payout_id TEXT,
  skipped TEXT NOT NULL,
  created_so_far INTEGER NOT NULL,
  skipped_so_far INTEGER NOT NULL,
  total_so_far INTEGER NOT NULL,
  by_line TEXT,
  PRIMARY KEY (program, id)
) STRICT;
CREATE UNIQUE INDEX tributary_lines_by_line ON tributary_lines (program, by_line) WHERE by_line IS NOT NULL;
CREATE INDEX tributary_lines_of_run ON tributary_lines (program, run_id, id);

CREATE TABLE tributary_totals (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  clicks INTEGER NOT NULL,
  pruned_clicks INTEGER NOT NULL,
  referrals INTEGER NOT NULL,
  sales INTEGER NOT NULL,
  revenue INTEGER NOT NULL,
  commission INTEGER NOT NULL,
  conversions INTEGER NOT NULL,
  free_orders INTEGER NOT NULL,
  held INTEGER NOT NULL,
  payable INTEGER NOT NULL,
  in_payout INTEGER NOT NULL,
  paid INTEGER NOT NULL,
  movements INTEGER NOT NULL,
  moved_at INTEGER,
  closed_until INTEGER,
  longest_hold_days INTEGER NOT NULL,
  unbooked INTEGER NOT NULL CHECK (unbooked IN (0, 1)),
  opened_at INTEGER,
  PRIMARY KEY (program, id)
) STRICT;

CREATE TABLE tributary_receipts (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  digest BLOB NOT NULL,
  answer TEXT,
  sealed INTEGER NOT NULL CHECK (sealed IN (0, 1)),
  secret BLOB,
  outcome TEXT NOT NULL,
  refusal BLOB,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (program, id)
) STRICT;
CREATE UNIQUE INDEX tributary_receipts_by_request ON tributary_receipts (program, idempotency_key);

CREATE TABLE tributary_endpoints (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  url TEXT NOT NULL,
  description TEXT NOT NULL,
  events TEXT,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  svix_headers INTEGER NOT NULL CHECK (svix_headers IN (0, 1)),
  secrets TEXT,
  header_names TEXT,
  headers BLOB,
  disabled_reason TEXT NOT NULL,
  disabled_at INTEGER,
  first_failure_at INTEGER,
  last_success_at INTEGER,
  answered_at INTEGER,
  worked_at INTEGER,
  paused_until INTEGER,
  warned INTEGER NOT NULL CHECK (warned IN (0, 1)),
  dead INTEGER NOT NULL CHECK (dead IN (0, 1)),
  in_flight TEXT,
  clearing TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (program, id)
) STRICT;

CREATE TABLE tributary_events (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  event TEXT NOT NULL,
  object_id TEXT NOT NULL,
  sale_id INTEGER,
  revision INTEGER NOT NULL,
  occurred_at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  reason TEXT NOT NULL,
  payload TEXT,
  PRIMARY KEY (program, id)
) STRICT;
CREATE INDEX tributary_events_of_object ON tributary_events (program, object_id, id);

CREATE TABLE tributary_deliveries (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  webhook_id TEXT NOT NULL,
  event TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts TEXT,
  next_attempt_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (program, id)
) STRICT;
CREATE INDEX tributary_deliveries_of_event ON tributary_deliveries (program, event_id, id);
CREATE INDEX tributary_deliveries_of_endpoint ON tributary_deliveries (program, webhook_id, id);
CREATE INDEX tributary_deliveries_of_state ON tributary_deliveries (program, state, id);

CREATE TABLE tributary_queue (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  delivery_id TEXT NOT NULL,
  webhook_id TEXT NOT NULL,
  object_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  since INTEGER,
  token TEXT,
  tried INTEGER NOT NULL CHECK (tried IN (0, 1)),
  manual INTEGER NOT NULL CHECK (manual IN (0, 1)),
  PRIMARY KEY (program, id)
) STRICT;
CREATE UNIQUE INDEX tributary_queue_by_delivery ON tributary_queue (program, delivery_id);
CREATE INDEX tributary_queue_of_endpoint ON tributary_queue (program, webhook_id, id);

CREATE TABLE tributary_imports (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  ref TEXT NOT NULL,
  kind TEXT NOT NULL,
  object_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  adopted INTEGER NOT NULL CHECK (adopted IN (0, 1)),
  sales INTEGER NOT NULL,
  refunds INTEGER NOT NULL,
  commission INTEGER NOT NULL,
  payouts INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  by_ref TEXT,
  PRIMARY KEY (program, id)
) STRICT;
CREATE UNIQUE INDEX tributary_imports_by_ref ON tributary_imports (program, by_ref) WHERE by_ref IS NOT NULL;

CREATE TABLE tributary_payments (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  provider TEXT NOT NULL,
  payer_id TEXT NOT NULL,
  sale_record_id TEXT,
  gross INTEGER,
  currency TEXT NOT NULL,
  exchange_rate INTEGER,
  worth INTEGER,
  waiting TEXT,
  conflict_record_id TEXT,
  decided TEXT NOT NULL,
  undecided TEXT NOT NULL,
  told_at INTEGER,
  raised INTEGER,
  revoked_at INTEGER,
  stands_at INTEGER,
  refunds TEXT,
  refunded_amount INTEGER,
  refunded_late INTEGER,
  disputes TEXT,
  peak INTEGER NOT NULL,
  adjusted INTEGER NOT NULL,
  adjustment_ids TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  given_as_null TEXT,
  of_payer TEXT,
  of_state TEXT,
  PRIMARY KEY (program, id)
) STRICT;
CREATE UNIQUE INDEX tributary_payments_by_sale ON tributary_payments (program, sale_record_id) WHERE sale_record_id IS NOT NULL;
CREATE INDEX tributary_payments_of_payer ON tributary_payments (program, of_payer, id) WHERE of_payer IS NOT NULL;
CREATE INDEX tributary_payments_of_state ON tributary_payments (program, of_state, id) WHERE of_state IS NOT NULL;

CREATE TABLE tributary_paymentkeys (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  payment_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  provider_key TEXT NOT NULL,
  by_payment TEXT,
  PRIMARY KEY (program, id)
) STRICT;
CREATE UNIQUE INDEX tributary_paymentkeys_by_payment ON tributary_paymentkeys (program, by_payment) WHERE by_payment IS NOT NULL;
CREATE INDEX tributary_paymentkeys_of_payment ON tributary_paymentkeys (program, payment_id, id);

CREATE TABLE tributary_payers (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  provider TEXT NOT NULL,
  payer_id TEXT NOT NULL,
  email TEXT NOT NULL,
  name TEXT NOT NULL,
  referral_id TEXT,
  matched_by_email INTEGER NOT NULL CHECK (matched_by_email IN (0, 1)),
  subscriptions TEXT,
  early INTEGER NOT NULL CHECK (early IN (0, 1)),
  status_by_hand INTEGER NOT NULL CHECK (status_by_hand IN (0, 1)),
  erased INTEGER NOT NULL CHECK (erased IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  by_payer TEXT,
  PRIMARY KEY (program, id)
) STRICT;
CREATE UNIQUE INDEX tributary_payers_by_payer ON tributary_payers (program, by_payer) WHERE by_payer IS NOT NULL;
CREATE INDEX tributary_payers_of_referral ON tributary_payers (program, referral_id, id) WHERE referral_id IS NOT NULL;

CREATE TABLE tributary_erasures (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  referral_id TEXT,
  affiliate_id TEXT,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (program, id)
) STRICT;
CREATE INDEX tributary_erasures_of_referral ON tributary_erasures (program, referral_id, id) WHERE referral_id IS NOT NULL;
CREATE INDEX tributary_erasures_of_affiliate ON tributary_erasures (program, affiliate_id, id) WHERE affiliate_id IS NOT NULL;

CREATE TABLE tributary_aliases (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  affiliate_link_id TEXT,
  affiliate_id TEXT,
  alias TEXT NOT NULL,
  by_slug TEXT,
  PRIMARY KEY (program, id)
) STRICT;
CREATE UNIQUE INDEX tributary_aliases_by_slug ON tributary_aliases (program, by_slug) WHERE by_slug IS NOT NULL;
CREATE INDEX tributary_aliases_of_link ON tributary_aliases (program, affiliate_link_id, id) WHERE affiliate_link_id IS NOT NULL;
CREATE INDEX tributary_aliases_of_affiliate ON tributary_aliases (program, affiliate_id, id) WHERE affiliate_id IS NOT NULL;

CREATE TABLE tributary_uses (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  customer TEXT NOT NULL,
  redemption_id TEXT NOT NULL,
  promotional_code_id TEXT,
  coupon_id TEXT NOT NULL,
  until INTEGER,
  PRIMARY KEY (program, id)
) STRICT;
CREATE INDEX tributary_uses_of_user ON tributary_uses (program, customer, id);
CREATE INDEX tributary_uses_of_redemption ON tributary_uses (program, redemption_id, id);

CREATE TABLE tributary_holds (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  hold_id TEXT NOT NULL,
  promotional_code_id TEXT,
  coupon_id TEXT NOT NULL,
  state TEXT NOT NULL,
  currency TEXT NOT NULL,
  subtotal INTEGER,
  discount INTEGER,
  discount_worth INTEGER NOT NULL,
  total INTEGER,
  lines TEXT,
  sale_id INTEGER NOT NULL,
  until INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  given_as_null TEXT,
  of_code TEXT,
  of_coupon TEXT,
  PRIMARY KEY (program, id)
) STRICT;
CREATE UNIQUE INDEX tributary_holds_by_external_id ON tributary_holds (program, hold_id);
CREATE INDEX tributary_holds_of_code ON tributary_holds (program, of_code, id) WHERE of_code IS NOT NULL;
CREATE INDEX tributary_holds_of_coupon ON tributary_holds (program, of_coupon, id) WHERE of_coupon IS NOT NULL;

CREATE TABLE tributary_settings (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  currency TEXT NOT NULL,
  time_zone TEXT NOT NULL,
  chosen TEXT,
  revision INTEGER NOT NULL,
  updated_by TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (program, id)
) STRICT;

CREATE TABLE tributary_cases (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  affiliate_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  sale_id INTEGER,
  external_id TEXT NOT NULL,
  text TEXT NOT NULL,
  status TEXT,
  answer TEXT NOT NULL,
  actor TEXT NOT NULL,
  answered_at INTEGER,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (program, id)
) STRICT;
CREATE INDEX tributary_cases_of_affiliate ON tributary_cases (program, affiliate_id, id);
CREATE INDEX tributary_cases_of_state ON tributary_cases (program, status, id) WHERE status IS NOT NULL;

CREATE TABLE tributary_budgets (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  commission_plan_id TEXT,
  affiliate_id TEXT,
  period_from INTEGER,
  of TEXT NOT NULL,
  per TEXT NOT NULL,
  coupon_id TEXT,
  utm_campaign TEXT NOT NULL,
  max_commission INTEGER NOT NULL,
  max_rewards INTEGER NOT NULL,
  whole INTEGER NOT NULL CHECK (whole IN (0, 1)),
  commission INTEGER NOT NULL,
  rewards INTEGER NOT NULL,
  status TEXT NOT NULL,
  PRIMARY KEY (program, id)
) STRICT;
CREATE INDEX tributary_budgets_of_affiliate ON tributary_budgets (program, affiliate_id, id) WHERE affiliate_id IS NOT NULL;
CREATE INDEX tributary_budgets_of_kind ON tributary_budgets (program, of, id);
CREATE INDEX tributary_budgets_of_state ON tributary_budgets (program, status, id);

CREATE TABLE tributary_values (
  program INTEGER NOT NULL REFERENCES tributary_programs (number),
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  value BLOB,
  sealed INTEGER NOT NULL CHECK (sealed IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  by_name TEXT,
  PRIMARY KEY (program, id)
) STRICT;
CREATE UNIQUE INDEX tributary_values_by_name ON tributary_values (program, by_name) WHERE by_name IS NOT NULL;
CREATE INDEX tributary_values_of_kind ON tributary_values (program, kind, id);
