import type { OpenedFile } from "../../core/transport/connector.ts";
import { TransportError } from "../../core/transport/errors.ts";
import type { FileRef } from "../../core/transport/events.ts";
import { TOO_FAST, type VkClient } from "./client.ts";
import { Refusal } from "./errors.ts";

/** Opens an inbound file or a person's picture by its address, which anybody may fetch. Throws `Refusal` or `TransportError`. */
export async function openFile(client: VkClient, file: FileRef, signal: AbortSignal): Promise<OpenedFile> {
  const answer = await client.fetch({ method: "GET", url: file.token, signal });
  // Addresses of documents lead to the server that has them.
  const next = answer.headers["location"];
  if (
    answer.status >= 300 &&
    answer.status < 400 &&
    typeof next === "string" &&
    !file.token.includes("#moved")
  ) {
    answer
      .stream()
      .on("error", () => undefined)
      .destroy();
    return openFile(client, { ...file, token: `${new URL(next, file.token).href}#moved` }, signal);
  }
  const stream = answer.stream();
  // A caller that destroys the stream unread hears of it nowhere else, and must not bring the process down.
  stream.on("error", () => undefined);
  if (answer.status !== 200) {
    stream.destroy();
    if (answer.status === 429) throw new Refusal(TOO_FAST, "HTTP 429");
    throw new TransportError("GENERAL_ERROR", "VK does not have the file", {
      retry: answer.status >= 500 ? "later" : "never",
    });
  }
  const size = sizeOf(answer.headers["content-length"]) ?? file.size;
  return {
    stream,
    ...(file.name !== undefined && { name: file.name }),
    ...(file.mimeType !== undefined && { mimeType: file.mimeType }),
    ...(size !== undefined && { size }),
  };
}

function sizeOf(length: string | string[] | undefined): number | undefined {
  return typeof length === "string" && /^[0-9]+$/.test(length) ? Number(length) : undefined;
}
