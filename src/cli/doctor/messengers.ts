import { connect } from "node:net";
import type { Config } from "../../config.ts";
import type { TransportDefinition } from "../../core/transport/definition.ts";
import { messageOf } from "../../platform/message-of.ts";
import { createHttpClient } from "../../platform/network/http-client.ts";
import { type Finding, ok, warn } from "./check.ts";

const TIMEOUT_MS = 5_000;

/** Checks that the messengers respond at all; any status counts, because the requests are not authorised. */
export async function checkMessengers(
  config: Config,
  definitions: readonly TransportDefinition[],
): Promise<Finding[]> {
  if (config.sandbox) return [ok("messengers", "replaced by the sandbox")];
  // Others are reached through proxies only, see `checkProxies`.
  const direct = definitions.filter(({ id }) => (config.exits[id] ?? []).length === 0);
  return Promise.all(
    direct.flatMap((definition) =>
      Object.entries(definition.settings)
        .filter(([, setting]) => setting.address === true)
        .map(([name, { env }]) =>
          checkAddress(definition, env, config.transportSettings[definition.id]?.[name] ?? ""),
        ),
    ),
  );
}

async function checkAddress(
  { id, label }: TransportDefinition,
  env: string,
  address: string,
): Promise<Finding> {
  try {
    await (/^https?:/.test(address) ? askOverHttp(address) : openConnection(address));
    return ok(id, `${address} answers`);
  } catch (error) {
    return warn(
      id,
      `${address} cannot be reached: ${messageOf(error)}`,
      `Check this machine's firewall and DNS, or ${env} if it was set; channels of ${label} cannot work without it`,
    );
  }
}

async function askOverHttp(url: string): Promise<void> {
  const request = createHttpClient({ redact: (text) => text });
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await request({ method: "GET", url, timeoutMs: TIMEOUT_MS, signal });
  answer.stream().destroy();
}

/** Accepts "wss://host/path" or "host:port". */
function openConnection(address: string): Promise<void> {
  const url = new URL(address.includes("://") ? address : `tcp://${address}`);
  const port = url.port === "" ? (url.protocol === "ws:" ? 80 : 443) : Number(url.port);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ""), port, timeout: TIMEOUT_MS });
    const end = (error?: Error) => {
      socket.destroy();
      if (error === undefined) resolve();
      else reject(error);
    };
    socket.once("connect", () => end());
    socket.once("error", end);
    socket.once("timeout", () => end(new Error("no answer")));
  });
}
