import { expect, test } from "vitest";
import { parseBrokerAddress, shownAddress } from "./address.ts";

test.each([
  [
    "amqps://shop:p%40ss%2F1@mq.example/events",
    {
      kind: "amqp",
      isSecure: true,
      hosts: [{ host: "mq.example", port: 5671 }],
      user: "shop",
      password: "p@ss/1",
      path: "events",
      sasl: null,
    },
    "amqps://mq.example:5671/events",
  ],
  [
    "amqp://a:1,[::1]/%2F",
    {
      kind: "amqp",
      isSecure: false,
      hosts: [
        { host: "a", port: 1 },
        { host: "::1", port: 5672 },
      ],
      user: "",
      password: "",
      path: "/",
      sasl: null,
    },
    "amqp://a:1,[::1]:5672",
  ],
  [
    "nats://token@n1,n2:4223",
    {
      kind: "nats",
      isSecure: false,
      hosts: [
        { host: "n1", port: 4222 },
        { host: "n2", port: 4223 },
      ],
      user: "token",
      password: "",
      path: "",
      sasl: null,
    },
    "nats://n1:4222,n2:4223",
  ],
  [
    "kafkas://shop:secret@k1,k2:9093?sasl=scram-sha-512",
    {
      kind: "kafka",
      isSecure: true,
      hosts: [
        { host: "k1", port: 9092 },
        { host: "k2", port: 9093 },
      ],
      user: "shop",
      password: "secret",
      path: "",
      sasl: "SCRAM-SHA-512",
    },
    "kafkas://k1:9092,k2:9093",
  ],
])("%s", (text, address, shown) => {
  expect(parseBrokerAddress(text)).toEqual(address);
  expect(shownAddress(parseBrokerAddress(text))).toBe(shown);
});

test.each([
  "http://host",
  "amqp://",
  "amqp://user:se@cret@host",
  "amqp://user:se%ZZcret@host",
  "amqp://user:secret@host:99999",
  "amqp://user:secret@ho st",
  "amqp://user:secret@host/a/b",
  "amqp://user:secret@host?heartbeat=1",
  "nats://user:secret@host/stream",
  "nats://user:secret@host?sasl=plain",
  "kafka://host?sasl=plain",
  "kafka://user:secret@host?sasl=gssapi",
])("%s is refused, without showing it", (text) => {
  expect(() => parseBrokerAddress(text)).toThrow(/^m(ust (look like|have no path|have sasl)|ay have sasl)/);
  expect(() => parseBrokerAddress(text)).not.toThrow(/secret|se@cret|ho st/);
});
