import { beginCodeLink, finishCodeLink } from "../link/code.ts";
import { unlink } from "../link/unlink.ts";
import { passkeySteps } from "../passkey/steps.ts";
import type { Node } from "../wire/node.ts";
import { type IqCall, IqError, needCompanion, notAllowed, notDone } from "./call.ts";

/** Linking by code or with a passkey, and unlinking by the device itself. */
export function answerLinking(call: IqCall): Node[] | undefined {
  const { first, world, registration } = call;
  if (first?.tag === "remove-companion-device") {
    const companion = needCompanion(call);
    call.afterwards(() => unlink(world, companion, "by_device"));
    return undefined;
  }
  const passkeyStep = passkeySteps[first?.tag ?? ""];
  if (!first || (!passkeyStep && first.tag !== "link_code_companion_reg")) throw notDone();
  if (!registration) throw notAllowed();
  if (passkeyStep) return passkeyStep({ world, registration, stanza: first, afterwards: call.afterwards });
  if (first.attrs["stage"] === "companion_hello") {
    const answer = beginCodeLink(world, registration, first);
    if (!answer) throw new IqError(400, "bad-request");
    return answer;
  }
  if (first.attrs["stage"] !== "companion_finish") throw notDone();
  const offer = finishCodeLink(world, registration, first);
  if (!offer) throw new IqError(400, "bad-request");
  call.afterwards(offer);
  return undefined;
}
