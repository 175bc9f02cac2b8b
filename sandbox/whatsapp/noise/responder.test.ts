import { expect, test } from "vitest";
import { keyPairOf } from "../crypto/x25519.ts";
import { NoiseResponder, type ServerHello } from "./responder.ts";

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
const [fourth] = transport as [Message, ...Message[]];
type Message = (typeof messages)[number];

/** Those of noise-c: Noise_IK_25519_AESGCM_SHA256, and Noise_XXfallback_25519_AESGCM_SHA256 after an IK for another key. */
const resumed = {
  prologue: hex("50726f6c6f677565313233"),
  hash: hex("603cf7aba57e042ae14057b9b0683079a0a6507e24c3272f88c63372b66b1d3f"),
  first: hex(
    "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c79444e417bc55c7a8166c993356c1be41ef67818a292426f301556c7f26b21d25ddb1fa3980401fc1769e480ecb825d4d88b1c1342c209cff1ca5ecd43402762ac24cff1461c9ac3a0bf0cfdbc21a7ca03c1",
  ),
  second: hex(
    "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843af2ccf9972e22afc67aeafcd25162f56e3986936e2ce44927ca8b2340e761a",
  ),
  third: hex("66acfc92e3197de166809e6d4d5d003dcc819a84bc3522ca53c9d9"),
  fourth: hex("71f89aa6533a6de70b0826864dd75f60806ee40170c16290189eb3"),
};
const fallback = {
  hash: hex("07c36d69147bca9eb6b2027bfe8dc6b1ebb24b50d60d99365e402164786204e3"),
  first: hex(
    "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944b8d8614bb060f41b87643b3aafb8212040d88e76814403c76a78836002844f61270ba7797d441a896debf6911afadab12354107db3c9019bd97d60a87c11e917f7d6d93aa265404c8e8b83065fb8f73c",
  ),
  second: hex(
    "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843824e059afdb8c2f7397b7b398d84a6cde4178068ad7976bd04793a16ce9d308cc9f2e8b305a36473303f9ba24d6a92d02c279ebeeab1283fe1543fce646f4b086d148d0475becd37d9cf3f2e32d862",
  ),
  third: hex(
    "8c2db1c7f7485b1c5dcc2275c19665b2aed8f0fd9dcb02944ffbbd4ea4f4553fd6a39413af97ad06e1bbb1ba65b8eafc616c6fbc51d425b1c8f4e114cb017f58286c87ab62e06f6f2f51e5",
  ),
};
/** A first message of IK: the ephemeral key, the sealed static key (48 bytes), the sealed payload. */
const resumeHello = (message: Buffer) => ({
  ephemeral: message.subarray(0, 32),
  static: message.subarray(32, 80),
  payload: message.subarray(80),
});

function shake() {
  const responder = new NoiseResponder(vector);
  const hello = responder.hello(first.sealed.subarray(0, 32), second.plain, first.plain);
  return { responder, hello };
}

const joined = (hello: ServerHello) =>
  Buffer.concat([hello.ephemeral, hello.static ?? Buffer.alloc(0), hello.payload]);

test("the vectors of the Noise project, byte by byte", () => {
  const { responder, hello } = shake();
  expect(joined(hello)).toEqual(second.sealed);
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

test("a client that knows the static key needs one round trip", () => {
  const responder = new NoiseResponder({ ...vector, prologue: resumed.prologue });
  const answer = responder.resume(resumeHello(resumed.first), second.plain);
  if (!answer) throw new Error("the first message was not opened");
  expect(joined(answer.hello)).toEqual(resumed.second);
  expect(answer.hello.static).toBeUndefined();
  expect(responder.hash).toEqual(resumed.hash);
  expect(answer.established.payload).toEqual(first.plain);
  expect(answer.established.incoming.open(resumed.third)).toEqual(third.plain);
  expect(answer.established.outgoing.seal(fourth.plain)).toEqual(resumed.fourth);
});

test("one that knows another key falls back", () => {
  const responder = new NoiseResponder({ ...vector, prologue: resumed.prologue });
  const hello = resumeHello(fallback.first);
  expect(responder.resume(hello, second.plain)).toBeUndefined();
  expect(joined(responder.fallback(hello.ephemeral, second.plain))).toEqual(fallback.second);
  const done = responder.finish(fallback.third.subarray(0, 48), fallback.third.subarray(48));
  expect(done.payload).toEqual(third.plain);
  expect(responder.hash).toEqual(fallback.hash);
});

test("one whose payload was changed is refused", () => {
  const forged = Buffer.from(resumed.first);
  forged[100] = (forged[100] ?? 0) ^ 1;
  const responder = new NoiseResponder({ ...vector, prologue: resumed.prologue });
  expect(() => responder.resume(resumeHello(forged), second.plain)).toThrow();
});
