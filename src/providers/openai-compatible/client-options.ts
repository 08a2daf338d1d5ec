import type { CallError } from '#core/errors/call-error.ts';
import type { Citation } from '#core/llm/chat.ts';
import type { Clock } from '#core/time/clock.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { Http } from '#core/net/http.ts';
import type { Fix } from '#core/messages/fixes.ts';
import type { StreamTimeouts, ProviderId } from '#core/llm/provider.ts';
import type { Random } from '#core/random.ts';
import type { Secret } from '#core/secrets/secret.ts';
import type { KeyRedactor } from './redact-keys.ts';
import type { Unknown } from './response/json.ts';
import type { ErrorReader } from './errors/vendor-error.ts';

/** Acquires a permit of a vendor that limits concurrent requests. */
export interface AcquirePermit {
  /** Resolves with the function that releases the permit. */
  (signal: AbortSignalLike): Promise<() => void>;
  /** The error when no permit became free in time. */
  readonly queueTimeoutError?: () => CallError;
  /** Learns from a response how many requests the account allows. */
  readonly learn?: (response: RateResponse) => void;
}

/** What a response says about the limits of the account. */
export interface RateResponse {
  readonly is: 'accepted' | 'limited';
  /** The concurrency limit that a refusal names. */
  readonly concurrency?: number;
  /** How long no further request is allowed, by the headers. */
  readonly pauseMs?: number;
}

export interface OpenAiClientOptions extends ErrorReader {
  readonly provider: ProviderId;
  /** The name for messages: `Kimi`. */
  readonly title: string;
  readonly baseUrl: string;
  readonly key: Secret;
  /** Keys of other providers and replaced keys, which are redacted in responses and errors as well. */
  readonly otherKeys?: readonly Secret[];
  /** The header that has the key alone; default: `Authorization: Bearer`. */
  readonly keyHeader?: string;
  /** Whether a key is required, and the fixes when it is missing. */
  readonly keyNeeded: 'no' | { readonly fixes: readonly (Fix | string)[] };
  readonly http: Http;
  readonly clock: Clock;
  readonly random: Random;
  readonly timeouts: StreamTimeouts;
  /** Response headers with the vendor's request ids. */
  readonly idHeaders: readonly string[];
  /** Fields of the response body with the vendor's request ids. */
  readonly idFields?: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Markers that its models leave in texts. */
  readonly marks: readonly string[];
  readonly citations?: (chunk: Unknown) => readonly Citation[];
  readonly acquirePermit?: AcquirePermit;
}

/** The options with what is derived from them once. */
export interface ResolvedClientOptions extends OpenAiClientOptions {
  readonly keys: KeyRedactor;
}
