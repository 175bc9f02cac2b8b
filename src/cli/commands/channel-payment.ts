import { markPayment } from "../../core/channel/payment.ts";
import { notifyNodes } from "../../core/signals.ts";
import { createRegistry } from "../../core/transport/registry.ts";
import { systemClock } from "../../platform/clock.ts";
import { transports } from "../../transports/index.ts";
import { type Command, needed } from "../command.ts";
import { findChannel } from "../find-channel.ts";
import { withDatabase } from "../with-database.ts";

export const channelUnpaid = paymentCommand(
  "unpaid",
  "Disable a channel until it is paid; clients cannot enable it",
);
export const channelPaid = paymentCommand("paid", "Enable a channel that was marked as unpaid");

function paymentCommand(payment: "paid" | "unpaid", summary: string): Command {
  return {
    name: `channel ${payment}`,
    summary,
    args: ["ID"],
    options: {},
    async run({ args, print }) {
      const id = needed(args[0]);
      const { status, reason } = await withDatabase(async ({ db }) => {
        const channel = await findChannel(db, id, null);
        const core = { db, clock: systemClock, transports: createRegistry(transports, {}) };
        const marked = await markPayment(core, channel, payment);
        notifyNodes(db, "channels", id);
        notifyNodes(db, "webhooks", String(channel.accountId));
        return marked;
      });
      print({ id, status, reason }, () => (reason === null ? status : `${status} (${reason})`));
    },
  };
}
