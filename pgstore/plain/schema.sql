-- A new, empty schema for a server that speaks PostgreSQL's language and is not
-- PostgreSQL. There, texts have to be compared byte by byte without being told.
-- A test makes this file from the migrations. It can be run once.

CREATE SCHEMA tributary;

CREATE TABLE tributary.adjustments (
  program uuid NOT NULL,
  id uuid NOT NULL,
  affiliate_id uuid NOT NULL,
  sale_id bigint,
  kind text NOT NULL,
  amount bigint NOT NULL,
  reason text NOT NULL,
  external_id text NOT NULL,
  reverses_id uuid,
  reversed_by_id uuid,
  payout_id uuid,
  created_at timestamptz NOT NULL,
  by_external_id text,
  of_payable uuid,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX adjustments_by_external_id ON tributary.adjustments (program, by_external_id) WHERE (by_external_id IS NOT NULL);
CREATE INDEX adjustments_of_affiliate ON tributary.adjustments (program, affiliate_id, id) WHERE (affiliate_id IS NOT NULL);
CREATE INDEX adjustments_of_payable ON tributary.adjustments (program, of_payable, id) WHERE (of_payable IS NOT NULL);
CREATE INDEX adjustments_of_payout ON tributary.adjustments (program, payout_id, id) WHERE (payout_id IS NOT NULL);

CREATE TABLE tributary.affiliates (
  program uuid NOT NULL,
  id uuid NOT NULL,
  first_name text NOT NULL,
  last_name text NOT NULL,
  email text NOT NULL,
  external_id text NOT NULL,
  language text NOT NULL,
  status text,
  source text NOT NULL,
  commission_rate bigint,
  commission_type text NOT NULL,
  commission_plan_id uuid,
  commission_tier_id uuid,
  offer_coupon_id uuid,
  note text NOT NULL,
  exempt_from_commission_tier_changes bool NOT NULL,
  payout_email text NOT NULL,
  payee text NOT NULL,
  payee_shared bool NOT NULL,
  payment_method text NOT NULL,
  question_answers json,
  opening_clicks bigint NOT NULL,
  merged bool NOT NULL,
  revision bigint NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  given_as_null text,
  by_email text,
  by_external_id text,
  of_payee text,
  of_shared text,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX affiliates_by_email ON tributary.affiliates (program, by_email) WHERE (by_email IS NOT NULL);
CREATE UNIQUE INDEX affiliates_by_external_id ON tributary.affiliates (program, by_external_id) WHERE (by_external_id IS NOT NULL);
CREATE INDEX affiliates_of_coupon ON tributary.affiliates (program, offer_coupon_id, id) WHERE (offer_coupon_id IS NOT NULL);
CREATE INDEX affiliates_of_payee ON tributary.affiliates (program, of_payee, id) WHERE (of_payee IS NOT NULL);
CREATE INDEX affiliates_of_plan ON tributary.affiliates (program, commission_plan_id, id) WHERE (commission_plan_id IS NOT NULL);
CREATE INDEX affiliates_of_shared ON tributary.affiliates (program, of_shared, id) WHERE (of_shared IS NOT NULL);
CREATE INDEX affiliates_of_state ON tributary.affiliates (program, status, id) WHERE (status IS NOT NULL);
CREATE INDEX affiliates_of_tier ON tributary.affiliates (program, commission_tier_id, id) WHERE (commission_tier_id IS NOT NULL);

CREATE TABLE tributary.aliases (
  program uuid NOT NULL,
  id uuid NOT NULL,
  affiliate_link_id uuid,
  affiliate_id uuid,
  alias text NOT NULL,
  by_slug text,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX aliases_by_slug ON tributary.aliases (program, by_slug) WHERE (by_slug IS NOT NULL);
CREATE INDEX aliases_of_affiliate ON tributary.aliases (program, affiliate_id, id) WHERE (affiliate_id IS NOT NULL);
CREATE INDEX aliases_of_link ON tributary.aliases (program, affiliate_link_id, id) WHERE (affiliate_link_id IS NOT NULL);

CREATE TABLE tributary.budgets (
  program uuid NOT NULL,
  id uuid NOT NULL,
  commission_plan_id uuid,
  affiliate_id uuid,
  period_from timestamptz,
  of text NOT NULL,
  per text NOT NULL,
  coupon_id uuid,
  utm_campaign text NOT NULL,
  max_commission bigint NOT NULL,
  max_rewards bigint NOT NULL,
  whole bool NOT NULL,
  commission bigint NOT NULL,
  rewards bigint NOT NULL,
  status text NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE INDEX budgets_of_affiliate ON tributary.budgets (program, affiliate_id, id) WHERE (affiliate_id IS NOT NULL);
CREATE INDEX budgets_of_kind ON tributary.budgets (program, of, id) WHERE (of IS NOT NULL);
CREATE INDEX budgets_of_state ON tributary.budgets (program, status, id) WHERE (status IS NOT NULL);

CREATE TABLE tributary.cases (
  program uuid NOT NULL,
  id uuid NOT NULL,
  affiliate_id uuid NOT NULL,
  kind text NOT NULL,
  sale_id bigint,
  external_id text NOT NULL,
  text text NOT NULL,
  status text,
  answer text NOT NULL,
  actor text NOT NULL,
  answered_at timestamptz,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE INDEX cases_of_affiliate ON tributary.cases (program, affiliate_id, id) WHERE (affiliate_id IS NOT NULL);
CREATE INDEX cases_of_state ON tributary.cases (program, status, id) WHERE (status IS NOT NULL);

CREATE TABLE tributary.clicks (
  program uuid NOT NULL,
  id uuid NOT NULL,
  click_id bigint NOT NULL,
  affiliate_id uuid NOT NULL,
  affiliate_link_id uuid,
  referral_id uuid,
  device_id text NOT NULL,
  full_landing_url text NOT NULL,
  document_referrer text NOT NULL,
  user_agent text NOT NULL,
  is_unique bool NOT NULL,
  earlier_click_id bigint,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX clicks_by_number ON tributary.clicks (program, click_id) WHERE (click_id IS NOT NULL);
CREATE INDEX clicks_of_affiliate ON tributary.clicks (program, affiliate_id, id) WHERE (affiliate_id IS NOT NULL);
CREATE INDEX clicks_of_link ON tributary.clicks (program, affiliate_link_id, id) WHERE (affiliate_link_id IS NOT NULL);
CREATE INDEX clicks_of_referral ON tributary.clicks (program, referral_id, id) WHERE (referral_id IS NOT NULL);

CREATE TABLE tributary.codes (
  program uuid NOT NULL,
  id uuid NOT NULL,
  coupon_id uuid NOT NULL,
  affiliate_id uuid,
  code text NOT NULL,
  external_id text NOT NULL,
  active bool NOT NULL,
  expires_at timestamptz,
  max_redemptions bigint NOT NULL,
  times_redeemed bigint NOT NULL,
  opening_redeemed bigint NOT NULL,
  first_time_order bool NOT NULL,
  minimum_amount bigint,
  minimum_amount_currency text NOT NULL,
  starts_at timestamptz,
  minimum_quantity bigint NOT NULL,
  max_redemptions_per_customer bigint NOT NULL,
  times_held bigint NOT NULL,
  limit_to_customers bool NOT NULL,
  customer_id text NOT NULL,
  limit_to_affiliate bool NOT NULL,
  is_auto_generated bool NOT NULL,
  is_affiliate_generated bool NOT NULL,
  revision bigint NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  given_as_null text,
  by_code text,
  by_external_id text,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX codes_by_code ON tributary.codes (program, by_code) WHERE (by_code IS NOT NULL);
CREATE UNIQUE INDEX codes_by_external_id ON tributary.codes (program, by_external_id) WHERE (by_external_id IS NOT NULL);
CREATE INDEX codes_of_affiliate ON tributary.codes (program, affiliate_id, id) WHERE (affiliate_id IS NOT NULL);
CREATE INDEX codes_of_coupon ON tributary.codes (program, coupon_id, id) WHERE (coupon_id IS NOT NULL);

CREATE TABLE tributary.coupons (
  program uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  coupon_type text NOT NULL,
  percent_off bigint NOT NULL,
  amount_off bigint NOT NULL,
  currency text NOT NULL,
  duration text NOT NULL,
  duration_in_months bigint NOT NULL,
  max_redemptions bigint NOT NULL,
  times_redeemed bigint NOT NULL,
  opening_redeemed bigint NOT NULL,
  limit_to_products bool NOT NULL,
  product_ids json,
  valid bool NOT NULL,
  redeem_by timestamptz,
  starts_at timestamptz,
  max_discount bigint NOT NULL,
  max_discount_total bigint NOT NULL,
  discount_total bigint NOT NULL,
  max_redemptions_per_customer bigint NOT NULL,
  times_held bigint NOT NULL,
  held_discount bigint NOT NULL,
  restore_on_refund bool NOT NULL,
  external_id text NOT NULL,
  integration_type text NOT NULL,
  revision bigint NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  by_external_id text,
  of_name text,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX coupons_by_external_id ON tributary.coupons (program, by_external_id) WHERE (by_external_id IS NOT NULL);
CREATE INDEX coupons_of_name ON tributary.coupons (program, of_name, id) WHERE (of_name IS NOT NULL);

CREATE TABLE tributary.dedup (
  id text NOT NULL,
  done_at timestamptz NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX dedup_done_at ON tributary.dedup (done_at);

CREATE TABLE tributary.deliveries (
  program uuid NOT NULL,
  id uuid NOT NULL,
  event_id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  event text NOT NULL,
  state text NOT NULL,
  attempts json,
  next_attempt_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE INDEX deliveries_of_endpoint ON tributary.deliveries (program, webhook_id, id) WHERE (webhook_id IS NOT NULL);
CREATE INDEX deliveries_of_event ON tributary.deliveries (program, event_id, id) WHERE (event_id IS NOT NULL);
CREATE INDEX deliveries_of_state ON tributary.deliveries (program, state, id) WHERE (state IS NOT NULL);

CREATE TABLE tributary.endpoints (
  program uuid NOT NULL,
  id uuid NOT NULL,
  url text NOT NULL,
  description text NOT NULL,
  events json,
  active bool NOT NULL,
  svix_headers bool NOT NULL,
  secrets json,
  header_names json,
  headers bytea,
  disabled_reason text NOT NULL,
  disabled_at timestamptz,
  first_failure_at timestamptz,
  last_success_at timestamptz,
  answered_at timestamptz,
  worked_at timestamptz,
  paused_until timestamptz,
  warned bool NOT NULL,
  dead bool NOT NULL,
  in_flight json,
  clearing text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (program, id)
);

CREATE TABLE tributary.erasures (
  program uuid NOT NULL,
  id uuid NOT NULL,
  referral_id uuid,
  affiliate_id uuid,
  name text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE INDEX erasures_of_affiliate ON tributary.erasures (program, affiliate_id, id) WHERE (affiliate_id IS NOT NULL);
CREATE INDEX erasures_of_referral ON tributary.erasures (program, referral_id, id) WHERE (referral_id IS NOT NULL);

CREATE TABLE tributary.events (
  program uuid NOT NULL,
  id uuid NOT NULL,
  event text NOT NULL,
  object_id uuid NOT NULL,
  sale_id bigint,
  revision bigint NOT NULL,
  occurred_at timestamptz NOT NULL,
  actor text NOT NULL,
  reason text NOT NULL,
  payload json,
  PRIMARY KEY (program, id)
);
CREATE INDEX events_of_object ON tributary.events (program, object_id, id) WHERE (object_id IS NOT NULL);

CREATE TABLE tributary.holds (
  program uuid NOT NULL,
  id uuid NOT NULL,
  hold_id text NOT NULL,
  promotional_code_id uuid,
  coupon_id uuid NOT NULL,
  state text NOT NULL,
  currency text NOT NULL,
  subtotal bigint,
  discount bigint,
  discount_worth bigint NOT NULL,
  total bigint,
  lines json,
  sale_id bigint NOT NULL,
  until timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  given_as_null text,
  of_code uuid,
  of_coupon uuid,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX holds_by_external_id ON tributary.holds (program, hold_id) WHERE (hold_id IS NOT NULL);
CREATE INDEX holds_of_code ON tributary.holds (program, of_code, id) WHERE (of_code IS NOT NULL);
CREATE INDEX holds_of_coupon ON tributary.holds (program, of_coupon, id) WHERE (of_coupon IS NOT NULL);

CREATE TABLE tributary.imports (
  program uuid NOT NULL,
  id uuid NOT NULL,
  ref text NOT NULL,
  kind text NOT NULL,
  object_id uuid NOT NULL,
  digest text NOT NULL,
  adopted bool NOT NULL,
  sales bigint NOT NULL,
  refunds bigint NOT NULL,
  commission bigint NOT NULL,
  payouts bigint NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  by_ref text,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX imports_by_ref ON tributary.imports (program, by_ref) WHERE (by_ref IS NOT NULL);

CREATE TABLE tributary.lines (
  program uuid NOT NULL,
  id uuid NOT NULL,
  run_id uuid NOT NULL,
  affiliate_id uuid NOT NULL,
  amount bigint NOT NULL,
  payout_id uuid,
  skipped text NOT NULL,
  created_so_far bigint NOT NULL,
  skipped_so_far bigint NOT NULL,
  total_so_far bigint NOT NULL,
  by_line text,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX lines_by_line ON tributary.lines (program, by_line) WHERE (by_line IS NOT NULL);
CREATE INDEX lines_of_run ON tributary.lines (program, run_id, id) WHERE (run_id IS NOT NULL);

CREATE TABLE tributary.links (
  program uuid NOT NULL,
  id uuid NOT NULL,
  affiliate_id uuid NOT NULL,
  slug text NOT NULL,
  aliases json,
  opening_clicks bigint NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  by_slug text,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX links_by_slug ON tributary.links (program, by_slug) WHERE (by_slug IS NOT NULL);
CREATE INDEX links_of_affiliate ON tributary.links (program, affiliate_id, id) WHERE (affiliate_id IS NOT NULL);

CREATE TABLE tributary.movements (
  program uuid NOT NULL,
  id uuid NOT NULL,
  affiliate_id uuid NOT NULL,
  number bigint NOT NULL,
  at timestamptz NOT NULL,
  from_account text,
  to_account text,
  cause text,
  amount bigint NOT NULL,
  sale_id bigint,
  commission_id bigint,
  payout_id uuid,
  adjustment_id uuid,
  affiliate_link_id uuid,
  promotional_code_id uuid,
  sales bigint NOT NULL,
  conversions bigint NOT NULL,
  revenue bigint NOT NULL,
  refunds bigint NOT NULL,
  held bigint NOT NULL,
  payable bigint NOT NULL,
  in_payout bigint NOT NULL,
  paid bigint NOT NULL,
  actor text NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE INDEX movements_of_affiliate ON tributary.movements (program, affiliate_id, id) WHERE (affiliate_id IS NOT NULL);
CREATE INDEX movements_of_sale ON tributary.movements (program, sale_id, id) WHERE (sale_id IS NOT NULL);

CREATE TABLE tributary.payers (
  program uuid NOT NULL,
  id uuid NOT NULL,
  provider text NOT NULL,
  payer_id text NOT NULL,
  email text NOT NULL,
  name text NOT NULL,
  referral_id uuid,
  matched_by_email bool NOT NULL,
  subscriptions json,
  early bool NOT NULL,
  status_by_hand bool NOT NULL,
  erased bool NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  by_payer text,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX payers_by_payer ON tributary.payers (program, by_payer) WHERE (by_payer IS NOT NULL);
CREATE INDEX payers_of_referral ON tributary.payers (program, referral_id, id) WHERE (referral_id IS NOT NULL);

CREATE TABLE tributary.paymentkeys (
  program uuid NOT NULL,
  id uuid NOT NULL,
  payment_id uuid NOT NULL,
  provider text NOT NULL,
  provider_key text NOT NULL,
  by_payment text,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX paymentkeys_by_payment ON tributary.paymentkeys (program, by_payment) WHERE (by_payment IS NOT NULL);
CREATE INDEX paymentkeys_of_payment ON tributary.paymentkeys (program, payment_id, id) WHERE (payment_id IS NOT NULL);

CREATE TABLE tributary.payments (
  program uuid NOT NULL,
  id uuid NOT NULL,
  provider text NOT NULL,
  payer_id text NOT NULL,
  sale_record_id uuid,
  gross bigint,
  currency text NOT NULL,
  exchange_rate bigint,
  worth bigint,
  waiting json,
  conflict_record_id uuid,
  decided text NOT NULL,
  undecided text NOT NULL,
  told_at timestamptz,
  raised bigint,
  revoked_at timestamptz,
  stands_at timestamptz,
  refunds json,
  refunded_amount bigint,
  refunded_late bigint,
  disputes json,
  peak bigint NOT NULL,
  adjusted bigint NOT NULL,
  adjustment_ids json,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  given_as_null text,
  of_payer text,
  of_state text,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX payments_by_sale ON tributary.payments (program, sale_record_id) WHERE (sale_record_id IS NOT NULL);
CREATE INDEX payments_of_payer ON tributary.payments (program, of_payer, id) WHERE (of_payer IS NOT NULL);
CREATE INDEX payments_of_state ON tributary.payments (program, of_state, id) WHERE (of_state IS NOT NULL);

CREATE TABLE tributary.payouts (
  program uuid NOT NULL,
  id uuid NOT NULL,
  affiliate_id uuid NOT NULL,
  amount bigint NOT NULL,
  status text,
  payment_method text NOT NULL,
  period_start timestamptz,
  period_end timestamptz,
  external_id text NOT NULL,
  manually_paid bool NOT NULL,
  paid_at timestamptz,
  failed_reason text NOT NULL,
  payee_name text NOT NULL,
  payee_email text NOT NULL,
  canceled_at timestamptz,
  items json,
  commission_ids json,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  run_id uuid,
  returned_at timestamptz,
  returned_reason text NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE INDEX payouts_of_affiliate ON tributary.payouts (program, affiliate_id, id) WHERE (affiliate_id IS NOT NULL);
CREATE INDEX payouts_of_run ON tributary.payouts (program, run_id, id) WHERE (run_id IS NOT NULL);
CREATE INDEX payouts_of_state ON tributary.payouts (program, status, id) WHERE (status IS NOT NULL);

CREATE TABLE tributary.plans (
  program uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  commission_type text NOT NULL,
  commission_rate bigint NOT NULL,
  number_of_payments bigint NOT NULL,
  number_of_months bigint NOT NULL,
  hold_days bigint NOT NULL,
  rules json,
  months_from text NOT NULL,
  max_per_sale bigint NOT NULL,
  max_per_customer bigint NOT NULL,
  budgets json,
  bonuses json,
  offer_coupon_id uuid,
  versions json,
  payment_trigger text NOT NULL,
  hold_rewards bool NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (program, id)
);

CREATE TABLE tributary.programs (
  program uuid NOT NULL,
  version uuid NOT NULL,
  sale bigint NOT NULL,
  commission bigint NOT NULL,
  click bigint NOT NULL,
  fence bigint NOT NULL,
  marks bytea NOT NULL,
  PRIMARY KEY (program)
);

CREATE TABLE tributary.queue (
  program uuid NOT NULL,
  id uuid NOT NULL,
  delivery_id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  object_id uuid NOT NULL,
  revision bigint NOT NULL,
  since timestamptz,
  token uuid,
  tried bool NOT NULL,
  manual bool NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX queue_by_delivery ON tributary.queue (program, delivery_id) WHERE (delivery_id IS NOT NULL);
CREATE INDEX queue_of_endpoint ON tributary.queue (program, webhook_id, id) WHERE (webhook_id IS NOT NULL);

CREATE TABLE tributary.receipts (
  program uuid NOT NULL,
  id uuid NOT NULL,
  idempotency_key text NOT NULL,
  digest bytea NOT NULL,
  answer json,
  sealed bool NOT NULL,
  secret bytea,
  outcome text NOT NULL,
  refusal bytea,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX receipts_by_request ON tributary.receipts (program, idempotency_key) WHERE (idempotency_key IS NOT NULL);

CREATE TABLE tributary.redemptions (
  program uuid NOT NULL,
  id uuid NOT NULL,
  sale_id bigint NOT NULL,
  promotional_code_id uuid,
  coupon_id uuid NOT NULL,
  external_id text NOT NULL,
  discount bigint NOT NULL,
  refunded bool NOT NULL,
  over_limit bool NOT NULL,
  hold_id text NOT NULL,
  seen_at timestamptz,
  restored_at timestamptz,
  created_at timestamptz NOT NULL,
  by_external_id text,
  of_state text,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX redemptions_by_external_id ON tributary.redemptions (program, by_external_id) WHERE (by_external_id IS NOT NULL);
CREATE INDEX redemptions_of_code ON tributary.redemptions (program, promotional_code_id, id) WHERE (promotional_code_id IS NOT NULL);
CREATE INDEX redemptions_of_coupon ON tributary.redemptions (program, coupon_id, id) WHERE (coupon_id IS NOT NULL);
CREATE INDEX redemptions_of_state ON tributary.redemptions (program, of_state, id) WHERE (of_state IS NOT NULL);

CREATE TABLE tributary.referrals (
  program uuid NOT NULL,
  id uuid NOT NULL,
  affiliate_id uuid NOT NULL,
  affiliate_link_id uuid,
  commission_plan_id uuid,
  commission_plan_fixed bool NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  referred_user_external_id text NOT NULL,
  plan text NOT NULL,
  status text NOT NULL,
  submission_type text NOT NULL,
  referral_medium text NOT NULL,
  source text NOT NULL,
  integration_referral_source text NOT NULL,
  initial_landing_page text NOT NULL,
  notes text,
  metadata json,
  erased_at timestamptz,
  merged bool NOT NULL,
  revision bigint NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  given_as_null text,
  by_email text,
  of_customer text,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX referrals_by_email ON tributary.referrals (program, by_email) WHERE (by_email IS NOT NULL);
CREATE INDEX referrals_of_affiliate ON tributary.referrals (program, affiliate_id, id) WHERE (affiliate_id IS NOT NULL);
CREATE INDEX referrals_of_customer ON tributary.referrals (program, of_customer, id) WHERE (of_customer IS NOT NULL);
CREATE INDEX referrals_of_link ON tributary.referrals (program, affiliate_link_id, id) WHERE (affiliate_link_id IS NOT NULL);
CREATE INDEX referrals_of_plan ON tributary.referrals (program, commission_plan_id, id) WHERE (commission_plan_id IS NOT NULL);

CREATE TABLE tributary.runs (
  program uuid NOT NULL,
  id uuid NOT NULL,
  external_id text NOT NULL,
  sent_until timestamptz,
  until timestamptz,
  minimum bigint NOT NULL,
  methods json,
  no_details bool NOT NULL,
  affiliate_ids json,
  except_ids json,
  status text NOT NULL,
  cursor uuid,
  created bigint NOT NULL,
  skipped bigint NOT NULL,
  total bigint NOT NULL,
  started_at timestamptz NOT NULL,
  finished_at timestamptz,
  by_external_id text,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX runs_by_external_id ON tributary.runs (program, by_external_id) WHERE (by_external_id IS NOT NULL);

CREATE TABLE tributary.sales (
  program uuid NOT NULL,
  id uuid NOT NULL,
  sale_id bigint NOT NULL,
  affiliate_id uuid NOT NULL,
  referral_id uuid,
  affiliate_link_id uuid,
  promotional_code_id uuid,
  external_id text NOT NULL,
  external_invoice_id text NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  total_earned bigint NOT NULL,
  subtotal bigint,
  tax_amount bigint NOT NULL,
  shipping_amount bigint NOT NULL,
  refunded_amount bigint NOT NULL,
  commission_rate bigint,
  commission_type text,
  commission_rate_fixed bool NOT NULL,
  commission_by_hand json,
  status text,
  payment_trigger text,
  source text,
  integration_sales_source text,
  deleted_fired bool NOT NULL,
  free bool NOT NULL,
  offer bool NOT NULL,
  conversion text NOT NULL,
  past bool NOT NULL,
  commissions json,
  refunds json,
  lines json,
  products_bought json,
  clicks bigint NOT NULL,
  metadata json,
  revision bigint NOT NULL,
  refunded_at timestamptz,
  paid_at timestamptz,
  charged json,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  hold_days bigint NOT NULL,
  commission_cap bigint,
  budgets json,
  candidates json,
  why_by text,
  why_rate_from text,
  why_plan_from text,
  why_over text,
  why_deducted text,
  why_click_id bigint,
  why_payment bigint,
  why_month bigint,
  why_month_from_referral bool NOT NULL,
  why_earlier bigint,
  why_commission_plan_id uuid,
  why_commission_tier_id uuid,
  payable_amount bigint NOT NULL,
  payable_from timestamptz,
  commission_earned bigint NOT NULL,
  approval_statuses text NOT NULL,
  charged_currency text NOT NULL,
  product text,
  product_name text,
  given_as_null text,
  by_external_id text,
  by_invoice text,
  by_conversion text,
  of_customer text,
  of_payable uuid,
  of_payout uuid,
  of_state text,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX sales_by_conversion ON tributary.sales (program, by_conversion) WHERE (by_conversion IS NOT NULL);
CREATE UNIQUE INDEX sales_by_external_id ON tributary.sales (program, by_external_id) WHERE (by_external_id IS NOT NULL);
CREATE UNIQUE INDEX sales_by_invoice ON tributary.sales (program, by_invoice) WHERE (by_invoice IS NOT NULL);
CREATE UNIQUE INDEX sales_by_number ON tributary.sales (program, sale_id) WHERE (sale_id IS NOT NULL);
CREATE INDEX sales_of_affiliate ON tributary.sales (program, affiliate_id, id) WHERE (affiliate_id IS NOT NULL);
CREATE INDEX sales_of_customer ON tributary.sales (program, of_customer, id) WHERE (of_customer IS NOT NULL);
CREATE INDEX sales_of_link ON tributary.sales (program, affiliate_link_id, id) WHERE (affiliate_link_id IS NOT NULL);
CREATE INDEX sales_of_payable ON tributary.sales (program, of_payable, id) WHERE (of_payable IS NOT NULL);
CREATE INDEX sales_of_payout ON tributary.sales (program, of_payout, id) WHERE (of_payout IS NOT NULL);
CREATE INDEX sales_of_referral ON tributary.sales (program, referral_id, id) WHERE (referral_id IS NOT NULL);
CREATE INDEX sales_of_state ON tributary.sales (program, of_state, id) WHERE (of_state IS NOT NULL);

CREATE TABLE tributary.settings (
  program uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  currency text NOT NULL,
  time_zone text NOT NULL,
  chosen json,
  revision bigint NOT NULL,
  updated_by text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (program, id)
);

CREATE TABLE tributary.tiers (
  program uuid NOT NULL,
  id uuid NOT NULL,
  tier bigint NOT NULL,
  name text NOT NULL,
  emoji text NOT NULL,
  min_referrals bigint NOT NULL,
  min_revenue bigint NOT NULL,
  per text NOT NULL,
  grace_periods bigint NOT NULL,
  at_period_end bool NOT NULL,
  condition_type text NOT NULL,
  commission_rate bigint,
  commission_type text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  given_as_null text,
  PRIMARY KEY (program, id)
);

CREATE TABLE tributary.totals (
  program uuid NOT NULL,
  id uuid NOT NULL,
  clicks bigint NOT NULL,
  pruned_clicks bigint NOT NULL,
  referrals bigint NOT NULL,
  sales bigint NOT NULL,
  revenue bigint NOT NULL,
  commission bigint NOT NULL,
  conversions bigint NOT NULL,
  free_orders bigint NOT NULL,
  held bigint NOT NULL,
  payable bigint NOT NULL,
  in_payout bigint NOT NULL,
  paid bigint NOT NULL,
  movements bigint NOT NULL,
  moved_at timestamptz,
  closed_until timestamptz,
  longest_hold_days bigint NOT NULL,
  unbooked bool NOT NULL,
  opened_at timestamptz,
  PRIMARY KEY (program, id)
);

CREATE TABLE tributary.uses (
  program uuid NOT NULL,
  id uuid NOT NULL,
  customer uuid NOT NULL,
  redemption_id uuid NOT NULL,
  promotional_code_id uuid,
  coupon_id uuid NOT NULL,
  until timestamptz,
  PRIMARY KEY (program, id)
);
CREATE INDEX uses_of_redemption ON tributary.uses (program, redemption_id, id) WHERE (redemption_id IS NOT NULL);
CREATE INDEX uses_of_user ON tributary.uses (program, customer, id) WHERE (customer IS NOT NULL);

CREATE TABLE tributary.values (
  program uuid NOT NULL,
  id uuid NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  value bytea,
  sealed bool NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  by_name text,
  PRIMARY KEY (program, id)
);
CREATE UNIQUE INDEX values_by_name ON tributary."values" (program, by_name) WHERE (by_name IS NOT NULL);
CREATE INDEX values_of_kind ON tributary."values" (program, kind, id) WHERE (kind IS NOT NULL);

CREATE VIEW tributary.sales_report AS
SELECT s.program, s.sale_id, s.created_at, s.status, round(s.total_earned * 0.0001, 4) AS total_earned,
  round(s.refunded_amount * 0.0001, 4) AS refunded_amount,
  round(s.commission_earned * 0.0001, 4) AS commission_earned,
  s.affiliate_id, s.referral_id, s.affiliate_link_id, s.promotional_code_id,
  nullif(s.external_id, '') AS external_id, nullif(s.external_invoice_id, '') AS external_invoice_id, nullif(s.email, '') AS email,
  (s.commissions->0->>'payout_id')::uuid AS payout_id, nullif(s.conversion, '') AS conversion
FROM tributary.sales AS s;

CREATE VIEW tributary.commissions_report AS
SELECT s.program, s.sale_id, (c->>'commission_id')::bigint AS commission_id, (c->>'affiliate_id')::uuid AS affiliate_id,
  round((c->>'commission_earned')::bigint * 0.0001, 4) AS commission_earned, c->>'approval_status' AS approval_status,
  c->>'hold_reason' AS hold_reason, (c->>'payout_id')::uuid AS payout_id, coalesce((c->>'manually_paid')::boolean, false) AS manually_paid,
  coalesce((c->>'clawback')::boolean, false) AS clawback, c->>'bonus_reason' AS bonus_reason,
  CASE
    WHEN c->>'approval_status' = 'DECLINED' THEN NULL
    WHEN (c->>'clawback')::boolean THEN timestamptz 'epoch' + (c->>'created_at')::bigint * interval '1 microsecond'
    ELSE s.created_at + s.hold_days * interval '24 hours'
  END AS payable_at,
  timestamptz 'epoch' + (c->>'created_at')::bigint * interval '1 microsecond' AS created_at,
  timestamptz 'epoch' + (c->>'updated_at')::bigint * interval '1 microsecond' AS updated_at
FROM tributary.sales AS s, json_array_elements(s.commissions) AS c;

CREATE VIEW tributary.redemptions_report AS
SELECT r.program, r.sale_id, r.created_at AS redeemed_at, r.restored_at, r.promotional_code_id, r.coupon_id
FROM tributary.redemptions AS r;

CREATE VIEW tributary.codes_report AS
SELECT c.program, c.id AS promotional_code_id, c.code, c.coupon_id, c.affiliate_id, nullif(c.external_id, '') AS external_id, c.active,
  c.times_redeemed, c.created_at
FROM tributary.codes AS c;

CREATE VIEW tributary.clicks_report AS
SELECT c.program, c.click_id, c.created_at, c.is_unique, c.affiliate_id, c.affiliate_link_id, c.referral_id
FROM tributary.clicks AS c;

CREATE VIEW tributary.events_report AS
SELECT e.program, 'evt_' || replace(e.id::text, '-', '') AS event_id, e.event, e.occurred_at, e.object_id
FROM tributary.events AS e;

CREATE VIEW tributary.deliveries_report AS
SELECT d.program, d.id AS delivery_id, 'evt_' || replace(d.event_id::text, '-', '') AS event_id, d.webhook_id, d.state AS status,
  d.created_at, coalesce(json_array_length(d.attempts), 0) AS attempts
FROM tributary.deliveries AS d;

CREATE VIEW tributary.movements_report AS
SELECT m.program, m.affiliate_id, m.id AS movement_id, m.at, m.cause, m.from_account, m.to_account,
  round(m.amount * 0.0001, 4) AS amount, m.sale_id
FROM tributary.movements AS m;
