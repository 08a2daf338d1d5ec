/** What the page shows. Parts that could not be read are undefined. */
export interface PageData {
  readonly version: string;
  readonly uptimeS: number;
  /** In the time zone of the daemon: `2025-10-10 11:05:49 AEDT`. */
  readonly readAt: string;
  /** The address that clients use. */
  readonly url: string;
  /** Whether the gateway is served. */
  readonly gateway: 'on' | 'off';
  readonly providers: readonly PageProvider[];
  readonly today: PageUsage | undefined;
  /** Newest first. */
  readonly calls: readonly PageCall[] | undefined;
  /** Sentences about what needs attention. */
  readonly notices: readonly string[];
}

export interface PageProvider {
  readonly title: string;
  /** Whether it has a key or, for a server of the user, a URL. */
  readonly isSetUp: boolean;
  /** The breaker of the account. */
  readonly breaker: 'closed' | 'half_open' | 'open' | 'unknown';
  /** Why breakers of the account and of its models are not closed; or how to set it up. */
  readonly details: readonly string[];
}

export interface PageUsage {
  /** `2026-11-15`, in UTC. */
  readonly day: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicroUsd: number;
  /** `2 of them without a known price`, and the remaining budget. */
  readonly remarks: readonly string[];
}

export interface PageCall {
  /** ISO 8601, in UTC. */
  readonly at: string;
  /** In the time zone of the daemon. */
  readonly shownAt: string;
  readonly tool: string;
  readonly client: string;
  /** Models that were asked, in this order; empty if none was. */
  readonly models: readonly string[];
  readonly outcome: string;
  /** `degraded`: passages of the input were quoted, as no model answered. */
  readonly result: 'ok' | 'degraded' | 'failed';
  readonly elapsedMs: number;
  /** Undefined if no model was asked, or its price is not known. */
  readonly costMicroUsd: number | undefined;
}
