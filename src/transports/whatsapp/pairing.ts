import type { BinaryNode, WASocket } from "baileys";
import { LoginRefused } from "../../core/transport/errors.ts";

/** Requests a pairing code and waits for WhatsApp's response, which the library does not. Throws `LoginRefused`. */
export async function requestCode(
  socket: WASocket,
  phone: string,
  timeoutMs: number,
): Promise<{ readonly code: string; readonly phone: string }> {
  const answer = waitForAnswer(socket, timeoutMs);
  try {
    const code = await socket.requestPairingCode(phone);
    const error = await answer.promise;
    if (error !== null) throw refusalOf(error);
    return { code, phone };
  } catch (error) {
    if (error instanceof LoginRefused) throw error;
    throw new LoginRefused("unavailable", "WhatsApp did not respond", { cause: error });
  } finally {
    answer.stop();
  }
}

/** Resolves with null on success, or with the error number. Rejects if there is no response. */
function waitForAnswer(
  { ws }: WASocket,
  timeoutMs: number,
): { readonly promise: Promise<string | null>; stop(): void } {
  const { promise, resolve, reject } = Promise.withResolvers<string | null>();
  promise.catch(() => undefined);
  const yes = (): void => resolve(null);
  const no = (node: BinaryNode): void => resolve(errorCodeOf(node));
  const closed = (): void => reject(new Error("The connection was lost"));
  const timer = setTimeout(() => reject(new Error("WhatsApp did not respond in time")), timeoutMs);
  ws.on("CB:iq,type:result,link_code_companion_reg", yes);
  ws.on("CB:iq,type:error", no);
  ws.on("close", closed);
  return {
    promise,
    stop() {
      clearTimeout(timer);
      ws.off("CB:iq,type:result,link_code_companion_reg", yes);
      ws.off("CB:iq,type:error", no);
      ws.off("close", closed);
    },
  };
}

function errorCodeOf({ content }: BinaryNode): string {
  const nodes = Array.isArray(content) ? content : [];
  return nodes.find(({ tag }) => tag === "error")?.attrs["code"] ?? "";
}

function refusalOf(code: string): LoginRefused {
  if (code === "400" || code === "404" || code === "406")
    return new LoginRefused("wrong", "must be the number of a WhatsApp account, with its country code");
  if (code === "429")
    return new LoginRefused("too_often", "WhatsApp requires a delay before the next pairing code");
  return new LoginRefused("unavailable", `WhatsApp refused (${code})`);
}
