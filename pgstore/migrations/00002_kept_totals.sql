-- +goose NO TRANSACTION
-- +goose Up
-- Totals count what is kept of sales, and no sale that was refunded in full;
-- before, they counted every sale with its whole total. The totals of whoever
-- has a sale with a refund are counted anew. Repeatable: run it again when a
-- process of the version before has still written meanwhile.

UPDATE tributary.totals AS t
SET record = (t.record::jsonb || jsonb_build_object('Sales', kept.sales, 'Revenue', kept.revenue))::json
FROM (
  SELECT s.program, o.owner,
    count(*) FILTER (WHERE s.record->>'Status' <> 'REFUNDED') AS sales,
    sum((s.record->>'TotalEarned')::numeric - (s.record->>'Refunded')::numeric) AS revenue
  FROM tributary.sales AS s
  CROSS JOIN LATERAL (VALUES (s.of_link), (s.of_affiliate), (s.of_referral)) AS o (owner)
  GROUP BY s.program, o.owner
  HAVING sum((s.record->>'Refunded')::numeric) > 0
) AS kept
WHERE t.program = kept.program AND t.id = kept.owner;
