import { AdminError, missing } from "../http/fields.ts";
import type { Request } from "./admin.ts";
import { type Admin, text } from "./admin.ts";
import type { Phone, Seat } from "./phone.ts";
import type { Trouble } from "./shape.ts";

/** An active trouble: the number of its fault, or how it is undone. */
type Running = { readonly fault: string } | { readonly undo: Request | undefined };

/** The troubles of one messenger and their state. */
export class Switches {
  readonly #phone: Phone;
  readonly #admin: Admin;
  readonly #running = new Map<string, Running>();

  constructor(phone: Phone, admin: Admin) {
    this.#phone = phone;
    this.#admin = admin;
  }

  /** A fault that was removed otherwise is off. */
  async list(): Promise<readonly Trouble[]> {
    const faults = await this.#admin.list("/faults");
    return this.#phone.troubles.map(({ name, title, lasts }) => {
      const running = this.#running.get(name);
      const fault =
        running !== undefined && "fault" in running
          ? faults.find(({ id }) => text(id) === running.fault)
          : undefined;
      const on = running !== undefined && (!("fault" in running) || fault !== undefined);
      return { name, title, lasts, on, hits: fault === undefined ? null : Number(fault["hits"]) };
    });
  }

  /** Idempotent. A trouble that happens once cannot be switched off. */
  async set(name: string, on: boolean, seat: Seat): Promise<void> {
    const setup = this.#phone.troubles.find((each) => each.name === name);
    if (setup === undefined) throw missing("trouble", name);
    const isOn = (await this.list()).some((each) => each.name === name && each.on);
    if (on === isOn) return;
    if (!on) return this.#end(name);
    if (setup.fault !== undefined) {
      const { id } = await this.#admin.ask(["POST /faults", setup.fault(seat)]);
      this.#running.set(name, { fault: text(id) });
      return;
    }
    if (setup.begin === undefined) throw new AdminError(409, "no_effect", `${name} does nothing`);
    await this.#admin.ask(await setup.begin(seat, this.#admin));
    if (setup.lasts === "switch") this.#running.set(name, { undo: await setup.end?.(seat, this.#admin) });
  }

  async #end(name: string): Promise<void> {
    const running = this.#running.get(name);
    this.#running.delete(name);
    if (running === undefined) return;
    if ("fault" in running) await this.#admin.ask([`DELETE /faults/${running.fault}`]);
    else if (running.undo !== undefined) await this.#admin.ask(running.undo);
  }
}
