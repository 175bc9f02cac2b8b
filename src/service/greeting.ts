import type { Config } from "../config.ts";
import { waitingCodes } from "../core/channel/link/waiting-codes.ts";
import type { Core } from "../core/core.ts";
import { commandLine } from "../platform/command-line.ts";
import type { Log } from "../platform/log.ts";
import type { Emulators } from "./create-core.ts";
import { consoleText, createDemo, demoText } from "./first-start.ts";
import type { SandboxProcess } from "./sandbox-process.ts";

export interface GreetingParts {
  readonly core: Core;
  readonly config: Config;
  readonly log: Log;
  /** The service's address. */
  readonly url: string;
  readonly sandbox: SandboxProcess | null;
  readonly emulators: Emulators;
  print(text: string): void;
}

/**
 * Tells the person at the terminal how to go on; the first start with a sandbox creates the demo account. The service
 * works already, so failures are only logged.
 */
export async function greet(parts: GreetingParts): Promise<void> {
  const { core, config, log, sandbox, print } = parts;
  if (sandbox !== null) await greetFromSandbox(parts, sandbox);
  const text = await consoleText(core, config).catch((error: unknown) => {
    log.warn(
      { err: error },
      `the console's link could not be made; "${commandLine("operator link")}" makes one`,
    );
    return null;
  });
  if (text !== null) print(text);
}

/** The page of the sandbox's phone. */
export const phoneOf = ({ url }: Pick<SandboxProcess, "url">): string => `${url}/phone`;

async function greetFromSandbox(
  { core, log, url, emulators, print }: GreetingParts,
  sandbox: SandboxProcess,
): Promise<void> {
  sandbox.offerCodes(() => waitingCodes(core.db));
  const demo = await createDemo(core, emulators.get("inbox")?.url ?? "").catch((error: unknown) => {
    log.error({ err: error }, "the demo account could not be created; the next start tries again");
    return undefined;
  });
  const phone = phoneOf(sandbox);
  const admin = emulators.get("telegram")?.admin ?? "";
  if (demo) print(demoText(demo, { service: url, admin, inbox: `${sandbox.url}/inbox`, phone }));
  else if (demo === null)
    print(
      `\nThe phone of the sandbox: ${phone}\n"${commandLine("account list")}" shows the demo account, "${commandLine("channel list")}" its channel, and "${commandLine("token create --account ID --kind access")}" makes a new key.\n`,
    );
}
