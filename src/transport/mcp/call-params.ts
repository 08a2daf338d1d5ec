import type { CallKind } from '#core/calls.ts';
import type { JsonObject } from '#core/json.ts';
import type { Answers } from '#core/question.ts';
import { isObject, isRequestId, type Members, type RequestId } from '#mcp/json-rpc.ts';
import { BACKGROUND_KEY, STREAM_KEY, WAIT_KEY, WHOLE_KEY } from '#mcp/meta-keys.ts';
import type { PatienceWish } from './patience.ts';
import type { ProgressOptions } from './progress.ts';

export interface CallParams {
  readonly kind: CallKind;
  /** Of a resource, its address. */
  readonly tool: string;
  readonly args: Members;
  readonly progressToken: RequestId | undefined;
  /** How progress tells of the answer while it is written. */
  readonly text: ProgressOptions['text'];
  /** How long its client wants to wait, where it says so itself. */
  readonly wish: PatienceWish;
  /** What the client takes in one answer. */
  readonly takes: 'whole' | 'head';
  readonly traceparent: string | undefined;
  /** Of the modern era: to what it was asked before. */
  readonly answers: Answers | undefined;
  readonly state: string | undefined;
}

const NO_ARGS: Members = Object.freeze({});

// The format has 55; what is far longer is none, and would travel into every span.
const MAX_TRACEPARENT_CHARS = 256;

/** What a call asks for, or a sentence that says which of its fields is wrong. */
export function readCallParams(kind: CallKind, params: Members | undefined): CallParams | string {
  const tool = kind === 'resource' ? params?.['uri'] : params?.['name'];
  if (typeof tool !== 'string') {
    return kind === 'resource'
      ? 'uri must be the address of a resource.'
      : `name must be the name of a ${kind}.`;
  }
  const args = params?.['arguments'] ?? NO_ARGS;
  if (!isObject(args) || params?.['arguments'] === null) {
    return 'arguments must be an object, or left out.';
  }
  const { inputResponses: answers, requestState: state, _meta: meta } = params ?? {};
  if (answers !== undefined && !isAnswers(answers)) {
    return 'inputResponses must be an object of objects, or left out.';
  }
  if (state !== undefined && typeof state !== 'string') {
    return 'requestState must be the text that came with the questions, or left out.';
  }
  if (meta !== undefined && !isObject(meta)) return '_meta must be an object, or left out.';
  const given = meta ?? NO_ARGS;
  const { progressToken, traceparent } = given;
  if (progressToken !== undefined && !isRequestId(progressToken)) {
    return '_meta.progressToken must be a text of at most 1,024 characters or a number.';
  }
  return {
    kind,
    tool,
    args,
    progressToken,
    text: given[STREAM_KEY] === true ? 'streamed' : 'counted',
    wish: wishOf(given),
    takes: given[WHOLE_KEY] === true ? 'whole' : 'head',
    traceparent: shortText(traceparent),
    answers,
    state,
  };
}

function wishOf(meta: Members): PatienceWish {
  if (meta[BACKGROUND_KEY] === true) return 'background';
  return meta[WAIT_KEY] === true ? 'wait' : undefined;
}

function isAnswers(value: unknown): value is Answers {
  return (
    isObject(value) &&
    Object.values(value).every((answer): answer is JsonObject => isObject(answer))
  );
}

function shortText(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= MAX_TRACEPARENT_CHARS ? value : undefined;
}
