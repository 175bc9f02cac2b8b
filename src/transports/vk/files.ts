import type { FileResume, OpenedFile } from "../../core/transport/connector.ts";
import type { FileRef } from "../../core/transport/events.ts";
import { isFile, noSuchFile, resumeHeaders, toOpenedFile } from "../kit/opened-file.ts";
import { TOO_FAST, type VkClient } from "./client.ts";
import { Refusal } from "./errors.ts";

/** Opens an inbound file or a person's picture by its public URL. Throws `Refusal` or `TransportError`. */
export async function openFile(
  client: VkClient,
  file: FileRef,
  signal: AbortSignal,
  resume?: FileResume,
): Promise<OpenedFile> {
  const answer = await client.fetch({
    method: "GET",
    url: file.token,
    signal,
    headers: resumeHeaders(resume),
  });
  // Document URLs redirect to the server that stores them.
  const next = answer.headers["location"];
  if (
    answer.status >= 300 &&
    answer.status < 400 &&
    typeof next === "string" &&
    !file.token.includes("#moved")
  ) {
    answer.stream().destroy();
    return openFile(client, { ...file, token: `${new URL(next, file.token).href}#moved` }, signal, resume);
  }
  if (!isFile(answer)) {
    answer.stream().destroy();
    if (answer.status === 429) throw new Refusal(TOO_FAST, "HTTP 429");
    throw noSuchFile("VK", answer.status >= 500);
  }
  return toOpenedFile(answer, file);
}
