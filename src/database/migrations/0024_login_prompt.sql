-- expand
-- What a person needs for a login step, beside the QR code and the hint for the password: the passkey's request, the code
-- to compare, or why the linking before failed (`StoredPrompt` in core/channel/link/login-prompt.ts, as JSON). Text, since
-- jsonb cannot hold every string of a messenger. Replaced with each change of the channel's status.
alter table channels add column login_prompt text;
