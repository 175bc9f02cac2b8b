import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";

const DEPLOY = join(import.meta.dirname, "../../deploy/patroni");

export interface Passwords {
  readonly superuser: string;
  readonly replication: string;
  readonly restapi: string;
  readonly trunkline: string;
}

export function drawPasswords(): Passwords {
  const draw = (): string => randomBytes(16).toString("hex");
  return { superuser: draw(), replication: draw(), restapi: draw(), trunkline: draw() };
}

export interface Configuration {
  readonly addresses: readonly string[];
  /** Where HAProxy listens, as host and port. */
  readonly writer: string;
  /** As whom HAProxy runs. */
  readonly user: string;
  readonly group: string;
  readonly passwords: Passwords;
  readonly isSynchronous: boolean;
  /** The directory of PostgreSQL's server programs. */
  readonly binDir: string;
}

/**
 * Fills in the templates of deploy/patroni for this member (from 0 on) by their own script. The directory gets the
 * configuration; data, sockets and etcd's files have their places in it.
 */
export function configure(directory: string, member: number, configuration: Configuration): void {
  const { addresses, writer, user, group, passwords, isSynchronous, binDir } = configuration;
  const [first = "", second = "", third = ""] = addresses;
  execFileSync("sh", [join(DEPLOY, "configure.sh"), String(member + 1), directory], {
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      PATH: process.env["PATH"],
      ADDRESS_1: first,
      ADDRESS_2: second,
      ADDRESS_3: third,
      WRITER: writer,
      HAPROXY_USER: user,
      HAPROXY_GROUP: group,
      SUPERUSER_PASSWORD: passwords.superuser,
      REPLICATION_PASSWORD: passwords.replication,
      RESTAPI_PASSWORD: passwords.restapi,
      TRUNKLINE_PASSWORD: passwords.trunkline,
      SYNCHRONOUS: String(isSynchronous),
      // It would reset this machine.
      WATCHDOG: "off",
      BIN_DIR: binDir,
      DATA_DIR: join(directory, "data"),
      RUN_DIR: join(directory, "run"),
      ETCD_DIR: join(directory, "etcd"),
    },
  });
}
