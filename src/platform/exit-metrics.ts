import { Gauge } from "prom-client";
import { registry } from "./metrics.ts";
import { exitHealth } from "./network/proxy/exit-health.ts";
import { exitKey, shownProxy } from "./network/proxy/proxy.ts";

let exits: readonly string[] = [];

/** The operator's proxies, as URLs; those of tenants are not reported one by one. */
export function reportExits(urls: readonly string[]): void {
  exits = urls;
}

const registers = [registry];
const labelNames = ["exit", "address"];

/** Users of one provider differ only in their user names, so the address does not identify an exit. */
const labelsOf = (url: string) => ({ exit: exitKey(url), address: shownProxy(url) });

new Gauge({
  name: "trunkline_exit_up",
  help: "0 while a proxy of the settings does not work for this node",
  labelNames,
  registers,
  collect() {
    this.reset();
    for (const url of exits) this.set(labelsOf(url), exitHealth(url).failure === null ? 1 : 0);
  },
});

new Gauge({
  name: "trunkline_exit_connections",
  help: "Connections through a proxy of the settings since the start, by result: opened or failed",
  labelNames: [...labelNames, "result"],
  registers,
  collect() {
    this.reset();
    for (const url of exits) {
      const { opened, failed } = exitHealth(url);
      this.set({ ...labelsOf(url), result: "opened" }, opened);
      this.set({ ...labelsOf(url), result: "failed" }, failed);
    }
  },
});
