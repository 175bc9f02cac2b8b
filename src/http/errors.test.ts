import type { FastifyReply, FastifyRequest } from "fastify";
import { expect, test, vi } from "vitest";
import { DatabaseUnavailable } from "../database/database.ts";
import { DiskFull, FilesUnavailable } from "../platform/file/files.ts";
import { createLog } from "../platform/log.ts";
import { createErrorHandler } from "./errors.ts";

test.each([
  new DiskFull("/data/files", new Error("ENOSPC")),
  new FilesUnavailable("The S3 store is unavailable: socket hang up"),
])("$name is a temporary failure", (error) => {
  const code = vi.fn(() => reply);
  const send = vi.fn();
  const reply = { header: () => reply, code, type: () => reply, send } as unknown as FastifyReply;
  const request = { id: "1", method: "POST", url: "/app/api/files", routeOptions: {}, raw: {} };
  const log = createLog({ level: "silent", pretty: false });
  createErrorHandler(log)(error, request as FastifyRequest, reply);
  expect(code).toHaveBeenCalledWith(503);
  expect(JSON.stringify(send.mock.calls)).toContain("UNAVAILABLE");
});

test("the same failure is logged once in ten seconds", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const lines: string[] = [];
  const log = createLog({
    level: "info",
    pretty: false,
    destination: { write: (line) => void lines.push(line) },
  });
  const handle = createErrorHandler(log);
  const request = {
    id: "1",
    method: "GET",
    url: "/v2/channels",
    routeOptions: {},
    raw: {},
  } as FastifyRequest;
  const reply = {
    header: () => reply,
    code: () => reply,
    type: () => reply,
    send: () => reply,
  } as unknown as FastifyReply;
  const fail = (error: Error) => handle(error, request, reply);

  for (const _ of Array(3)) fail(new DatabaseUnavailable("PostgreSQL is away"));
  expect(lines).toHaveLength(1);
  for (const text of ["a mistake", "a mistake with other words"]) fail(new TypeError(text));
  expect(lines).toHaveLength(2);
  fail(new TypeError("a mistake elsewhere"));
  expect(lines).toHaveLength(3);
  vi.advanceTimersByTime(10_001);
  fail(new DatabaseUnavailable("PostgreSQL is away"));
  expect(lines).toHaveLength(4);
  vi.useRealTimers();
});
