import { type CrowdStage, pick } from "./contract.ts";

type Admin = Pick<CrowdStage, "admin">;

/**
 * The connections of a crowd's accounts: they break, or are silent for a while and then receive everything at once.
 * Accounts back off longer with each break, so connections break only in every third run, each once.
 */
export class Lines {
  readonly #stage: Admin;
  readonly #place: string;
  readonly #dropped = new Set<string>();
  /** The account whose connection is held. */
  #silent: string | null = null;
  #runs = 0;

  /** `place`: the emulator's word for an account's connection, below `/people/{phone}`. */
  constructor(stage: Admin, place: string) {
    this.#stage = stage;
    this.#place = place;
  }

  begin(): void {
    this.#runs++;
    this.#dropped.clear();
  }

  /** Disturbs a connection of these phones, if there is one left; `before` may prepare more for its account. */
  async jolt(
    phones: readonly string[],
    dice: number,
    before?: (phone: string) => Promise<unknown>,
  ): Promise<void> {
    const steady = phones.filter((phone) => !this.#dropped.has(phone));
    if (steady.length === 0) return;
    const phone = this.#silent ?? pick(steady, dice);
    await before?.(phone);
    if (this.#runs % 3 === 1) {
      this.#dropped.add(phone);
      return this.#act(phone, "drops");
    }
    await this.#act(phone, this.#silent === null ? "freezes" : "thaws");
    this.#silent = this.#silent === null ? phone : null;
  }

  async end(): Promise<void> {
    if (this.#silent !== null) await this.#act(this.#silent, "thaws");
    this.#silent = null;
  }

  /** The connection may have been closed in the meantime. */
  async #act(phone: string, what: string): Promise<void> {
    await this.#stage.admin("POST", `/people/${phone}/${this.#place}/${what}`).catch(() => undefined);
  }
}
