import type { MessageInputs } from "../../core/transport/message.ts";
import { answerLinesOf, joined } from "./words.ts";

/** What WhatsApp shows in place of a form's answers. */
const SENT = "Sent";
/** Fields of a form that identify it. */
const TOKENS = ["flow_token"];

/**
 * A completed form of WhatsApp, an address, or the like: its own words, then a line for each answer that they do not
 * contain. `text` is null if there is nothing to read. Pure.
 */
export function readForm(form: {
  readonly type: string;
  readonly words: string | undefined;
  readonly json: string | undefined;
}): Pick<MessageInputs, "answers"> & { readonly text: string | null } {
  const { type, words, json } = form;
  const own = words === SENT ? undefined : words;
  const lines = answerLinesOf(json, TOKENS).filter((line) => own?.includes(valueIn(line)) !== true);
  const text = joined([own, ...lines]) ?? words ?? null;
  return { text, ...(json === undefined ? {} : { answers: [{ type, payload: json }] }) };
}

function valueIn(line: string): string {
  return line.slice(line.indexOf(": ") + 1).trim();
}
