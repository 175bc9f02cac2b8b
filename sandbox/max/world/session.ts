import type { Connection } from "../connection.ts";
import type { Account } from "./account.ts";

/** A client that is logged in to an account, connected or not. */
export class Session {
  readonly number: number;
  readonly account: Account;
  readonly deviceId: string;
  readonly client: string;
  readonly createdMs: number;
  token: string;
  /** A token that was replaced, and is good until its successor is used. */
  previousToken: string | undefined;
  lastMs: number;
  connection: Connection | undefined;
  /** Chats whose typing it is told of, with the time until when. */
  readonly subscriptions = new Map<number, number>();

  constructor(setup: {
    number: number;
    account: Account;
    deviceId: string;
    client: string;
    token: string;
    nowMs: number;
  }) {
    this.number = setup.number;
    this.account = setup.account;
    this.deviceId = setup.deviceId;
    this.client = setup.client;
    this.token = setup.token;
    this.createdMs = setup.nowMs;
    this.lastMs = setup.nowMs;
  }
}
