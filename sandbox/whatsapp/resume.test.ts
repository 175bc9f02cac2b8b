import { once } from "node:events";
import { readFileSync } from "node:fs";
import { proto } from "baileys/WAProto/index.js";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { generateKeyPair, type KeyPair } from "./crypto/x25519.ts";
import { NoiseInitiator } from "./noise/initiator-test-kit.ts";
import type { ServerHello } from "./noise/responder.ts";
import { type Client, type Kit, withWhatsapp } from "./test-kit.ts";
import { FrameReader, frame, intro } from "./wire/frames.ts";
import { decodeNode, type Node } from "./wire/node.ts";

const [ann, bob] = ["79990000001", "79990000002"] as const;
const { HandshakeMessage, ClientPayload } = proto;

/** A bare web socket of a client: handshake messages and frames. */
interface Line {
  readonly send: (message: proto.IHandshakeMessage) => void;
  readonly next: () => Promise<Buffer>;
  readonly hello: () => Promise<ServerHello>;
}

async function withLine<T>({ whatsapp }: Kit, use: (line: Line) => Promise<T>): Promise<T> {
  const socket = new WebSocket(whatsapp.url, { ca: readFileSync(whatsapp.caFile) });
  const reader = new FrameReader();
  const frames: Buffer[] = [];
  // The server's frames have no intro.
  reader.push(intro);
  socket.on("message", (data: Buffer) => frames.push(...reader.push(data)));
  const next = async (): Promise<Buffer> => {
    for (;;) {
      const first = frames.shift();
      if (first) return first;
      await once(socket, "message");
    }
  };
  let begun = false;
  const send = (message: proto.IHandshakeMessage) => {
    const content = frame(Buffer.from(HandshakeMessage.encode(message).finish()));
    socket.send(begun ? content : Buffer.concat([intro, content]));
    begun = true;
  };
  try {
    await once(socket, "open");
    return await use({ send, next, hello: async () => helloIn(await next()) });
  } finally {
    socket.terminate();
  }
}

function helloIn(content: Buffer): ServerHello {
  const { ephemeral, static: sealedStatic, payload } = HandshakeMessage.decode(content).serverHello ?? {};
  if (!ephemeral || !payload) throw new Error("a server hello was expected");
  const known = { ephemeral: Buffer.from(ephemeral), payload: Buffer.from(payload) };
  return sealedStatic?.length ? { ...known, static: Buffer.from(sealedStatic) } : known;
}

/** The login of a client's device that is not passive, and the key that it was linked with. */
function loginOf({ state }: Client): { own: KeyPair; payload: Uint8Array } {
  const { noiseKey } = state.creds;
  const own = { publicKey: Buffer.from(noiseKey.public), privateKey: Buffer.from(noiseKey.private) };
  return {
    own,
    payload: ClientPayload.encode({ username: Number(ann), device: 1, passive: false }).finish(),
  };
}

/** What the server tells until the end of what waited. */
async function untilOffline({ next }: Line, initiator: NoiseInitiator): Promise<string[]> {
  const incoming = initiator.incoming();
  const seen: string[] = [];
  while (seen.at(-1) !== "ib offline") {
    const { tag, content } = await decodeNode(incoming.open(await next()));
    const inner: Node | undefined = tag === "ib" && Array.isArray(content) ? content[0] : undefined;
    seen.push(inner ? `${tag} ${inner.tag}` : tag);
  }
  return seen;
}

const waiting = ["success", "ib edge_routing", "ib offline_preview", "message", "ib offline"];

test("a client that knows the server's key resumes, and one that is not passive gets what waited at once", () =>
  withWhatsapp(async (kit) => {
    const { admin, link } = kit;
    await admin("POST /people", { phone: bob });
    const client = await link(ann);
    client.close();
    await admin(`GET /events?event=closed&phone=${ann}&count=1`);
    await admin(`POST /people/${bob}/messages`, { to: ann, text: "hello" });
    const { own, payload } = loginOf(client);

    const server = await withLine(kit, async ({ send, hello }) => {
      const initiator = new NoiseInitiator(own);
      send({ clientHello: initiator.begin() });
      return initiator.learn("XX", await hello());
    });

    await withLine(kit, async (line) => {
      const initiator = new NoiseInitiator(own);
      line.send({ clientHello: initiator.resume(server, payload) });
      const hello = await line.hello();
      expect(hello.static).toBeUndefined();
      expect(proto.CertChain.decode(initiator.resumed(hello)).leaf?.details).toBeDefined();
      expect(await untilOffline(line, initiator)).toEqual(waiting);
    });

    await withLine(kit, async (line) => {
      const initiator = new NoiseInitiator(own);
      line.send({ clientHello: initiator.resume(generateKeyPair().publicKey, payload) });
      const hello = await line.hello();
      expect(initiator.learn("XXfallback", hello)).toEqual(server);
      line.send({ clientFinish: initiator.finish(hello, payload) });
      expect(await untilOffline(line, initiator)).toEqual(waiting);
    });
    expect(await admin("GET /events?event=violation")).toMatchObject({ items: [] });
    const { items } = await admin("GET /events?event=login");
    expect(items).toMatchObject([{ detail: null }, { detail: "resumed" }, { detail: null }]);
  }));
