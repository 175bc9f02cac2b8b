import type { Connection } from "../connection.ts";
import { acceptSignature } from "../link/pairing.ts";
import type { Registration } from "../link/registration.ts";
import type { IqRecord } from "../records.ts";
import { child, children, MalformedStanza, type Node, node, serverName } from "../wire/node.ts";
import type { World } from "../world.ts";
import { type IqCall, IqError, notDone } from "./call.ts";
import { iqHandlers } from "./table.ts";

/** Responds to a query, or processes a client's response to one of ours. */
export async function handleIq(
  world: World,
  connection: Connection,
  setup: { readonly registration: Registration | undefined; readonly stanza: Node },
): Promise<void> {
  const { stanza, registration } = setup;
  const type = stanza.attrs["type"] ?? "";
  if (type === "result" || type === "error") {
    if (registration && child(stanza, "pair-device-sign")) acceptSignature(world, registration, stanza);
    return;
  }
  const { companion } = connection;
  const after: (() => void)[] = [];
  await answer({
    world,
    connection,
    companion,
    registration,
    stanza,
    first: children(stanza)[0],
    afterwards: (work) => after.push(work),
  });
  for (const work of after) work();
}

async function answer(call: IqCall): Promise<void> {
  const { world, connection, companion, stanza, first } = call;
  const record = note(call);
  const { xmlns } = record;
  const fault = world.faults.take({ phone: companion?.person.phone, xmlns, what: first?.tag });
  if (fault && fault.errorCode === undefined) return;
  try {
    if (fault?.errorCode !== undefined) throw new IqError(fault.errorCode, faultText(fault.errorCode));
    const handler = iqHandlers[xmlns];
    if (!handler) throw notDone();
    connection.send(answerTo(stanza, "result", await handler(call)));
  } catch (error) {
    const { code, message } = asRefusal(error);
    record.error = code;
    connection.send(answerTo(stanza, "error", [node("error", { code: String(code), text: message })]));
  }
}

function note({ world, companion, stanza, first }: IqCall): IqRecord {
  const { xmlns = "", type = "" } = stanza.attrs;
  return world.iqs.append({
    at: world.stamp(),
    phone: companion?.person.phone ?? null,
    device: companion?.device ?? null,
    xmlns,
    type,
    what: first?.tag ?? null,
    error: null,
    unknown: iqHandlers[xmlns] === undefined,
  });
}

function answerTo(stanza: Node, type: "result" | "error", content: Node[] | undefined): Node {
  return node("iq", { from: stanza.attrs["to"] ?? serverName, type, id: stanza.attrs["id"] }, content);
}

function asRefusal(error: unknown): IqError {
  if (error instanceof IqError) return error;
  if (error instanceof MalformedStanza) return new IqError(400, "bad-request");
  throw error;
}

function faultText(code: number): string {
  const texts: Readonly<Record<number, string>> = {
    400: "bad-request",
    401: "not-authorized",
    403: "forbidden",
    404: "item-not-found",
    429: "rate-overlimit",
    500: "internal-server-error",
    503: "service-unavailable",
  };
  return texts[code] ?? "error";
}
