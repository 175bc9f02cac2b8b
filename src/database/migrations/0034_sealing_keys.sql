-- Fingerprint of the key that a node seals with: a rotation waits until all have the same.
alter table nodes add column sealing_key text;
