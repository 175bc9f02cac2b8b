import { AdminError, invalid, missing } from "../../http/fields.ts";
import type { AdminCall, AdminRoute } from "../../http/route.ts";
import type { Connection, Session } from "../world/account.ts";
import { endSession } from "../world/ending.ts";
import type { World } from "../world/world.ts";
import { describeSession } from "./describe.ts";

/** Logged-in clients and their connections. `{session}` may be `any`: the newest. */
export function sessionRoutes(world: World): AdminRoute[] {
  const act =
    (work: (session: Session, call: AdminCall) => void) =>
    (call: AdminCall): unknown => {
      const session = findSession(world, call);
      work(session, call);
      return describeSession(session);
    };
  const session = "/people/{phone}/sessions/{session}";
  return [
    ["GET", "/people/{phone}/sessions", ({ params }) => list(world, params.needText("phone"))],
    ["GET", session, act(() => undefined)],
    ["DELETE", session, act((each) => endSession(world, each, { tell: true }))],
    ["POST", `${session}/drops`, act((each) => lineOf(each).drop())],
    ["POST", `${session}/closes`, act((each, { body }) => lineOf(each).close(body.integer("code") ?? 1001))],
    ["POST", `${session}/freezes`, act((each) => lineOf(each).freeze())],
    ["POST", `${session}/thaws`, act((each) => lineOf(each).thaw())],
    ["POST", `${session}/pings`, act((each) => lineOf(each).ping())],
    ["POST", `${session}/frames`, act(sendFrame)],
    ["POST", "/drops", () => dropAll(world)],
  ];
}

function list(world: World, phone: string): unknown {
  return { items: [...world.account(phone).sessions.values()].map(describeSession) };
}

function findSession(world: World, { params }: AdminCall): Session {
  const { sessions, phone } = world.account(params.needText("phone"));
  const name = params.needText("session");
  const session =
    name === "any" ? [...sessions.values()].at(-1) : sessions.get(params.needInteger("session"));
  if (!session) throw missing(`session of ${phone}`, name);
  return session;
}

function lineOf({ connection, number }: Session): Connection {
  if (connection) return connection;
  throw new AdminError(409, "offline", `session ${number} is not connected`);
}

/** `{opcode, payload?, cmd? = 0, seq? = 0}`, `{hex}` or `{text}`: a frame that the server never sends. */
function sendFrame(session: Session, { body }: AdminCall): void {
  const connection = lineOf(session);
  const [hex, text, opcode] = [body.text("hex"), body.text("text"), body.integer("opcode")];
  if (hex !== undefined) connection.sendRaw(Buffer.from(hex, "hex"));
  else if (text !== undefined) connection.sendRaw(text);
  else if (opcode === undefined) throw invalid("opcode", "an integer, where neither hex nor text is given");
  else {
    const [cmd, seq] = [body.integer("cmd") ?? 0, body.integer("seq") ?? 0];
    connection.send({ cmd, seq, opcode, payload: body.object("payload") });
  }
}

/** Breaks every connection, also those without a login. */
function dropAll(world: World): unknown {
  const dropped = world.connections.size;
  for (const connection of world.connections) connection.drop();
  return { dropped };
}
