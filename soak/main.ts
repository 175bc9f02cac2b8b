import { parseArgs } from "node:util";
import { FAULTS } from "./patroni/faults.ts";
import { findPrograms, missingText } from "./patroni/programs.ts";
import { type Result, soak } from "./soak.ts";

const HELP = `npm run soak -- [options]

Runs mixed traffic over several nodes on one PostgreSQL while nodes, connections, the disk, messengers and receivers
fail at random, and checks after each round that nothing was lost, repeated or put out of order. Ends with status 1 and the
first violation otherwise.

  --minutes N       how long trouble is made, in all (60)
  --round-seconds N how long until everything has to come to rest and is checked (90)
  --seed TEXT       the same seed chooses the same troubles and pauses (random)
  --nodes N         (2)
  --accounts N      (2)
  --people N        who write in each round, at each messenger (3)
  --transport NAME  whose emulators take part; may be repeated (telegram, wapi, whatsapp)
  --callbacks       messengers call the service where they can, and are not asked by it
  --patroni         three PostgreSQL members with Patroni, etcd and HAProxy, configured by deploy/patroni; they fail in
                    turn, beside the other troubles
  --asynchronous    with --patroni: commits do not wait for a standby; what a failover costs is counted
  --fault TEXT      with --patroni: only this fault, by its name; may be repeated
  --moves           a second cell, and accounts that move between the two all the time
  --calm            no trouble: verifies the check itself`;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    "round-seconds": { type: "string", default: "90" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
    nodes: { type: "string", default: "2" },
    accounts: { type: "string", default: "2" },
    people: { type: "string", default: "3" },
    transport: { type: "string", multiple: true, default: ["telegram", "wapi", "whatsapp"] },
    callbacks: { type: "boolean", default: false },
    patroni: { type: "boolean", default: false },
    asynchronous: { type: "boolean", default: false },
    fault: { type: "string", multiple: true, default: [] },
    moves: { type: "boolean", default: false },
    calm: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const refusal = refusalOf();
if (values.help) console.log(HELP);
else if (refusal !== null) refuse(refusal);
else process.exitCode = report(await run());

/** Why these options cannot be used. */
function refusalOf(): string | null {
  const { patroni, asynchronous, fault } = values;
  if (!patroni) return asynchronous || fault.length > 0 ? "--asynchronous and --fault need --patroni" : null;
  const names = FAULTS.map(({ name }) => name);
  const unknown = fault.find((name) => !names.includes(name));
  if (unknown !== undefined) return `there is no fault "${unknown}", only: ${names.join("; ")}`;
  const found = findPrograms();
  return "missing" in found ? missingText(found.missing) : null;
}

function refuse(why: string): void {
  console.error(why);
  process.exitCode = 2;
}

function run(): Promise<Result> {
  // Stops everything when interrupted.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(130));
  return soak({
    minutes: Number(values.minutes),
    roundSeconds: Number(values["round-seconds"]),
    seed: values.seed,
    nodes: Number(values.nodes),
    accounts: Number(values.accounts),
    people: Number(values.people),
    transports: values.transport,
    callbacks: values.callbacks,
    patroni: values.patroni ? { isSynchronous: !values.asynchronous, faults: values.fault } : null,
    moves: values.moves,
    calm: values.calm,
    tell: (line) => console.log(line),
  });
}

/** The exit status. */
function report({ violations, logs }: Result): number {
  if (violations.length === 0) {
    console.log(
      `PASSED: nothing was lost, repeated or put out of order${values.asynchronous ? ", except as documented" : ""}`,
    );
    return 0;
  }
  const [first] = violations;
  console.log(
    `FAILED with ${violations.length} violations, seed ${values.seed}; the nodes' logs are in ${logs}`,
  );
  console.log(`first: ${first?.conversation}: ${first?.rule}: ${first?.what}`);
  for (const { conversation, rule, what } of violations.slice(1, 20))
    console.log(`       ${conversation}: ${rule}: ${what}`);
  return 1;
}
