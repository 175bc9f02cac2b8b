import { ExtData, encode } from "@msgpack/msgpack";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { binaryCodec } from "./binary-codec.ts";
import { codecOf } from "./codecs.ts";
import { BadFrame, type Frame, MAX_PACKET_BYTES, type Packet } from "./frame.ts";
import { jsonCodec } from "./json-codec.ts";
import { compress } from "./lz4.ts";
import { shapeOf } from "./shape.ts";

const ID = 115_000_000_000_000_001n;
const send = (payload: unknown): Frame => ({ cmd: 0, seq: 513, opcode: 64, payload });
const hexOf = (packet: Packet): string => Buffer.from(packet).toString("hex");
/** A packet as the server creates it. */
function packetOf(body: Uint8Array, { flags = 0, length = body.length } = {}): Uint8Array {
  const head = Buffer.alloc(10);
  head.set([10, 0, 2, 1, 0, 128]);
  head.writeUInt32BE(flags * 0x1_00_00_00 + length, 6);
  return Buffer.concat([head, body]);
}

describe("binary frames", () => {
  test("have ten bytes before the payload: version, cmd, seq, opcode, flags and length", () => {
    expect(hexOf(binaryCodec.encode({ cmd: 1, seq: 513, opcode: 288, payload: { a: 1 } }))).toBe(
      "0a01020101200000000481a16101",
    );
  });

  test("without content have no payload", () => {
    const empty = hexOf(binaryCodec.encode(send({})));
    expect(empty).toBe("0a000201004000000000");
    expect(hexOf(binaryCodec.encode(send(null)))).toBe(empty);
    expect(binaryCodec.decode(binaryCodec.encode(send(null)))).toEqual(send(null));
  });

  test.each<[string, unknown, string]>([
    ["a small number", 7, "07"],
    ["32 bits", 0xff_ff_ff_ff, "ceffffffff"],
    ["more than 32 bits, as 64 bits and not as a float", 1_766_000_000_000, "cf0000019b2dcd7c00"],
    ["a negative one", -71_234_567_890_123, "d3ffffbf3668e29b35"],
    ["a short bigint, as a number", 100n, "64"],
    ["a bigint that a number cannot hold, wrapped", ID, "c70901cf01988fe4052b8001"],
    ["a fraction", 55.75, "cb404be00000000000"],
  ])("write %s", (_, value, expected) => {
    const packet = binaryCodec.encode(send({ a: value }));
    expect(hexOf(packet).slice(20)).toBe(`81a161${expected}`);
  });

  test.each<[string, unknown, unknown]>([
    ["a wrapped id", new ExtData(1, encode(ID, { useBigInt64: true })), String(ID)],
    ["a wrapped short id", new ExtData(1, encode(7001)), 7001],
    ["a long id", ID, String(ID)],
    ["another extension", new ExtData(9, new Uint8Array(2)), null],
    ["a time", new Date(0), null],
  ])("read %s", (_, written, expected) => {
    const body = encode({ a: written }, { useBigInt64: true });
    expect(binaryCodec.decode(packetOf(body)).payload).toEqual({ a: expected });
  });

  test("decode maps with ids of people as keys", () => {
    // A key that is a number of 64 bits: {115000000000000001: 1}
    const byNumber = Buffer.from("81cf01988fe4052b800101", "hex");
    expect(binaryCodec.decode(packetOf(byNumber)).payload).toEqual({ [String(ID)]: 1 });
  });

  test("state the maximum compression ratio", () => {
    const packet = Buffer.from(binaryCodec.encode(send({ text: "привет ".repeat(100) })));
    const flags = packet.readUInt8(6);
    expect(flags).toBeGreaterThan(1);
    expect(flags * packet.readUIntBE(7, 3)).toBeGreaterThanOrEqual(1_300);
    expect(packet.length - 10).toBe(packet.readUIntBE(7, 3));
  });

  const raw = encode({ text: "x".repeat(5_000) });
  const block = compress(raw);
  test.each<[string, Packet, boolean]>([
    ["a text", "{}", false],
    ["less than a header", new Uint8Array(9), false],
    ["another version", Buffer.from("0b000201004000000000", "hex"), false],
    ["more than it says", packetOf(raw, { length: 3 }), false],
    ["less than it says", packetOf(raw, { length: 60_000 }), false],
    ["half of a payload", packetOf(raw.subarray(0, 20)), true],
    ["two payloads", packetOf(Buffer.concat([raw, raw])), true],
    ["a compression that is not known", packetOf(block, { flags: 0xff }), true],
    ["a block cut short", packetOf(block.subarray(0, -3), { flags: 255 - 1 }), true],
    ["a bomb: more than the flags say", packetOf(block, { flags: 2 }), true],
    ["lists without end", packetOf(Buffer.alloc(1_000, 0x91)), true],
    ["a key that would change all objects", packetOf(encode(JSON.parse('{"__proto__": {"a": 1}}'))), true],
  ])("refuse %s", (_, packet, hasHeader) => {
    const error = failure(() => binaryCodec.decode(packet));
    expect(error).toBeInstanceOf(BadFrame);
    expect((error as BadFrame).header !== undefined).toBe(hasHeader);
  });

  test("never decompress to more than the maximum frame size", () => {
    const bomb = compress(encode("x".repeat(MAX_PACKET_BYTES + 1)));
    expect(failure(() => binaryCodec.decode(packetOf(bomb, { flags: 254 })))).toBeInstanceOf(BadFrame);
  });

  test("reject arbitrary bytes with `BadFrame`", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.integer({ min: 0, max: 255 }), (body, flags) => {
        const error = failure(() => binaryCodec.decode(packetOf(body, { flags })));
        if (error !== undefined) expect(error).toBeInstanceOf(BadFrame);
      }),
    );
  });
});

