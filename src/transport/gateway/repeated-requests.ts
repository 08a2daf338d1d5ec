import { createBoundedMap, type BoundedMap } from '#core/bounded-map.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Clock } from '#core/time/clock.ts';
import type { HttpContext } from '../http/http-context.ts';
import { fieldProblem, isJsonObject } from './fields.ts';
import { replayAnswer, SharedContext, type RecordedAnswer } from './shared-context.ts';
import type { CallerContext, JsonBody } from './request.ts';

export interface RepeatedRequestsOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** How long an answer is kept for its `Idempotency-Key`; 0 ignores the header. */
  readonly idempotencyMs: number;
  /** How long an answer is reused for the same request; 0 reuses none. */
  readonly cacheMs: number;
}

/** Answers requests that were made before: by their idempotency key, or from the cache. */
export interface RepeatedRequests {
  /** Calls `work` if the request has to be answered again. Throws `conflict` or `validation`. */
  serve(
    context: HttpContext,
    json: JsonBody,
    by: CallerContext,
    work: (context: HttpContext) => void,
  ): void;
}

interface Kept {
  readonly key: string;
  /** Digest of the request; another request must not use the key. */
  readonly digest: string;
  readonly expiresAt: number;
  readonly answer: RecordedAnswer;
}

interface Running {
  readonly digest: string;
  readonly shared: SharedContext;
}

const KEY = /^[ -~]{1,255}$/;
const MAX_CLIENTS = 64;
const MAX_ANSWERS_OF_CLIENT = 200;
const MAX_CHARS_OF_CLIENT = 16 * 1024 * 1024;
const MAX_CHARS = 128 * 1024 * 1024;

export function createRepeatedRequests(options: RepeatedRequestsOptions): RepeatedRequests {
  const { clock, idempotencyMs, cacheMs } = options;
  // By client, so that none can push out the answers of another.
  const kept = createBoundedMap<string, BoundedMap<string, Kept>>({ maxEntries: MAX_CLIENTS });
  const running = new Map<string, Running>();

  /** Removes expired answers, then the oldest of those clients that have the most. */
  function makeRoom(): void {
    const clients = kept.values();
    const now = clock.monotonic();
    for (const answers of clients) {
      for (const { key, expiresAt } of answers.values()) if (expiresAt <= now) answers.delete(key);
    }
    let chars = clients.reduce((sum, { weight }) => sum + weight, 0);
    while (chars > MAX_CHARS) {
      const largest = clients.reduce((most, each) => (each.weight > most.weight ? each : most));
      const [oldest] = largest.values();
      if (!oldest) return;
      chars -= largest.weight;
      largest.delete(oldest.key);
      chars += largest.weight;
    }
  }

  function answersOf(principal: string): BoundedMap<string, Kept> {
    const known = kept.get(principal);
    if (known) return known;
    const fresh = createBoundedMap<string, Kept>({
      maxEntries: MAX_ANSWERS_OF_CLIENT,
      maxWeight: MAX_CHARS_OF_CLIENT,
      weigh: ({ answer }) => (answer.is === 'whole' ? answer.body : answer.text).length,
    });
    kept.set(principal, fresh);
    return fresh;
  }

  function find(principal: string, key: string): Kept | undefined {
    const found = kept.get(principal)?.get(key);
    if (!found || found.expiresAt > clock.monotonic()) return found;
    kept.get(principal)?.delete(key);
    return undefined;
  }

  /** A context that keeps the answer under the key when it is complete. */
  function record(
    context: HttpContext,
    principal: string,
    key: string,
    digest: string,
    forMs: number,
  ): SharedContext {
    const runningKey = `${principal}\n${key}`;
    const shared: SharedContext = new SharedContext(context, (end) => {
      if (running.get(runningKey)?.shared === shared) running.delete(runningKey);
      const answer = shared.recorded;
      if (end === 'failed' || !answer) return;
      const expiresAt = clock.monotonic() + forMs;
      answersOf(principal).set(key, { key, digest, expiresAt, answer });
      makeRoom();
    });
    return shared;
  }

  function serveKeyed(
    context: HttpContext,
    principal: string,
    idempotencyKey: string,
    digest: string,
    work: (context: HttpContext) => void,
  ): void {
    const key = `key ${idempotencyKey}`;
    const runningKey = `${principal}\n${key}`;
    const under = running.get(runningKey);
    const earlier = under ?? find(principal, key);
    if (earlier && earlier.digest !== digest) throw keyReused();
    if (under && !under.shared.isJoinable) throw stillRunning();
    if (earlier) addHeaders(context, ['idempotent-replayed', 'true']);
    if (under) return under.shared.join(context);
    if (earlier && 'answer' in earlier) return replayAnswer(earlier.answer, context);
    const shared = record(context, principal, key, digest, idempotencyMs);
    running.set(runningKey, { digest, shared });
    work(shared);
  }

  function serveCached(
    context: HttpContext,
    principal: string,
    digest: string,
    work: (context: HttpContext) => void,
  ): void {
    const key = `cache ${digest}`;
    const hit = find(principal, key);
    addHeaders(context, ['x-exai-cache', hit ? 'hit' : 'miss']);
    if (hit) return replayAnswer(hit.answer, context);
    work(record(context, principal, key, digest, cacheMs));
  }

  return {
    serve(context, { body, sha256 }, { caller: { principal } }, work) {
      const { headers } = context.request;
      const key = idempotencyMs > 0 ? headers['idempotency-key'] : undefined;
      if (key === undefined && (cacheMs === 0 || !isCacheable(context, body))) {
        return work(context);
      }
      const digest = digestOf(context, sha256);
      if (key === undefined) return serveCached(context, principal, digest, work);
      if (typeof key !== 'string' || !KEY.test(key)) throw invalidKey();
      serveKeyed(context, principal, key, digest, work);
    },
  };
}

function addHeaders(context: HttpContext, headers: readonly string[]): void {
  context.moreHeaders = [...(context.moreHeaders ?? []), ...headers];
}

/** What decides about the answer: the path, our options, Anthropic's, and the body. */
function digestOf({ request }: HttpContext, sha256: string): string {
  const { url = '', headers } = request;
  const isOption = (name: string) => name.startsWith('x-exai-') || name === 'anthropic-beta';
  const options = Object.entries(headers).filter(([name]) => isOption(name));
  return JSON.stringify([url, sha256, options.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Responses have ids that can be continued from, so each request makes its own. */
const NEVER_CACHED = /^\/v1\/responses/;

function isCacheable({ request }: HttpContext, body: unknown): boolean {
  const { url = '', headers } = request;
  if (NEVER_CACHED.test(url) || /no-cache|no-store/.test(headers['cache-control'] ?? '')) {
    return false;
  }
  if (!isJsonObject(body)) return false;
  return !hasEntries(body['tools']) && !hasEntries(body['functions']);
}

function hasEntries(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function keyReused(): CallError {
  const message = 'The Idempotency-Key was used for another request.';
  const fix = 'Send a new key with every new request.';
  return new CallError('conflict', message, { field: 'idempotency-key', fix });
}

/** The answer of the request is too long to be repeated, and it must not run twice. */
function stillRunning(): CallError {
  const message = 'The first request with this Idempotency-Key is still running.';
  const fix = 'Wait until it ends, or send a new key.';
  return new CallError('conflict', message, { field: 'idempotency-key', fix });
}

function invalidKey(): CallError {
  const fix = 'Send 1 to 255 printable characters.';
  return fieldProblem('idempotency-key', 'is not a valid key', fix);
}
