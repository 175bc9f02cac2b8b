import { describe, expect, it } from "vitest";
import { probeStrangers, probeUnknown, probeUnstored } from "./conformance/caller-probes.ts";
import { FAULTS } from "./conformance/faults.ts";
import { probeHostile } from "./conformance/hostile-probes.ts";
import { findHidingPatterns, probeKept } from "./conformance/kept-probe.ts";
import {
  probeAbort,
  probeLogin,
  probeLogouts,
  probeSignIn,
  probeSocketFlood,
} from "./conformance/life-probes.ts";
import {
  probeFileAnswers,
  probeMutants,
  probeSendAnswers,
  probeVerifyAnswers,
} from "./conformance/mutant-probes.ts";
import {
  type ConformanceCases,
  probeCapabilities,
  probeFault,
  probeGroupUpdates,
  probeSample,
} from "./conformance/probes.ts";
import { findDefinitionProblems } from "./conformance/rules.ts";
import type { Transport } from "./connector.ts";

export { createTestAppLink, type TestAppLink } from "./conformance/app-link.ts";
export { createTestLink, TEST_CALLBACK_SECRET, type TestLink } from "./conformance/link.ts";

/**
 * The rules that hold for every transport, as tests. Each transport's own test calls this once with its cases:
 * methods match capabilities, replaying a sample emits the same events, faults of the messenger cause the right
 * errors, no secret leaks, and closing is quick.
 */
export function describeTransport(transport: Transport, cases: ConformanceCases): void {
  describe(`conformance of ${transport.definition.id}`, () => {
    testDefinition(transport, cases);
    testFaults(transport, cases);
    testLinking(transport, cases);
    testCallbacks(transport, cases);
    testSamples(transport, cases);
    testUnknown(cases);
    testMutants(transport, cases);
    testKept(transport, cases);
  });
}

function testDefinition(transport: Transport, cases: ConformanceCases): void {
  it("has a usable definition", () => {
    expect(findDefinitionProblems(transport.definition)).toEqual([]);
  });

  it("has the methods that its capabilities promise, and closes quickly", async () => {
    expect(await probeCapabilities(transport, cases)).toEqual([]);
  });
}

function testFaults(transport: Transport, cases: ConformanceCases): void {
  const faults = FAULTS.filter((fault) => fault !== "flood" || cases.flood !== undefined);
  it.each(faults)("survives: %s", async (fault) => {
    expect(await probeFault(transport, cases, fault)).toEqual([]);
  });

  it("returns a delay after too many requests", () => {
    expect(cases.flood ?? cases.socketFlood, "flood or socketFlood").toBeDefined();
    expect(probeSocketFlood(cases)).toEqual([]);
  });
}

function testLinking(transport: Transport, cases: ConformanceCases): void {
  it("stops when its link ends", async () => {
    expect(await probeAbort(transport, cases)).toEqual([]);
  });

  it("can log out, whatever the messenger does", async () => {
    expect(await probeLogouts(transport, cases)).toEqual([]);
  });

  it.skipIf(transport.definition.capabilities.login.length === 0)(
    "refuses login steps that are not expected",
    async () => {
      expect(await probeLogin(transport, cases)).toEqual([]);
    },
  );

  const { signIn } = transport.connector;
  it.skipIf(signIn === undefined)("has a sign-in that handles every fault of the messenger", async () => {
    expect(await probeSignIn(transport, cases)).toEqual([]);
  });
}

function testCallbacks(transport: Transport, cases: ConformanceCases): void {
  const { receive, receiveForApp } = transport.connector;
  const isCalled = receive !== undefined || receiveForApp !== undefined;
  it.skipIf(!isCalled)("refuses calls of strangers", async () => {
    expect(await probeStrangers(transport, cases)).toEqual([]);
  });

  it.skipIf(!isCalled)("acknowledges hostile calls of verified callers, at a bounded cost", async () => {
    expect(await probeHostile(transport, cases)).toEqual([]);
  });

  it.skipIf(!isCalled)("confirms nothing before it is stored", async () => {
    const found = cases.samples.map((sample) => probeUnstored(transport, cases, sample));
    expect((await Promise.all(found)).flat()).toEqual([]);
  });
}

function testSamples(transport: Transport, cases: ConformanceCases): void {
  it("has samples", () => expect(cases.samples.length).toBeGreaterThan(0));

  it("has a sample of each kind of group update that it declares", async () => {
    expect(await probeGroupUpdates(transport, cases)).toEqual([]);
  });

  it.each(cases.samples.map((sample, index) => [index, sample] as const))(
    "replays sample %i",
    async (_, sample) => {
      expect(await probeSample(transport, cases, sample)).toEqual([]);
    },
  );
}

function testUnknown(cases: ConformanceCases): void {
  it
    .skipIf(cases.unknown === undefined)
    .each((cases.unknown ?? []).map((payload, index) => [index, payload] as const))(
    "reports what it does not know: %i",
    async (_, payload) => {
      expect(await probeUnknown(cases, payload)).toEqual([]);
    },
  );
}

function testKept(transport: Transport, cases: ConformanceCases): void {
  it("loses no words, addresses, files and button payloads of samples and their variants", async () => {
    const { problems, ...counts } = await probeKept(transport, cases);
    if (process.env["CONFORMANCE_COUNTS"] !== undefined)
      process.stdout.write(`${transport.definition.id} ${JSON.stringify(counts)}\n`);
    expect(problems).toEqual([]);
    expect(counts.strings).toBeGreaterThan(0);
    expect(cases.kept.names).toHaveLength(cases.samples.length);
  });

  it("would notice a field that is new", () => expect(findHidingPatterns(cases)).toEqual([]));
}

function testMutants(transport: Transport, cases: ConformanceCases): void {
  const { mutants } = cases;
  it.skipIf(mutants === undefined).each(cases.samples.map((sample, index) => [index, sample] as const))(
    "parses sample %i with each field missing, null and wrong",
    async (_, sample) => {
      if (mutants !== undefined)
        expect(await probeMutants(transport, { ...cases, mutants }, sample)).toEqual([]);
    },
  );

  const { send, verify, openFile } = mutants ?? {};
  it.skipIf(send === undefined)("reports a sent message as sent, whatever the response lacks", async () => {
    if (send !== undefined) expect(await probeSendAnswers(transport, { ...cases, send })).toEqual([]);
  });

  it.skipIf(verify === undefined)(
    "identifies the account of the credentials, whatever else is missing",
    async () => {
      if (verify !== undefined) expect(await probeVerifyAnswers(transport, { ...cases, verify })).toEqual([]);
    },
  );

  it.skipIf(openFile === undefined)("opens a file, whatever its description lacks", async () => {
    if (openFile !== undefined) expect(await probeFileAnswers(transport, { ...cases, openFile })).toEqual([]);
  });
}
