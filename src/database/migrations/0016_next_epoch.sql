-- expand
-- The epoch after this one. On a later timeline it is above all epochs of the earlier ones: a promoted standby may lack the
-- last of those, and would give them out again.
create function next_epoch(epoch bigint) returns bigint language sql stable as $$
  select greatest(epoch + 1, (coalesce(('x' || current_timeline())::bit(32)::bigint, 1) - 1) << 20)
$$;
