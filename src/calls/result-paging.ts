import type { CallResult, Calls } from '#core/calls/calls.ts';
import type { Envelope } from '#core/calls/envelope.schema.ts';
import { resultUri, type Results } from '#core/calls/results.ts';
import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { ForeignResult } from '#core/hub/foreign-result.ts';
import type { JsonObject } from '#core/json/json.ts';
import { isId, type Id } from '#core/ids.ts';
import { reason } from '#core/messages/reasons.ts';
import type { ResultStore } from '#core/stores/results.ts';
import type { Log } from '#core/telemetry/telemetry.ts';
import { pause } from '#core/turns.ts';

interface ResultsOptions {
  readonly store: ResultStore;
  readonly countTokens: (text: string) => number;
  readonly log: Log;
}

/** Upper bound of tokens per UTF-16 unit in any script. */
const MAX_TOKENS_PER_UNIT = 2;
/** Longer texts are too long without counting. */
const MAX_UNITS_PER_TOKEN = 16;
/** `sizeWithin` counts some values too high. */
const SURELY = 2;
/** By how much the real size of JSON and that of `sizeWithin` may differ. */
const MAX_SIZE_RATIO = 8;
/** The first part leaves room for the note around it. */
const HEAD_SHARE = 0.8;
const PAGE_CHARS = 60_000;
const LONG_CHARS = 500_000;

