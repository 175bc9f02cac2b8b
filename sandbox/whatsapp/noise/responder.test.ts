import { expect, test } from "vitest";
import { keyPairOf } from "../crypto/x25519.ts";
import { NoiseResponder } from "./responder.ts";

const hex = (text: string) => Buffer.from(text, "hex");

/** Noise_XX_25519_AESGCM_SHA256 of the vectors of the Noise project (cacophony, snow). */
const vector = {
  prologue: hex("4a6f686e2047616c74"),
  static: keyPairOf(hex("4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893")),
  ephemeral: keyPairOf(hex("bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b")),
  hash: hex("1b7aefb1125762aa21a252890d00af54519638b76437444538f9a52f21e2e0dc"),
};
const messages = [
  [
    "4c756477696720766f6e204d69736573",
    "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c79444c756477696720766f6e204d69736573",
  ],
  [
    "4d757272617920526f746862617264",
    "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843757117acceb05bd7a45733bc22015c97a9d0cbaf41b80446d5988ff5127235d76b79eade70f473d6a4ef521fdcbeda5340d01e028ba793fc059f2724a83af05f12dda0448a7621a926b379a92477fd",
  ],
  [
    "462e20412e20486179656b",
    "c90f1cf77eba4e50edb038991565e36c9758943a989229b6051244dc4fbecb6946744b401af2ee1a5881b65fbb87fd07cb6a328ececc9ce6ce84c399dc332d4fd521fa4bb7f467ce909395",
  ],
  ["4361726c204d656e676572", "bc3fa77f6aca3e8466d7dc6bea10013e88a6a29add5132b461806c"],
  [
    "4a65616e2d426170746973746520536179",
    "250b01074cdfe0df2ecf8ccbf1737b15a2ddb5b52fd9a396604e9c793cee3b3bb9",
  ],
  [
    "457567656e2042f6686d20766f6e2042617765726b",
    "449d4d433b3cdc3d02bf6fc881774b9df54366ebcffb9689bb13f14709822cd7ef42bcdb4d",
  ],
].map(([plain = "", sealed = ""]) => ({ plain: hex(plain), sealed: hex(sealed) }));
const [first, second, third, ...transport] = messages as [Message, Message, Message, ...Message[]];
type Message = (typeof messages)[number];

function shake() {
  const responder = new NoiseResponder(vector);
  const hello = responder.hello(first.sealed.subarray(0, 32), second.plain, first.plain);
  return { responder, hello };
}

test("the vectors of the Noise project, byte by byte", () => {
  const { responder, hello } = shake();
  expect(Buffer.concat([hello.ephemeral, hello.static, hello.payload])).toEqual(second.sealed);
  const done = responder.finish(third.sealed.subarray(0, 48), third.sealed.subarray(48));
  expect(done.payload).toEqual(third.plain);
  expect(responder.hash).toEqual(vector.hash);
  for (const [index, { plain, sealed }] of transport.entries()) {
    // The fourth message of the vector comes from the responder, then they take turns.
    if (index % 2 === 0) expect(done.outgoing.seal(plain)).toEqual(sealed);
    else expect(done.incoming.open(sealed)).toEqual(plain);
  }
});

test.each([0, 40, 50])("a changed byte %d of the last message is refused", (position) => {
  const { responder } = shake();
  const forged = Buffer.from(third.sealed);
  forged[position] = (forged[position] ?? 0) ^ 1;
  expect(() => responder.finish(forged.subarray(0, 48), forged.subarray(48))).toThrow();
});
