import type { AttemptStart } from '#core/llm/stream-part.ts';
import type { ToolCallPiece } from '#core/llm/ask.ts';
import type { GatewayChoice } from '#core/llm/gateway.ts';
import { answerUsage } from '../gateway/answer-usage.ts';
import type { FailedChat, FinishedChat, StreamWriter } from '../gateway/dialect.ts';
import { exaiExtension } from '../gateway/exai-extension.ts';
import {
  completionId,
  finishReason,
  lastDelta,
  SERVICE_TIER,
  toolCallDelta,
  toSeconds,
  writeOpenAiUsage,
} from './chat-response.ts';
import { openAiErrorBody } from './errors.ts';
import type { CallStyle } from './tools.ts';

/** How a stream is written. */
export interface OpenAiStreamOptions {
  readonly choices: number;
  /** Whether a last chunk has the usage. */
  readonly includeUsage: boolean;
  readonly style: CallStyle;
}

/** The state of one choice of a stream. */
interface Choice {
  /** The start of a chunk up to its delta, with the current model. */
  head: string;
  /** The same up to the text: nearly every chunk begins with it. */
  textHead: string;
  hasRole: boolean;
  emitted: 'nothing' | 'reasoning' | 'answer';
  /** A new attempt after a failed one, until its first part. */
  next: AttemptStart | undefined;
  emittedChars: number;
  /** The indexes of emitted tool calls, as the vendor numbers them. */
  readonly calls: Set<number>;
  /** Above all indexes in use. */
  nextIndex: number;
}

const KEEPALIVE = ': still here\n\n';
const DONE = 'data: [DONE]\n\n';
/** Clients begin a text at an empty one, so what has no text begins with null, as at OpenAI. */
const ROLES = {
  text: '"role":"assistant","content":"","refusal":null',
  other: '"role":"assistant","content":null,"refusal":null',
} as const;

/**
 * Writes `chat.completion.chunk` events. For speed, a text costs only its JSON and two
 * concatenations: the rest of the chunk is prepared when an attempt starts.
 */
