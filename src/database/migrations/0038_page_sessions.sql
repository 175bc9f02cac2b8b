-- What a redeemed ticket became: a session of one page. `expires_at` is then the end of the session.
alter table page_tickets
  add column session_hash bytea unique,
  -- Channels that were created in the session; besides the one of its opening, it reaches no other.
  add column channels uuid[] not null default '{}';

-- What a person needs for the step that a channel waits for, for pages that were opened after it was announced: the QR
-- code to scan, as a data URI, or the hint that the account's owner wrote down for the two-factor password.
alter table channels
  add column password_hint text,
  add column qr text,
  add column qr_expires_at timestamptz;

-- Origins that may show the account's pages in a frame; null: any.
alter table accounts
  add column frame_origins text[];
