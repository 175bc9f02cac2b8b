import type { BinaryNode } from "baileys";
import type { Vault } from "../../core/transport/connector.ts";
import { decodeJson, encodeJson } from "./key-store.ts";

const FAMILY = "notice";

/** Notices of groups that core has not stored yet: the library confirms them to WhatsApp before anybody could. */
export class KeptNotices {
  readonly #vault: Vault;

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** Resolves when it would outlive a crash. */
  async keep(node: BinaryNode): Promise<void> {
    await this.#vault.write([{ family: FAMILY, id: idOf(node), value: encodeJson(node) }]);
  }

  async release(node: BinaryNode): Promise<void> {
    await this.#vault.write([{ family: FAMILY, id: idOf(node), value: null }]);
  }

  /** What an earlier process kept and could not hand on, in the order in which it happened. */
  async recover(): Promise<BinaryNode[]> {
    const kept = [...(await this.#vault.readAll(FAMILY)).values()].map(
      (bytes) => decodeJson(bytes) as BinaryNode,
    );
    return kept.toSorted((a, b) => Number(a.attrs["t"]) - Number(b.attrs["t"]));
  }
}

function idOf({ attrs }: BinaryNode): string {
  return `${attrs["from"]} ${attrs["id"]}`;
}