export function createOpenAiStreamWriter({
  choices: count,
  includeUsage,
  style,
}: OpenAiStreamOptions): StreamWriter {
  const choices: Choice[] = [];
  for (let at = 0; at < count; at++) choices.push(emptyChoice());
  const noUsage = includeUsage ? ',"usage":null' : '';
  const open = '},"logprobs":null,"finish_reason":null}]';
  const tail = `${open}${noUsage}}\n\n`;
  /** The start of every chunk up to the model. */
  let start = '';
  let model = '';

  function begin(reqId: string, atMs: number, attempt: Pick<AttemptStart, 'model'>): void {
    const id = JSON.stringify(completionId(reqId));
    const created = toSeconds(atMs);
    start = `data: {"id":${id},"object":"chat.completion.chunk","created":${created},"service_tier":"${SERVICE_TIER}","model":`;
    for (let at = 0; at < choices.length; at++) startAttempt(at, attempt.model);
  }

  function startAttempt(at: number, modelName: string): void {
    const choice = choices[at];
    if (!choice) return;
    model = JSON.stringify(modelName);
    choice.head = `${start}${model},"choices":[{"index":${at},"delta":{`;
    choice.textHead = `${choice.head}"content":`;
  }

  function chunk(choice: Choice, deltaMembers: string): string {
    return `${role(choice, 'other')}${choice.head}${deltaMembers}${tail}`;
  }

  function textChunk(choice: Choice, text: string): string {
    return `${role(choice, 'text')}${choice.textHead}${JSON.stringify(text)}${tail}`;
  }

  /** The first chunk of a choice, which has the role alone. */
  function role(choice: Choice, before: keyof typeof ROLES): string {
    if (choice.hasRole) return '';
    choice.hasRole = true;
    return `${choice.head}${ROLES[before]}${tail}`;
  }

  /**
   * The event for a seam, where another model continues the answer. An attempt without output
   * leaves none.
   */
  function seam(choice: Choice): string {
    if (!choice.next) return '';
    const { provider, model: nextModel, after } = choice.next;
    choice.next = undefined;
    const extension = JSON.stringify({ seam: { provider, model: nextModel, after } });
    return `${role(choice, 'other')}${choice.head}${open}${noUsage},"exai":${extension}}\n\n`;
  }

  function emitCall(choice: Choice, piece: ToolCallPiece): string {
    choice.emitted = 'answer';
    choice.calls.add(piece.index);
    choice.nextIndex = Math.max(choice.nextIndex, piece.index + 1);
    const inner = toolCallDelta(piece, style);
    return inner === '' ? '' : chunk(choice, inner);
  }

  /** The parts of a finished answer that were not streamed. */
  function emitRest(choice: Choice, { text, reasoning, toolCalls }: GatewayChoice): string {
    let events = '';
    if (reasoning !== '' && choice.emitted === 'nothing') {
      events += chunk(choice, `"reasoning_content":${JSON.stringify(reasoning)}`);
    }
    const rest = text.slice(choice.emittedChars);
    if (rest !== '') events += textChunk(choice, rest);
    for (const call of toolCalls.slice(choice.calls.size)) {
      events += emitCall(choice, { type: 'tool_call', index: choice.nextIndex, ...call });
    }
    return events;
  }

  function last(finished: FinishedChat): string {
    const { answer } = finished;
    let events = '';
    const end = answer.choices.length - 1;
    for (const [at, finishedChoice] of answer.choices.entries()) {
      const choice = choices[at];
      if (!choice) continue;
      // Later models may have been asked in vain.
      startAttempt(at, finishedChoice.model);
      events += emitRest(choice, finishedChoice);
      events += role(choice, 'other');
      const delta = lastDelta(finishedChoice);
      const finish = finishReason(finishedChoice.finish, style);
      const ours = at === end ? `,"exai":${JSON.stringify(exaiExtension(finished))}` : '';
      events += `${choice.head}${delta}},"logprobs":null,"finish_reason":"${finish}"}]${noUsage}${ours}}\n\n`;
    }
    if (!includeUsage) return events;
    const usage = JSON.stringify(writeOpenAiUsage(answerUsage(answer)));
    return `${events}${start}${model},"choices":[],"usage":${usage}}\n\n`;
  }

  return {
    keepalive: KEEPALIVE,
    begin(reqId, atMs, attempt) {
      begin(reqId, atMs, attempt);
      return '';
    },
    piece(piece, at) {
      const choice = choices[at];
      if (!choice) return '';
      switch (piece.type) {
        case 'text': {
          if (piece.text === '') return '';
          choice.emitted = 'answer';
          choice.emittedChars += piece.text.length;
          return choice.hasRole
            ? `${seam(choice)}${choice.textHead}${JSON.stringify(piece.text)}${tail}`
            : textChunk(choice, piece.text);
        }
        case 'reasoning':
          if (piece.text === '') return '';
          if (choice.emitted === 'nothing') choice.emitted = 'reasoning';
          return seam(choice) + chunk(choice, `"reasoning_content":${JSON.stringify(piece.text)}`);
        case 'tool_call':
          return seam(choice) + emitCall(choice, piece);
        case 'asked':
          startAttempt(at, piece.model);
          choice.next = choice.emitted === 'nothing' ? undefined : piece;
          return '';
      }
    },
    end(finished) {
      const { reqId, atMs, answer } = finished;
      if (start === '') begin(reqId, atMs, { model: answer.choices[0]?.model ?? 'auto' });
      return last(finished) + DONE;
    },
    fail: (failed: FailedChat) =>
      `data: ${JSON.stringify(openAiErrorBody(failed.error, exaiExtension(failed)))}\n\n`,
  };
}

function emptyChoice(): Choice {
  return {
    head: '',
    textHead: '',
    hasRole: false,
    emitted: 'nothing',
    next: undefined,
    emittedChars: 0,
    calls: new Set(),
    nextIndex: 0,
  };
}
