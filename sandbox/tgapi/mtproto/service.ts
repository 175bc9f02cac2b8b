import type { mtp } from "@mtcute/core";
import type Long from "long";
import { TlWriter } from "../tl/writer.ts";
import { saltsFrom } from "./auth-key.ts";
import type { Session } from "./session.ts";

/** Messages of a client other than calls (core.telegram.org/mtproto/service_messages). */
export type ServiceMessage =
  | mtp.RawMt_msgs_ack
  | mtp.RawMt_ping
  | mtp.RawMt_ping_delay_disconnect
  | mtp.RawMt_get_future_salts
  | mtp.RawMt_destroy_session
  | mtp.RawMt_destroy_auth_key
  | mtp.RawMt_msgs_state_req
  | mtp.RawMt_msgs_state_info
  | mtp.RawMt_msgs_all_info
  | mtp.RawMt_msg_resend_req
  | mtp.RawMt_rpc_drop_answer
  | mtp.RawMt_http_wait;

/** Maximum number of future salts issued at once. */
const maxSalts = 64;

export function takeService(session: Session, id: Long, message: ServiceMessage): void {
  switch (message._) {
    case "mt_msgs_ack":
      session.outbox.confirm(message.msgIds);
      break;
    case "mt_ping_delay_disconnect":
      session.connection?.expectPingWithin(message.disconnectDelay);
      session.reply({ _: "mt_pong", msgId: id, pingId: message.pingId });
      break;
    case "mt_ping":
      session.reply({ _: "mt_pong", msgId: id, pingId: message.pingId });
      break;
    case "mt_get_future_salts":
      giveSalts(session, id, message.num);
      break;
    case "mt_destroy_session":
      destroySession(session, message.sessionId);
      break;
    case "mt_destroy_auth_key":
      destroyKey(session, id);
      break;
    case "mt_msgs_state_req":
      tellStates(session, id, message.msgIds);
      break;
    case "mt_msg_resend_req":
      for (const each of message.msgIds) session.repeat(each);
      break;
    case "mt_rpc_drop_answer":
      answer(session, id, { _: "mt_rpc_answer_unknown" });
      break;
    case "mt_msgs_state_info":
    case "mt_msgs_all_info":
    case "mt_http_wait":
      break;
  }
}

function giveSalts(session: Session, reqMsgId: Long, count: number): void {
  const now = session.world.clock.now();
  const salts = saltsFrom(session.key, now, Math.min(Math.max(count, 1), maxSalts));
  session.reply({
    _: "mt_future_salts",
    reqMsgId,
    now,
    salts: salts.map((each) => ({ _: "mt_future_salt", ...each })),
  });
}

/** Destroys another session of the same key; a session cannot destroy itself. */
function destroySession(session: Session, sessionId: Long): void {
  const isKnown = !sessionId.equals(session.id) && session.world.forgetSession(session.key.id, sessionId);
  session.reply({ _: isKnown ? "mt_destroy_session_ok" : "mt_destroy_session_none", sessionId });
}

function destroyKey(session: Session, id: Long): void {
  answer(session, id, { _: "mt_destroy_auth_key_ok" });
  session.world.note("key_destroyed", { key: session.key });
  session.world.forgetKey(session.key);
}

/**
 * The state of a message: not received, although the session remembers that far back; received; processed; answered.
 */
const unreceived = 2;
const received = 4;
const processed = 32;
const answered = 64;

/** One byte for each message (core.telegram.org/mtproto/service_messages_about_messages). */
function tellStates(session: Session, reqMsgId: Long, asked: readonly Long[]): void {
  const info = Buffer.from(asked.map((each) => stateOf(session, each)));
  session.reply({ _: "mt_msgs_state_info", reqMsgId, info });
}

function stateOf(session: Session, id: Long): number {
  const message = session.received.find(id);
  if (message === undefined) return unreceived;
  return message.answer === undefined ? received : received | processed | answered;
}

function answer(session: Session, id: Long, result: mtp.TlObject): void {
  session.answer(id, new TlWriter(session.schema).object(result).finish());
}
