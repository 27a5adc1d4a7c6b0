/** One server, the master that Sentinels name, or a cluster. */
export interface RedisTarget {
  /**
   * `redis://` or `rediss://` (TLS), with user, password and database number as usual. With Sentinels its
   * host and port are not used, and TLS goes to the Sentinels too. Of a cluster it is one node.
   */
  readonly url: string;
  /** PEM of certificate authorities, instead of the system's list. */
  readonly ca?: string | undefined;
  /** PEM of the client's own certificate and its private key, if the server asks for one; both or neither. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly sentinel?: SentinelTarget | undefined;
  /** More nodes of the cluster to start from, `host:port`; absent: not a cluster. */
  readonly cluster?: readonly string[] | undefined;
}

export interface SentinelTarget {
  readonly nodes: readonly string[];
  readonly name: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
}
