import { handleRequest, plain } from "./call/dispatch.ts";
import type { ConnectionEvents } from "./connection.ts";
import { badPayload } from "./refusal.ts";
import type { Session } from "./world/account.ts";
import type { World } from "./world/world.ts";

/** Connects the world to a connection's requests, responses and end. */
export function connectionEvents(world: World): ConnectionEvents<Session> {
  return {
    onRequest: (connection, frame) => {
      connection.lastRequestMs = Date.now();
      handleRequest(world, connection, frame);
    },
    onUnreadable: (connection, header, reason) => {
      const refusal = badPayload(reason);
      world.calls.append({
        at: world.stamp(),
        phone: connection.session?.account.phone ?? null,
        session: connection.session?.number ?? null,
        codec: connection.codecName,
        opcode: header.opcode,
        name: "unreadable",
        frame_seq: header.seq,
        payload: reason,
        error: refusal.code,
        unknown: false,
      });
      connection.refuse(header, refusal);
    },
    onAnswer: (connection, { opcode, seq, payload }) => {
      const phone = connection.session?.account.phone ?? null;
      world.acks.append({ at: world.stamp(), phone, opcode, frame_seq: seq, payload: plain(payload) });
    },
    onViolation: (connection, reason) => world.note("violation", connection.session, reason),
    onClosed: (connection) => {
      world.connections.delete(connection);
      const { session } = connection;
      if (session?.connection === connection) session.connection = undefined;
      world.note("closed", session);
    },
  };
}
