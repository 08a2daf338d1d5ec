import type { Attempt, Envelope, Usage } from '#core/calls/envelope.schema.ts';
import type { GatewayChatAnswer } from '#core/llm/gateway.ts';
import type { AttemptStart, ModelAlias } from '#core/llm/stream-part.ts';
import { isNotice, type Notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { HeaderList } from '../http/http-context.ts';
import type { FinishedChat } from './dialect.ts';

/** The `exai` member that EX-AI adds to the responses of the vendors' APIs. */
interface ExaiExtension {
  readonly req_id: string;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  /** Set if the client's name of the model is an alias. */
  readonly alias?: ModelAlias | undefined;
  readonly attempts: readonly AttemptSummary[];
  readonly because: readonly string[];
  /** Absent if there are none, like `seams`. */
  readonly notices?: readonly string[] | undefined;
  readonly seams?: NonNullable<Envelope['route']>['seams'] | undefined;
  /**
   * Tokens of all attempts, summaries and classifications, which are charged; absent if no model
   * was asked.
   */
  readonly usage_total?: UsageTotal | undefined;
  readonly cost_usd: number;
  /** Set if the price of some attempts is unknown; the cost does not include them. */
  readonly unpriced?: true | undefined;
}

interface UsageTotal {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_tokens: number;
  readonly reasoning_tokens: number;
}

export type AttemptSummary = Pick<
  Attempt,
  'attempt' | 'provider' | 'model' | 'outcome' | 'elapsed_ms'
>;

/**
 * Creates the `exai` member. `writerNotices` are those of the response writer, added to the notices
 * of the route and of the documents.
 */
export function exaiExtension(
  { reqId, envelope }: Pick<FinishedChat, 'reqId' | 'envelope'>,
  writerNotices: readonly Notice[] = [],
): ExaiExtension {
  const { provider, model, route, usage } = envelope;
  const alias = aliasIn(envelope);
  const { because = [], notices, seams } = route ?? {};
  return {
    req_id: reqId,
    provider,
    model,
    alias,
    attempts: attemptSummaries(envelope),
    because,
    notices: allNotices(writerNotices, notices, envelope.notice_data),
    seams: seams && seams.length > 0 ? seams : undefined,
    usage_total: usage && usageTotal(usage),
    cost_usd: usage?.cost_usd ?? 0,
    unpriced: usage?.unpriced ? true : undefined,
  };
}

/** The notices of the route, of the documents and of the writer; undefined if there are none. */
function allNotices(
  ofWriter: readonly Notice[],
  ofRoute: readonly string[] = [],
  ofDocuments: NonNullable<Envelope['notice_data']> = [],
): readonly string[] | undefined {
  if (ofRoute.length + ofDocuments.length + ofWriter.length === 0) return undefined;
  const ofCall = [...ofDocuments.filter(isNotice), ...ofWriter].map(baseRenderer.notice);
  const all = [...new Set([...ofRoute, ...ofCall])];
  return all.length > 0 ? all : undefined;
}

function usageTotal({ input, output, cached, reasoning }: Usage): UsageTotal {
  return {
    input_tokens: input,
    output_tokens: output,
    cached_tokens: cached,
    reasoning_tokens: reasoning,
  };
}

/** The alias in the content of a chat. */
function aliasIn({ content }: Envelope): ModelAlias | undefined {
  return (content as Partial<GatewayChatAnswer> | null | undefined)?.alias;
}

/** The attempts of a call in order, with their outcomes. */
export function attemptSummaries({ route }: Pick<Envelope, 'route'>): readonly AttemptSummary[] {
  const { attempts = [] } = route ?? {};
  return attempts.map(({ attempt, provider, model, outcome, elapsed_ms }) => ({
    attempt,
    provider,
    model,
    outcome,
    elapsed_ms,
  }));
}

/**
 * The `x-exai-*` headers of a whole answer or an error: provider, model, number of attempts and the
 * reason of a fallback.
 */
export function answerHeaders(envelope: Envelope): HeaderList {
  const { provider, model, attempt, route } = envelope;
  const headers = [...aliasHeaders(aliasIn(envelope))];
  if (provider !== undefined) headers.push('x-exai-provider', printable(provider));
  if (model !== undefined) headers.push('x-exai-model', printable(model));
  headers.push('x-exai-attempts', String(attempt));
  const failed = route?.attempts.find(hasFailed);
  if (failed) {
    const failedModel = `${failed.provider}/${failed.model}`;
    headers.push('x-exai-fallback-reason', printable(`${failedModel} ${failed.outcome}`));
  }
  return headers;
}

/** A hedge is cancelled when an earlier attempt answers first, so it caused no fallback. */
function hasFailed({ outcome, hedge }: Attempt): boolean {
  return outcome !== 'ok' && !(hedge === true && outcome === 'cancelled');
}

/** The same headers for a stream, as far as they are known when it begins. */
export function streamHeaders(
  attempt: AttemptStart | undefined,
  failed: string | undefined,
): HeaderList {
  if (!attempt) return [];
  const headers = [...aliasHeaders(attempt.alias)];
  headers.push('x-exai-provider', attempt.provider, 'x-exai-model', printable(attempt.model));
  headers.push('x-exai-attempts', String(attempt.attempt));
  if (failed !== undefined) headers.push('x-exai-fallback-reason', printable(failed));
  return headers;
}

function aliasHeaders(alias: ModelAlias | undefined): HeaderList {
  return alias ? ['x-exai-alias', printable(`${alias.name}=${alias.model}`)] : [];
}

const UNPRINTABLE = /[^ -~]/g;

/** Replaces characters that a header may not have; model names can contain any. */
function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, '?');
}

/**
 * The request id with a vendor's prefix, such as `chatcmpl-`. The rest is unchanged, so that the
 * log can be searched for it.
 */
export function vendorStyleId(prefix: string, reqId: string): string {
  return `${prefix}${reqId.slice(reqId.indexOf('_') + 1)}`;
}
