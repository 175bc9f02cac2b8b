import type { Connection } from "../connection.ts";
import type { Registration } from "../link/registration.ts";
import { child, children, MalformedStanza, type Node, node, serverName } from "../wire/node.ts";
import type { World } from "../world.ts";
import { type IqCall, IqError } from "./call.ts";
import { iqHandlers } from "./table.ts";

/** Answers a query, or takes a client's answer to one of ours. */
export async function handleIq(
  world: World,
  connection: Connection,
  setup: { readonly registration: Registration | undefined; readonly stanza: Node },
): Promise<void> {
  const { stanza, registration } = setup;
  const type = stanza.attrs["type"] ?? "";
  if (type === "result" || type === "error") {
    if (child(stanza, "pair-device-sign")) registration?.acceptSignature(world, stanza);
    return;
  }
  const { companion } = connection;
  const first = children(stanza)[0];
  const xmlns = stanza.attrs["xmlns"] ?? "";
  const handler = iqHandlers[xmlns];
  const phone = companion?.person.phone ?? null;
  const record = world.iqs.append({
    at: world.stamp(),
    phone,
    device: companion?.device ?? null,
    xmlns,
    type,
    what: first?.tag ?? null,
    error: handler ? null : 501,
    unknown: handler === undefined,
  });
  const fault = world.faults.take({ phone: phone ?? undefined, xmlns, what: first?.tag });
  if (fault && fault.errorCode === undefined) return;
  const after: (() => void)[] = [];
  const call: IqCall = {
    world,
    connection,
    companion,
    registration,
    stanza,
    first,
    afterwards: (work) => after.push(work),
  };
  try {
    if (fault?.errorCode !== undefined) throw new IqError(fault.errorCode, faultText(fault.errorCode));
    if (!handler) throw new IqError(501, "feature-not-implemented");
    connection.send(answerTo(stanza, "result", await handler(call)));
  } catch (error) {
    const refusal = asRefusal(error);
    record.error = refusal.code;
    const { code, message } = refusal;
    connection.send(answerTo(stanza, "error", [node("error", { code: String(code), text: message })]));
  }
  for (const work of after) work();
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
