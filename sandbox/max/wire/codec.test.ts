import { ExtData, encode } from "@msgpack/msgpack";
import { anything, assert, constantFrom, nat, oneof, property, record, string, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";
import { binaryCodec, writeFrame } from "./binary-codec.ts";
import { BadPayload, BrokenFrame, type Frame } from "./frame.ts";
import { jsonCodec } from "./json-codec.ts";

const binary = binaryCodec(() => "large");
const id = 115_000_000_000_000_001n;
const header = { cmd: 0, seq: 5, opcode: 64 };
const body = (payload: unknown) => encode(payload, { useBigInt64: true });
const framed = (bytes: Uint8Array, flags = 0) => writeFrame({ ...header, flags, body: bytes });

describe("binary frames", () => {
  test("have a header of ten bytes", () => {
    const frame = { cmd: 1, seq: 0x0102, opcode: 0x0120, payload: undefined };
    expect((binary.encode(frame) as Buffer).toString("hex")).toBe("0a010102012000000000");
    expect(binary.decode(Buffer.from("0a010102012000000000", "hex"))).toEqual(frame);
  });

  test("restart their sequence after 65,535", () => {
    const encoded = binary.encode({ ...header, seq: 65_537, payload: undefined }) as Buffer;
    expect(binary.decode(encoded).seq).toBe(1);
  });

  test("compress from 32 bytes on, and state the ratio", () => {
    const short = binary.encode({ ...header, payload: { text: "short" } }) as Buffer;
    expect(short[6]).toBe(0);
    const long = binary.encode({ ...header, payload: { text: "a".repeat(1000) } }) as Buffer;
    expect((long[6] ?? 0) * (long.length - 10)).toBeGreaterThanOrEqual(1008);
    expect(binary.decode(long).payload).toEqual({ text: "a".repeat(1000) });
  });

  test("are not compressed if the ratio would be read as zstd", () => {
    const payload = { text: "a".repeat(4_000_000) };
    const encoded = binary.encode({ ...header, payload }) as Buffer;
    expect(encoded[6]).toBe(0);
    expect(binary.decode(encoded).payload).toEqual(payload);
  });

  test("wrap large ids, not times", () => {
    const payload = { chatId: -68_093_732_121_255, time: 1_766_000_000_000, messageIds: [id], userId: 100 };
    const encoded = binary.encode({ ...header, payload }) as Buffer;
    const wrapped = (value: bigint) => new ExtData(1, encode(value, { useBigInt64: true }));
    const expected = body({
      chatId: wrapped(-68_093_732_121_255n),
      time: 1_766_000_000_000n,
      messageIds: [wrapped(id)],
      userId: 100,
    });
    expect(binary.decode(encoded).payload).toEqual(payload);
    expect(binary.decode(framed(expected)).payload).toEqual(payload);
    const all = binaryCodec(() => "all").encode({ ...header, payload: { userId: 100 } }) as Buffer;
    expect(all.subarray(10).toString("hex")).toBe("81a6757365724964d40164");
  });

  const unreadable: readonly (readonly [what: string, data: () => Buffer])[] = [
    ["a whole number as a float", () => framed(encode({ cid: 1_766_000_000_000 }, { useBigInt64: true }))],
    ["an unknown extension", () => framed(encode({ id: new ExtData(7, new Uint8Array(2)) }))],
    ["a time stamp", () => framed(encode({ at: new Date(0) }))],
    ["text as an id", () => framed(encode({ id: new ExtData(1, encode("7")) }))],
    ["bytes behind the body", () => framed(Buffer.concat([body({ a: 1 }), Buffer.from([0])]))],
    ["a body that is cut short", () => framed(body({ a: "text" }).subarray(0, 4))],
    ["no MessagePack", () => framed(Buffer.from("c1c1", "hex"))],
    ["zstd", () => framed(body({ a: 1 }), 255)],
    ["a block that is none", () => framed(Buffer.from("ffffffff", "hex"), 3)],
    ["more than the flags allow", () => framed(Buffer.from("1f000100ff14500000000000", "hex"), 2)],
    ["nesting without end", () => framed(Buffer.concat([Buffer.alloc(10_000, 0x91), Buffer.from([0xc0])]))],
  ];

  test.each(unreadable)("are unreadable but get a response: %s", (_, data) => {
    expect(() => binary.decode(data())).toThrow(BadPayload);
  });

  const broken: readonly (readonly [what: string, hex: string])[] = [
    ["nothing", ""],
    ["half a header", "0a0000"],
    ["another version", "0b000000000100000000"],
    ["more bytes than announced", "0a00000000010000000080c0"],
    ["fewer bytes than announced", "0a000000000100000005c0"],
  ];

  test.each(broken)("end the connection: %s", (_, hex) => {
    expect(() => binary.decode(Buffer.from(hex, "hex"))).toThrow(BrokenFrame);
  });
});

describe("JSON frames", () => {
  test("encode long ids as text", () => {
    const frame = { cmd: 1, seq: 1, opcode: 64, payload: { id, chatId: 7001 } };
    expect(jsonCodec.encode(frame)).toBe(
      '{"ver":11,"cmd":1,"seq":1,"opcode":64,"payload":{"id":"115000000000000001","chatId":7001}}',
    );
  });

  test("are read in the format of public clients", () => {
    const text =
      '{"ver":11,"cmd":0,"seq":22,"opcode":64,"payload":{"chatId":7,"message":{"text":"hi","cid":1750000000000,"elements":[],"attaches":[]},"notify":true}}';
    expect(jsonCodec.decode(Buffer.from(text))).toMatchObject({
      seq: 22,
      payload: { chatId: 7, notify: true },
    });
    expect(
      jsonCodec.decode(Buffer.from('{"ver":11,"cmd":0,"seq":0,"opcode":1,"payload":null}')).payload,
    ).toBeUndefined();
  });

  test.each([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["another version", '{"ver":10,"cmd":0,"seq":0,"opcode":1}'],
    ["no opcode", '{"ver":11,"cmd":0,"seq":0}'],
    ["a field too many", '{"ver":11,"cmd":0,"seq":0,"opcode":1,"x":1}'],
    ["a fraction", '{"ver":11,"cmd":0,"seq":0.5,"opcode":1}'],
  ])("end the connection: %s", (_, text) => {
    expect(() => jsonCodec.decode(Buffer.from(text))).toThrow(BrokenFrame);
  });

  test.each([
    ["a number that has lost digits", '{"messageId":115000000000000001}'],
    ["nesting without end", `${"[".repeat(10_000)}${"]".repeat(10_000)}`],
  ])("are unreadable but get a response: %s", (_, payload) => {
    const text = `{"ver":11,"cmd":0,"seq":0,"opcode":1,"payload":${payload}}`;
    expect(() => jsonCodec.decode(Buffer.from(text))).toThrow(BadPayload);
  });
});

describe("any input", () => {
  const frames = record({
    cmd: nat(3),
    seq: nat(0xffff),
    opcode: nat(0xffff),
    payload: record({ text: string({ maxLength: 300 }), cid: nat(), list: oneof(string(), nat()) }),
  });

  test.each([binary, jsonCodec])("frames decode to what was encoded ($name)", (codec) => {
    assert(
      property(frames, (frame) => {
        expect(codec.decode(Buffer.from(codec.encode(frame)))).toEqual(frame);
      }),
    );
  });

  test.each([binary, jsonCodec])("damaged frames are refused in one of two ways ($name)", (codec) => {
    const spoilt = property(
      frames,
      uint8Array({ minLength: 1, maxLength: 12 }),
      nat(),
      constantFrom("set", "cut", "add"),
      (frame, noise, at, how) => {
        const data = Buffer.from(codec.encode(frame));
        expectReadOrRefused(() => codec.decode(spoil(data, { noise, at: at % data.length, how })));
      },
    );
    assert(spoilt, { numRuns: 2000 });
  });

  test("random bytes after a valid header are refused or read", () => {
    const noise = property(uint8Array({ maxLength: 200 }), nat(255), (bytes, flags) => {
      expectReadOrRefused(() => binary.decode(framed(bytes, flags)));
    });
    assert(noise, { numRuns: 2000 });
    assert(
      property(anything({ withNullPrototype: false }), (value) => {
        expectReadOrRefused(() => jsonCodec.decode(Buffer.from(JSON.stringify(value) ?? "")));
      }),
    );
  });
});

function spoil(data: Buffer, { noise, at, how }: { noise: Uint8Array; at: number; how: string }): Buffer {
  if (how === "cut") return data.subarray(0, at);
  if (how === "add") return Buffer.concat([data.subarray(0, at), noise, data.subarray(at)]);
  const changed = Buffer.from(data);
  changed.set(noise.subarray(0, data.length - at), at);
  return changed;
}

function expectReadOrRefused(decode: () => Frame): void {
  try {
    expect(decode()).toHaveProperty("opcode");
  } catch (error) {
    expect(error instanceof BadPayload || error instanceof BrokenFrame, String(error)).toBe(true);
  }
}
