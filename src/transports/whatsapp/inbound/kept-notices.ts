import type { BinaryNode } from "baileys";
import type { Vault } from "../../../core/transport/connector.ts";
import { decodeJson, encodeJson } from "../keys/key-store.ts";

const FAMILY = "notice";

interface Kept {
  /** The sequence number of the entry; WhatsApp's own times are whole seconds. */
  readonly number: number;
  readonly node: BinaryNode;
}

/**
 * The stanzas whose events core has not stored yet (group updates, missed calls, view-once pictures). The library
 * acknowledges them before they could be stored.
 */
export class KeptNotices {
  readonly #vault: Vault;
  #lastNumber = 0;

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** Resolves when the stanza would survive a crash. Call after `recover` has resolved. */
  async keep(node: BinaryNode): Promise<void> {
    const kept: Kept = { number: ++this.#lastNumber, node };
    await this.#vault.write([{ family: FAMILY, id: idOf(node), value: encodeJson(kept) }]);
  }

  async release(node: BinaryNode): Promise<void> {
    await this.#vault.write([{ family: FAMILY, id: idOf(node), value: null }]);
  }

  /** The stanzas that an earlier process kept but did not emit, in order. */
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
