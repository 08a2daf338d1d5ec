import type { CallError } from '#core/call-error.ts';
import type { Citation } from '#core/chat.ts';
import type { Clock } from '#core/clock.ts';
import type { Cancel, Http } from '#core/http.ts';
import type { Fix } from '#core/messages/fixes.ts';
import type { Patience, ProviderId } from '#core/provider.ts';
import type { Random } from '#core/random.ts';
import type { Secret } from '#core/secret.ts';
import type { KeyFilter } from './hide-keys.ts';
import type { Unknown } from './json-read.ts';
import type { ErrorReader } from './read-error.ts';

/** Leave to ask a vendor that takes only so many requests at once. */
export interface Gate {
  /** What is given ends the leave. */
  (signal: Cancel): Promise<() => void>;
  /** What is told to who stood in line for as long as there was time. */
  readonly tooLong?: () => CallError;
}

export interface WireOptions extends ErrorReader {
  readonly provider: ProviderId;
  /** As people know it: `Kimi`. */
  readonly title: string;
  readonly baseUrl: string;
  readonly key: Secret;
  /** Keys of other providers, which are hidden in answers, too. */
  readonly otherKeys?: readonly Secret[];
  /** Whether a request without a key makes sense, and what to tell those who have none. */
  readonly keyNeeded: 'no' | { readonly fixes: readonly (Fix | string)[] };
  readonly http: Http;
  readonly clock: Clock;
  readonly random: Random;
  readonly patience: Patience;
  /** Response headers that identify a request at the vendor's. */
  readonly idHeaders: readonly string[];
  /** Members of an answer's body that do. */
  readonly idFields?: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Marks that its models leave in texts. */
  readonly marks: readonly string[];
  readonly citations?: (chunk: Unknown) => readonly Citation[];
  readonly gate?: Gate;
}

/** With what is made of them once for all exchanges. */
export interface OpenWireOptions extends WireOptions {
  readonly keys: KeyFilter;
}
