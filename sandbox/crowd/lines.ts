import { type CrowdStage, pick } from "./contract.ts";

type Admin = Pick<CrowdStage, "admin">;

/**
 * The lines of a crowd's accounts: they break, or hear nothing for a while and then all at once. Whoever loses the line
 * again and again takes longer and longer to come back, so lines break in every third run only, each once.
 */
export class Lines {
  readonly #stage: Admin;
  readonly #place: string;
  readonly #dropped = new Set<string>();
  /** Whose line is held. */
  #silent: string | null = null;
  #runs = 0;

  /** `place`: what the emulator calls a connection of an account, below `/people/{phone}`. */
  constructor(stage: Admin, place: string) {
    this.#stage = stage;
    this.#place = place;
  }

  begin(): void {
    this.#runs++;
    this.#dropped.clear();
  }

  /** Does something to a line of these phones, if one is left; `before` may prepare more for whose it is. */
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

  /** The line may have been given up meanwhile. */
  async #act(phone: string, what: string): Promise<void> {
    await this.#stage.admin("POST", `/people/${phone}/${this.#place}/${what}`).catch(() => undefined);
  }
}
