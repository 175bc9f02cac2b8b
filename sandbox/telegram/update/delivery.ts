import type { Bot } from "../bot.ts";
import type { World } from "../world.ts";
import { Poller } from "./poller.ts";
import { type SenderPorts, WebhookSender } from "./webhook-sender.ts";

/** Delivers the updates of one bot, by polling or by webhook. */
export class Delivery {
  readonly poller: Poller;
  readonly #bot: Bot;
  readonly #world: World;
  readonly #invoke: SenderPorts["invoke"];
  #sender: WebhookSender | undefined;

  constructor(bot: Bot, world: World, invoke: SenderPorts["invoke"]) {
    this.#bot = bot;
    this.#world = world;
    this.#invoke = invoke;
    this.poller = new Poller(bot, world);
    bot.onUpdate = (entry) => {
      if (this.#sender) this.#sender.add(entry);
      else this.poller.notify();
    };
    this.restart();
  }

  /** Call after the webhook was set or removed. */
  restart(): void {
    this.#sender?.stop();
    this.#sender = undefined;
    const config = this.#bot.webhook;
    if (!config) return;
    this.poller.terminate("terminated by setWebhook request");
    const ports = { invoke: this.#invoke, onGone: () => this.#remove() };
    this.#sender = new WebhookSender(this.#bot, this.#world, ports, config);
  }

  hurry(): void {
    this.#bot.updates.expire(this.#world.clock.nowMs());
    this.#sender?.hurry();
  }

  close(): void {
    this.#sender?.stop();
    this.poller.close();
  }

  #remove(): void {
    this.#bot.webhook = undefined;
    this.#world.changed();
    this.restart();
  }
}
