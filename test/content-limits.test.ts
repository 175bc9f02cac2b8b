import { describe, expect, test } from "vitest";
import { MAX_FILE_BYTES } from "../src/core/content.ts";
import { findFileFault, precheck } from "../src/core/message/precheck.ts";
import { refuseContent } from "../src/core/message/refuse-at-once.ts";
import type { SendJob } from "../src/core/message/send-jobs.ts";
import { MEDIA_KINDS, type TransportDefinition } from "../src/core/transport/definition.ts";
import { transports } from "../src/transports/index.ts";

const MIME = { image: "image/png", audio: "audio/ogg", video: "video/mp4", document: "application/pdf" };

const definitions = transports.map(({ definition }) => [definition.id, definition] as const);

const core = { settings: { allowNetworks: [] } } as unknown as Parameters<typeof refuseContent>[0];

/** The code with which sends of v3, and edits of both versions, are refused before anything is stored. */
async function directly(definition: TransportDefinition, content: object): Promise<string | null> {
  try {
    await refuseContent(core, definition, content);
    return null;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** A stored file, whose size is known. */
const file = (kind: keyof typeof MIME, size: number) => ({
  attachment: { url: "https://gate.example/files/k", fileId: "f", mimeType: MIME[kind], size },
});

/** The code in the webhook about a send of v2. */
const byWebhook = (definition: TransportDefinition, job: Partial<SendJob>): string | null =>
  precheck(definition, { content: {}, text: null, quotedPost: null, quietMs: null, ...job } as SendJob)
    ?.code ?? null;

describe.each(definitions)("%s", (_name, definition) => {
  const { text, media } = definition.capabilities;

  test("a text over the limit", async () => {
    const [longest, longer] = ["x".repeat(text.maxLength), "x".repeat(text.maxLength + 1)];
    expect(await directly(definition, { text: longest })).toBeNull();
    expect(await directly(definition, { text: longer })).toBe("MESSAGE_TEXT_TOO_LONG");
    expect(byWebhook(definition, { text: longest })).toBeNull();
    expect(byWebhook(definition, { text: longer })).toBe("TOO_LONG_TEXT");
  });

  test.each(MEDIA_KINDS)("a file over the limit: %s", async (kind) => {
    const limit = media[kind]?.maxBytes;
    if (limit === undefined) {
      expect(await directly(definition, file(kind, 1))).toBe("MESSAGE_CONTENT_NOT_SUPPORTED");
      expect(findFileFault(definition, { kind, size: 1 })?.code).toBe("CONTENT_CONVERSION_ERROR");
      return;
    }
    const largest = Math.min(limit, MAX_FILE_BYTES);
    expect(await directly(definition, file(kind, largest))).toBeNull();
    expect(await directly(definition, file(kind, largest + 1))).toBe("MESSAGES_CONTENT_SIZE_EXCEEDED");
    expect(findFileFault(definition, { kind, size: largest })).toBeNull();
    expect(findFileFault(definition, { kind, size: largest + 1 })?.code).toBe("TOO_BIG_CONTENT");
  });
});
