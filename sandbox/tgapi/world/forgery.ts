import type { HandshakeForgery } from "../mtproto/handshake.ts";

/** What the emulator can be told to do wrong. */
export type Forgery =
  | HandshakeForgery
  | "msg_key"
  | "session_id"
  | "server_salt"
  | "bad_server_salt"
  | "old_msg_id"
  | "replay";
