import { CallError } from '#core/call-error.ts';
import { codedError } from '#core/coded-error.ts';
import type { CallAnswer, Calls } from '#core/calls.ts';
import type { Envelope } from '#core/envelope.schema.ts';
import { isId, type Id } from '#core/ids.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import { resultUri, type Results } from '#core/results.ts';
import type { ResultStore } from '#core/stores/results.ts';
import type { Log } from '#core/telemetry.ts';
import { headOf } from './head-of.ts';
import { sizeWithin } from './size-within.ts';

export interface ResultsOptions {
  readonly store: ResultStore;
  readonly countTokens: (text: string) => number;
  readonly log: Log;
}

/** No script has more tokens than this for a unit of text. */
const MAX_TOKENS_PER_UNIT = 2;
/** Few have so few: what is longer than this is too long, whatever is in it. */
const MAX_UNITS_PER_TOKEN = 16;
/** The head leaves room for the words around it. */
const HEAD_SHARE = 0.8;
const PAGE_CHARS = 60_000;

export function createResults({ store, countTokens, log }: ResultsOptions): Results {
  /** Most answers are so short that nothing need be counted. */
  function isTooLong(text: string, maxTokens: number): boolean {
    if (text.length * MAX_TOKENS_PER_UNIT <= maxTokens) return false;
    return text.length > maxTokens * MAX_UNITS_PER_TOKEN || countTokens(text) > maxTokens;
  }

  function isContentTooLong(content: unknown, text: string, maxTokens: number): boolean {
    if (content === text || content === null) return false;
    if (typeof content === 'string') return isTooLong(content, maxTokens);
    const max = Math.ceil(maxTokens / MAX_TOKENS_PER_UNIT);
    if (sizeWithin(content, max + 1) <= max) return false;
    return isTooLong(asJson(content) ?? '', maxTokens);
  }

  async function page(
    answer: CallAnswer,
    principal: string,
    maxTokens: number,
    isContentLong: boolean,
  ): Promise<CallAnswer> {
    const { text, envelope } = answer;
    const id = idFor(envelope);
    const whole = wholeOf(answer);
    const { tool, req_id: reqId } = envelope;
    try {
      // Whoever looks at a job again and again has it kept once.
      const known = await store.read(id, principal, 0, 1);
      if (!known) await store.keep({ id, principal, tool, reqId, text: whole });
    } catch (thrown) {
      log.error('result_not_kept', { req_id: reqId, tool, error: CallError.from(thrown) });
      return answer;
    }
    const start = whole.slice(0, maxTokens * MAX_UNITS_PER_TOKEN);
    const head = headOf(start, Math.floor(maxTokens * HEAD_SHARE), countTokens);
    const note = `[The first ${head.length} of ${whole.length} characters. Go on with read_result {"id": "${id}", "offset": ${head.length}}, or read the resource ${resultUri(id)}.]`;
    const isWholeText = isContentLong && !isTooLong(text, maxTokens);
    const { content } = envelope;
    return {
      ...answer,
      text: isWholeText ? `${text}\n\n${note}` : `${head}\n\n${note}`,
      blocks: [
        ...(answer.blocks ?? []),
        { type: 'resource_link', uri: resultUri(id), name: `The whole answer of ${tool}` },
      ],
      envelope: {
        ...envelope,
        detail: envelope.detail === undefined ? note : `${envelope.detail}\n${note}`,
        content: isContentLong || content === text ? head : content,
        page: { id, next: head.length },
      },
    };
  }

  return {
    fit(answer, principal, maxTokens) {
      const { text, envelope, asks } = answer;
      if (asks || envelope.tool === 'read_result') return answer;
      const isContentLong = isContentTooLong(envelope.content, text, maxTokens);
      if (!isContentLong && !isTooLong(text, maxTokens)) return answer;
      return page(answer, principal, maxTokens, isContentLong);
    },
    async read(principal, id, offset, maxChars = PAGE_CHARS) {
      if (!isId(id, 'res')) throw noId(id);
      const part = await store.read(id, principal, offset, maxChars);
      if (!part) throw unknown(id);
      if (offset > part.chars) throw pastTheEnd(offset, part.chars);
      return part;
    },
    list: (principal, limit, before) => store.list(principal, limit, before),
  };
}

/** Calls whose answers are in the size that their clients take. */
export function withPages(calls: Calls, results: Results): Calls {
  return {
    ...calls,
    start(request) {
      const running = calls.start(request);
      const { maxTokens, caller } = request;
      if (maxTokens === undefined) return running;
      const answer = running.answer.then((given) =>
        results.fit(given, caller.principal, maxTokens),
      );
      return { ...running, answer };
    },
  };
}

/** The same for the same answer, however often it is asked for. */
function idFor({ job, status, req_id: reqId }: Envelope): Id<'res'> {
  // How a job stands is no answer of it: the next look finds another.
  const isItsAnswer = job?.['finished_at'] !== undefined && status !== 'cancelled';
  const first = job?.['req_id'];
  const from = isItsAnswer && typeof first === 'string' ? first : reqId;
  return `res_${from.slice(from.indexOf('_') + 1)}`;
}

/** What a person reads, and what is there only as data. */
function wholeOf({ text, envelope: { content } }: CallAnswer): string {
  if (content === null || content === undefined) return text;
  if (typeof content === 'string') {
    // Mostly the text is the content, with a few words before or after it.
    return text.includes(content) ? text : `${text}\n\nAs data:\n${content}`;
  }
  const rest = besideText(content, text);
  if (rest && Object.keys(rest).length === 0) return text;
  const data = asJson(rest ?? content, 1);
  if (data === undefined || text.includes(data)) return text;
  return `${text}\n\n${rest ? 'As data, beside the text' : 'As data'}:\n${data}`;
}

/** Data whose `text` is what was said already, without it; nothing for any other. */
function besideText(content: object, said: string): object | undefined {
  const { text, ...rest } = content as Readonly<Record<string, unknown>>;
  return typeof text === 'string' && text !== '' && said.includes(text) ? rest : undefined;
}

/** Nothing for what is no JSON: how that is told is up to the door. */
function asJson(content: unknown, indent?: number): string | undefined {
  try {
    return JSON.stringify(content, undefined, indent);
  } catch {
    return undefined;
  }
}

function noId(id: string): CallError {
  const shown = id.length > 64 ? `${id.slice(0, 64)}…` : id;
  const what = { argument: 'id', kind: 'result', given: shown } as const;
  return codedError('validation', reason('invalid_id', what), {
    field: 'id',
    fix: 'It begins with res_ and stands in the answer that was too long.',
  });
}

function unknown(id: string): CallError {
  return new CallError('not_found', `There is no result ${id}, or none of yours.`, {
    field: 'id',
    fixes: ['Results are kept for as long as retention.jobsDays says.', fix('retry')],
  });
}

function pastTheEnd(offset: number, chars: number): CallError {
  return new CallError(
    'validation',
    `The result has ${chars} characters; ${offset} is past its end.`,
    {
      field: 'offset',
      fix: `Give one from 0 to ${chars}.`,
    },
  );
}
