-- expand
-- The name that a person gave the channel; null: that of the messenger's account. `name` is the one of the two that counts.
alter table channels add column given_name text;