export function createResultPaging({ store, countTokens, log }: ResultsOptions): Results {
  /** Most results are so short that tokens need not be counted. */
  function isTooLong(text: string, maxTokens: number): boolean {
    if (text.length * MAX_TOKENS_PER_UNIT <= maxTokens) return false;
    return text.length > maxTokens * MAX_UNITS_PER_TOKEN || countTokens(text) > maxTokens;
  }

  function isContentTooLong(content: unknown, text: string, maxTokens: number): boolean {
    if (content === text || content === null) return false;
    if (typeof content === 'string') return isTooLong(content, maxTokens);
    const max = Math.ceil(maxTokens / MAX_TOKENS_PER_UNIT);
    if (sizeWithin(content, max + 1) <= max) return false;
    // Writing megabytes only to see that they are too long would hold up other calls.
    const longest = maxTokens * MAX_UNITS_PER_TOKEN * SURELY;
    return sizeWithin(content, longest) >= longest || isTooLong(asJson(content) ?? '', maxTokens);
  }

  async function page(
    answer: CallResult,
    principal: string,
    maxTokens: number,
    isContentLong: boolean,
  ): Promise<CallResult> {
    const { envelope } = answer;
    const id = idFor(envelope);
    const { text } = answer;
    // Megabytes are written, joined and split in a turn of the event loop each.
    const isLong = text.length > LONG_CHARS || isContentLong;
    if (isLong) await pause();
    const whole = wholeOf(answer);
    if (isLong) await pause();
    // The data cannot be serialised; the transport handles that.
    if (whole === text && !isTooLong(text, maxTokens)) return answer;
    const { tool, req_id: reqId } = envelope;
    try {
      // A job that is polled repeatedly is stored once.
      const known = await store.read(id, principal, 0, 1);
      if (!known) await store.keep({ id, principal, tool, reqId, text: whole });
    } catch (thrown) {
      log.error('result_not_stored', { req_id: reqId, tool, error: CallError.from(thrown) });
      return answer;
    }
    const start = whole.slice(0, maxTokens * MAX_UNITS_PER_TOKEN);
    const head = headOf(start, Math.floor(maxTokens * HEAD_SHARE), countTokens);
    const note = `[The first ${head.length} of ${whole.length} characters. Continue with read_result {"id": "${id}", "offset": ${head.length}}, or read the resource ${resultUri(id)}.]`;
    const isWholeText = isContentLong && !isTooLong(text, maxTokens);
    const { content } = envelope;
    const { foreign, blocks = [] } = answer;
    const shown = isWholeText ? `${text}\n\n${note}` : `${head}\n\n${note}`;
    const link = {
      type: 'resource_link',
      uri: resultUri(id),
      name: `The whole answer of ${tool}`,
    } as const;
    const isShortened = !foreign && (isContentLong || content === text);
    return {
      ...answer,
      text: shown,
      ...(foreign
        ? { foreign: pagedForeign(foreign, { shown, link, isContentLong }) }
        : { blocks: [...blocks, link] }),
      envelope: {
        ...envelope,
        detail: envelope.detail === undefined ? note : `${envelope.detail}\n${note}`,
        content: isShortened ? head : content,
        page: { id, next: head.length },
      },
    };
  }

  return {
    fit(answer, principal, maxTokens) {
      const { text, envelope, inputRequired } = answer;
      if (inputRequired || envelope.tool === 'read_result') return answer;
      const isContentLong = isContentTooLong(dataOf(answer), text, maxTokens);
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

/** Wraps `Calls` so that results fit the size their clients accept. */
export function withResultPaging(calls: Calls, results: Results): Calls {
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

/** The id of a result; the same for repeated requests of one result. */
function idFor({ job, status, req_id: reqId }: Envelope): Id<'res'> {
  // The status of a running job is not its result and changes with every poll.
  const isItsAnswer = job?.['finished_at'] !== undefined && status !== 'cancelled';
  const first = job?.['req_id'];
  const from = isItsAnswer && typeof first === 'string' ? first : reqId;
  return `res_${from.slice(from.indexOf('_') + 1)}`;
}

/**
 * The result of an upstream with one text instead of its texts. Its data is sent as it came, or
 * not at all: then it is in the stored result.
 */
function pagedForeign(
  { content, structuredContent, ...rest }: ForeignResult,
  about: { readonly shown: string; readonly link: JsonObject; readonly isContentLong: boolean },
): ForeignResult {
  const others = content.filter(({ type }) => type !== 'text');
  return {
    ...rest,
    content: [{ type: 'text', text: about.shown }, ...others, about.link],
    ...(structuredContent && !about.isContentLong && { structuredContent }),
  };
}

/** The data of a result, beside its text. */
function dataOf({ foreign, envelope }: CallResult): unknown {
  return foreign ? (foreign.structuredContent ?? null) : envelope.content;
}

/** The readable text, followed by data that the text does not contain. */
function wholeOf(answer: CallResult): string {
  const { text } = answer;
  const content = dataOf(answer);
  if (content === null || content === undefined) return text;
  if (typeof content === 'string') {
    // Usually the text is the content with a short prefix or suffix.
    return text.includes(content) ? text : `${text}\n\nAs data:\n${content}`;
  }
  if (typeof content !== 'object' || isJsonOf(text, content)) return text;
  const rest = besideText(content, text);
  if (rest && Object.keys(rest).length === 0) return text;
  const data = asJson(rest ?? content, 1);
  if (data === undefined || text.includes(data)) return text;
  return `${text}\n\n${rest ? 'As data, beside the text' : 'As data'}:\n${data}`;
}

/** Whether a text is the JSON of a value; one that is much longer or shorter is not. */
function isJsonOf(text: string, content: object): boolean {
  if (!text.startsWith('{') && !text.startsWith('[')) return false;
  const max = text.length * MAX_SIZE_RATIO;
  const size = sizeWithin(content, max);
  return size < max && size * MAX_SIZE_RATIO > text.length && text === asJson(content);
}

/** The data without its `text` member if the text contains that already; otherwise undefined. */
function besideText(content: object, said: string): object | undefined {
  const { text, ...rest } = content as Readonly<Record<string, unknown>>;
  return typeof text === 'string' && text !== '' && said.includes(text) ? rest : undefined;
}

/** Undefined if it cannot be serialised; the transport handles that. */
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
  return codedError('not_found', reason('unknown_result', { id }), {
    field: 'id',
    fix: 'Results are kept for as long as retention.jobsDays says; make the call that gave it again, as a new call.',
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

const HIGH_FIRST = 0xd800;
const HIGH_LAST = 0xdbff;
/** How far back to look for the end of a line. */
const MAX_BACK = 2000;

/** The start of a text with at most `maxTokens` tokens, cut at the end of a line if one is near. */
export function headOf(
  text: string,
  maxTokens: number,
  countTokens: (text: string) => number,
): string {
  let low = 0;
  let high = text.length;
  // Binary search; each step counts one part of the text.
  while (high - low > 256) {
    const middle = (low + high) >> 1;
    if (countTokens(text.slice(0, middle)) <= maxTokens) low = middle;
    else high = middle;
  }
  const end = high === text.length && countTokens(text) <= maxTokens ? high : low;
  return text.slice(0, atLineEnd(text, whole(text, end)));
}

function whole(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= HIGH_FIRST && last <= HIGH_LAST ? end - 1 : end;
}

function atLineEnd(text: string, end: number): number {
  if (end >= text.length) return end;
  const line = text.lastIndexOf('\n', end - 1);
  return line > end - MAX_BACK && line > 0 ? line + 1 : end;
}

/** Approximate JSON length of a value, up to `max`. */
export function sizeWithin(value: unknown, max: number): number {
  let size = 0;
  const todo: unknown[] = [value];
  while (todo.length > 0 && size < max) {
    const next = todo.pop();
    if (typeof next === 'string') size += next.length + 2;
    else if (Array.isArray(next)) {
      size += 2 + next.length;
      for (const item of next) todo.push(item);
    } else if (typeof next === 'object' && next !== null) {
      size += 2;
      for (const key in next) {
        size += key.length + 4;
        todo.push((next as Record<string, unknown>)[key]);
      }
    } else size += 6;
  }
  return Math.min(size, max);
}
