import type { HandshakeForgery } from "../mtproto/handshake.ts";

/** Defects that the emulator can inject. */
export type Forgery =
  | HandshakeForgery
  | "msg_key"
  | "session_id"
  | "server_salt"
  | "bad_server_salt"
  | "old_msg_id"
  | "replay";