describe("JSON frames", () => {
  test("have the format of the web client", () => {
    const payload = { chatId: 123n, message: { text: "hi", cid: 1_766_000_000_000 }, messageIds: [ID] };
    expect(JSON.parse(String(jsonCodec.encode(send(payload))))).toEqual({
      ver: 11,
      cmd: 0,
      seq: 513,
      opcode: 64,
      payload: { chatId: 123, message: { text: "hi", cid: 1_766_000_000_000 }, messageIds: [String(ID)] },
    });
  });

  test("keep ids that a JavaScript number cannot hold exactly", () => {
    const text = '{"ver":11,"cmd":0,"seq":1,"opcode":128,"payload":{"id":115000000000000001}}';
    expect(jsonCodec.decode(text).payload).toEqual({ id: String(ID) });
  });

  test.each([["{"], ["[]"], ["null"], [""], ['{"ver":11,"cmd":0}'], [new Uint8Array(20)]])(
    "refuse %j",
    (packet) => {
      expect(failure(() => jsonCodec.decode(packet))).toBeInstanceOf(BadFrame);
    },
  );
});

/** Payloads in MAX's format. */
const whole = fc.oneof(fc.integer(), fc.integer({ min: -(2 ** 53) + 1, max: 2 ** 53 - 1 }));
const { payload: anyPayload } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.string(),
    whole,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("payload"),
  ),
  payload: fc.dictionary(
    fc.string().filter((key) => key !== "__proto__"),
    tie("value"),
    { maxKeys: 6, minKeys: 1, noNullPrototype: true },
  ),
}));

test.each([
  ["binary", binaryCodec],
  ["json", jsonCodec],
])("%s frames decode to what was encoded", (_, codec) => {
  const numbers = { cmd: fc.integer({ min: 0, max: 3 }), seq: fc.integer({ min: 0, max: 65_535 }) };
  const frames = fc.record({ ...numbers, opcode: fc.integer({ min: 0, max: 65_535 }), payload: anyPayload });
  fc.assert(fc.property(frames, (frame) => void expect(codec.decode(codec.encode(frame))).toEqual(frame)));
});

test("the framing is selected by its name", () => {
  expect(["json", " JSON ", "binary", "", "other"].map((name) => codecOf(name) === jsonCodec)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("the shape of a frame contains none of its content", () => {
  const payload = {
    chats: [{ id: 7, participants: { "100": 1 }, text: "secret" }, { id: 8 }],
    token: "secret",
    x: null,
  };
  const shape = shapeOf(payload);
  expect(JSON.stringify(shape)).not.toContain("secret");
  expect(shape).toEqual({
    chats: [{ id: "number", participants: { "(id)": "number" }, text: "string" }],
    token: "string",
    x: "null",
  });
});

function failure(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}
