import type { WASocket } from "baileys";
import type { ChannelProfile, LinkState } from "../../core/transport/events.ts";
import type { WhatsAppLink } from "./link.ts";
import { askPhone } from "./people/phone-query.ts";
import type { PhoneWatch } from "./phone-watch.ts";

interface ActiveReportParts {
  readonly link: WhatsAppLink;
  readonly phone: PhoneWatch;
  readonly profile: () => ChannelProfile;
  tell(state: LinkState): Promise<void>;
}

/** Reports that a channel is active, and whether its phone has been away for long. */
export class ActiveReport {
  readonly #socket: WASocket;
  readonly #parts: ActiveReportParts;
  #isChecking = false;
  #isReportedAway = false;

  constructor(socket: WASocket, parts: ActiveReportParts) {
    this.#socket = socket;
    this.#parts = parts;
  }

  async tell(): Promise<void> {
    const { phone, profile, tell } = this.#parts;
    const isAway = phone.isAway;
    await tell({ status: "active", profile: profile(), ...(isAway && { phoneUnavailable: true }) });
    this.#isReportedAway = isAway;
  }

  /**
   * Queries an inactive phone and reports its absence, because WhatsApp will end the link. Failures are retried at the
   * next check.
   */
  async checkPhone(): Promise<void> {
    const { phone, link } = this.#parts;
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      if (phone.takeQuestion()) await askPhone(this.#socket);
      if (phone.isAway !== this.#isReportedAway) await this.tell();
      await phone.store();
    } catch (error) {
      link.log("debug", "WhatsApp: the phone's activity could not be checked", { error: String(error) });
    } finally {
      this.#isChecking = false;
    }
  }
}
