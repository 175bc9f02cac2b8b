import { describe, expect, it } from "vitest";
import { probeStrangers, probeUnstored } from "./conformance/caller-probes.ts";
import { FAULTS } from "./conformance/faults.ts";
import {
  probeAbort,
  probeLeaving,
  probeLogin,
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
  probeGroupNews,
  probeSample,
} from "./conformance/probes.ts";
import { findDefinitionProblems } from "./conformance/rules.ts";
import type { Transport } from "./connector.ts";

export { createTestAppLink, type TestAppLink } from "./conformance/app-link.ts";
export { createTestLink, TEST_CALLBACK_SECRET, type TestLink } from "./conformance/link.ts";

/**
 * The rules that hold for every transport, as tests. Each transport's own test calls this once with its cases:
 * methods match capabilities, samples tell the same each time, a broken messenger leads to sensible errors, nothing
 * secret shows, and closing is quick.
 */
export function describeTransport(transport: Transport, cases: ConformanceCases): void {
  describe(`conformance of ${transport.definition.id}`, () => {
    it("has a usable definition", () => {
      expect(findDefinitionProblems(transport.definition)).toEqual([]);
    });

    it("has the methods that its capabilities promise, and closes quickly", async () => {
      expect(await probeCapabilities(transport, cases)).toEqual([]);
    });

    const faults = FAULTS.filter((fault) => fault !== "flood" || cases.flood !== undefined);
    it.each(faults)("survives: %s", async (fault) => {
      expect(await probeFault(transport, cases, fault)).toEqual([]);
    });

    it("says how long to wait after a flood", () => {
      expect(cases.flood ?? cases.socketFlood, "flood or socketFlood").toBeDefined();
      expect(probeSocketFlood(cases)).toEqual([]);
    });

    it("stops when its link ends", async () => {
      expect(await probeAbort(transport, cases)).toEqual([]);
    });

    it("can be left, whatever the messenger does", async () => {
      expect(await probeLeaving(transport, cases)).toEqual([]);
    });

    it.skipIf(transport.definition.capabilities.login.length === 0)(
      "refuses steps of a login that nobody awaits",
      async () => {
        expect(await probeLogin(transport, cases)).toEqual([]);
      },
    );

    const { signIn, receive, receiveForApp } = transport.connector;
    it.skipIf(signIn === undefined)("has a sign-in that outlives the messenger", async () => {
      expect(await probeSignIn(transport, cases)).toEqual([]);
    });

    const isCalled = receive !== undefined || receiveForApp !== undefined;
    it.skipIf(!isCalled)("takes nothing from strangers", async () => {
      expect(await probeStrangers(transport, cases)).toEqual([]);
    });

    it.skipIf(!isCalled)("confirms nothing that was not stored", async () => {
      const found = cases.samples.map((sample) => probeUnstored(transport, cases, sample));
      expect((await Promise.all(found)).flat()).toEqual([]);
    });

    it("has samples", () => expect(cases.samples.length).toBeGreaterThan(0));

    it("has a sample of each kind of news of groups that it promises", async () => {
      expect(await probeGroupNews(transport, cases)).toEqual([]);
    });

    const { mutants } = cases;
    it.skipIf(mutants === undefined).each(cases.samples.map((sample, index) => [index, sample] as const))(
      "reads sample %i with each field missing, null and odd",
      async (_, sample) => {
        if (mutants !== undefined)
          expect(await probeMutants(transport, { ...cases, mutants }, sample)).toEqual([]);
      },
    );

    it.skipIf(mutants?.send === undefined)("has sent what was sent, whatever the answer lacks", async () => {
      const send = mutants?.send;
      if (send !== undefined) expect(await probeSendAnswers(transport, { ...cases, send })).toEqual([]);
    });

    it.skipIf(mutants?.verify === undefined)(
      "knows whose credentials these are, whatever else lacks",
      async () => {
        const verify = mutants?.verify;
        if (verify !== undefined)
          expect(await probeVerifyAnswers(transport, { ...cases, verify })).toEqual([]);
      },
    );

    it.skipIf(mutants?.openFile === undefined)("opens a file, whatever its description lacks", async () => {
      const openFile = mutants?.openFile;
      if (openFile !== undefined)
        expect(await probeFileAnswers(transport, { ...cases, openFile })).toEqual([]);
    });

    it.each(cases.samples.map((sample, index) => [index, sample] as const))(
      "replays sample %i",
      async (_, sample) => {
        expect(await probeSample(transport, cases, sample)).toEqual([]);
      },
    );
  });
}
