import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { Framer, type Framing } from "./framing.ts";
import { Wire } from "./wire.ts";

const framings: readonly Framing[] = ["abridged", "intermediate", "padded", "full"];
const tags: Readonly<Record<Framing, string>> = {
  abridged: "ef",
  intermediate: "eeeeeeee",
  padded: "dddddddd",
  full: "",
};
const packets = [Buffer.alloc(40, 1), Buffer.alloc(4 * 200, 2), Buffer.alloc(512 * 1024, 3)];

/** Feeds bytes in small pieces. */
function feed(wire: Wire, bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 20_011) found.push(...wire.read(bytes.subarray(at, at + 20_011)));
  return found;
}

test.each(framings)("%s: packets arrive in pieces, in both directions", (framing) => {
  const client = new Framer(framing);
  const wire = new Wire();
  const sent = packets.map((packet) => client.frame(packet));
  const received = feed(wire, Buffer.concat([Buffer.from(tags[framing], "hex"), ...sent]));
  expect(received.map((each, index) => each.subarray(0, packets[index]?.length))).toEqual(packets);
  expect(wire.describe).toBe(framing);
  const back = new Framer(framing).cut(wire.write(packets[0] ?? Buffer.alloc(0)));
  expect(back?.packet.subarray(0, 40)).toEqual(packets[0]);
});

test.each(["abridged", "intermediate", "padded"] as const)("%s with obfuscation", (framing) => {
  const init = randomBytes(64);
  init[0] = 0x11;
  Buffer.from(tags[framing].padEnd(8, tags[framing]), "hex").copy(init, 56);
  const outgoing = createCipheriv("aes-256-ctr", init.subarray(8, 40), init.subarray(40, 56));
  const reversed = Buffer.from(init.subarray(8, 56)).reverse();
  const incoming = createDecipheriv("aes-256-ctr", reversed.subarray(0, 32), reversed.subarray(32, 48));
  const sealed = outgoing.update(init);
  const first = Buffer.concat([init.subarray(0, 56), sealed.subarray(56)]);
  const wire = new Wire();
  const bytes = packets.map((packet) => outgoing.update(new Framer(framing).frame(packet)));
  const received = feed(wire, Buffer.concat([first, ...bytes]));
  expect(received.map((each, index) => each.subarray(0, packets[index]?.length))).toEqual(packets);
  expect(wire.describe).toBe(`obfuscated ${framing}`);
  const back = new Framer(framing).cut(incoming.update(wire.write(packets[0] ?? Buffer.alloc(0))));
  expect(back?.packet.subarray(0, 40)).toEqual(packets[0]);
});

test("a full packet with a wrong checksum or sequence number is refused", () => {
  const good = new Framer("full").frame(Buffer.alloc(16));
  const spoiled = Buffer.from(good);
  spoiled[10] = 9;
  expect(() => new Wire().read(spoiled)).toThrow("checksum");
  expect(() => new Wire().read(Buffer.concat([good, good]))).toThrow("number");
});
