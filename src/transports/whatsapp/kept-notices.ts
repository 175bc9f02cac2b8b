import type { BinaryNode } from "baileys";
import type { Vault } from "../../core/transport/connector.ts";
import { decodeJson, encodeJson } from "./key-store.ts";

const FAMILY = "notice";

interface Kept {
  /** Which one it is of all that were kept: WhatsApp's own times are whole seconds. */
  readonly number: number;
  readonly node: BinaryNode;
}

/**
 * Stanzas whose news core has not stored yet (changes of groups, missed calls, pictures for the phone alone): the library
 * confirms them to WhatsApp before anybody could.
 */
export class KeptNotices {
  readonly #vault: Vault;
  #lastNumber = 0;

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** Resolves when it would outlive a crash. Call it once `recover` has resolved. */
  async keep(node: BinaryNode): Promise<void> {
    const kept: Kept = { number: ++this.#lastNumber, node };
    await this.#vault.write([{ family: FAMILY, id: idOf(node), value: encodeJson(kept) }]);
  }

  async release(node: BinaryNode): Promise<void> {
    await this.#vault.write([{ family: FAMILY, id: idOf(node), value: null }]);
  }

  /** What an earlier process kept and could not hand on, in the order in which it happened. */
  async recover(): Promise<BinaryNode[]> {
    const kept = [...(await this.#vault.readAll(FAMILY)).values()]
      .map((bytes) => decodeJson(bytes) as Kept)
      .toSorted((a, b) => a.number - b.number);
    this.#lastNumber = Math.max(this.#lastNumber, kept.at(-1)?.number ?? 0);
    return kept.map(({ node }) => node);
  }
}

function idOf({ attrs }: { readonly attrs?: BinaryNode["attrs"] | null }): string {
  return `${attrs?.["from"]} ${attrs?.["id"]}`;
}
