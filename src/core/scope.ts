/** The account that a function may access. Every statement on tenant tables takes its account from here. */
export interface Scope {
  readonly accountId: number;
}

/** A channel and its owner's epoch; a write with an old epoch has no effect. */
export interface OwnedChannelKey {
  readonly accountId: number;
  readonly channelId: string;
  readonly epoch: number;
  /**
   * The node that owns it. An epoch can be given out twice if a primary was lost with its last commits, a node id not. Left
   * out where any node may write, such as for a callback.
   */
  readonly owner?: string;
}

/** Condition: the channel still belongs to the owner of the parameter, if it names one. */
export const isOwnedBy = (parameter: string): string =>
  `(${parameter}::uuid is null or owner = ${parameter})`;
