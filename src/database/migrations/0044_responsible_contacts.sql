-- expand
-- The contacts of an employee, for the chats that count as theirs.
create index contacts_responsible on contacts (account_id, responsible_user_id);
