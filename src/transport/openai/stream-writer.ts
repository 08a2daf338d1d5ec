import type { Asked } from '#core/answer-piece.ts';
import type { ToolCallPiece } from '#core/ask.ts';
import type { GatewayChoice } from '#core/gateway.ts';
import type { Failed, Finished, StreamWriter } from '../gateway/dialect.ts';
import { answerFacts } from '../gateway/answer-facts.ts';
import { completionId } from './completion-id.ts';
import { callDelta, lastDelta } from './deltas.ts';
import { errorBody } from './error-body.ts';
import { finishReason } from './finish-reason.ts';
import type { CallStyle } from './read-tools.ts';
import { toSeconds } from './to-seconds.ts';
import { writeUsage } from './write-usage.ts';

export interface StreamShape {
  readonly choices: number;
  /** Whether a last chunk says what it took. */
  readonly usage: 'told' | 'untold';
  readonly style: CallStyle;
}

/** One of the answers of a stream. */
interface Choice {
  /** A chunk of it up to its delta, with the model that is asked now. */
  head: string;
  /** The same up to a text: nearly every chunk begins with it. */
  textHead: string;
  role: 'said' | 'unsaid';
  told: 'nothing' | 'thoughts' | 'answer';
  /** Who was asked in the place of the one who spoke so far, and has said nothing yet. */
  next: Asked | undefined;
  toldChars: number;
  /** The indexes of the calls that were told of, which are the vendor's. */
  readonly calls: Set<number>;
  /** Above all of them. */
  nextIndex: number;
}

const ALIVE = ': still here\n\n';
const DONE = 'data: [DONE]\n\n';
const ROLE = '"role":"assistant"';

/**
 * Writes `chat.completion.chunk` events. A piece of text costs the JSON of that text and two joints: the rest of the chunk is
 * prepared whenever another model is asked.
 */
export function createStreamWriter({ choices: count, usage, style }: StreamShape): StreamWriter {
  const choices: Choice[] = [];
  for (let at = 0; at < count; at++) choices.push(emptyChoice());
  const noUsage = usage === 'told' ? ',"usage":null' : '';
  const open = '},"finish_reason":null}]';
  const tail = `${open}${noUsage}}\n\n`;
  /** Up to the model. */
  let start = '';
  let model = '';

  function begin(reqId: string, atMs: number, asked: Pick<Asked, 'model'>): void {
    const id = JSON.stringify(completionId(reqId));
    const created = toSeconds(atMs);
    start = `data: {"id":${id},"object":"chat.completion.chunk","created":${created},"model":`;
    for (let at = 0; at < choices.length; at++) ask(at, asked.model);
  }

  function ask(at: number, asked: string): void {
    const choice = choices[at];
    if (!choice) return;
    model = JSON.stringify(asked);
    choice.head = `${start}${model},"choices":[{"index":${at},"delta":{`;
    choice.textHead = `${choice.head}"content":`;
  }

  /** `inner`: the members of the delta. */
  function chunk(choice: Choice, inner: string): string {
    return `${choice.head}${withRole(choice, inner)}${tail}`;
  }

  /** Where another begins to speak. Who is asked and says nothing leaves none. */
  function seam(choice: Choice): string {
    if (!choice.next) return '';
    const { provider, model: asked, after } = choice.next;
    choice.next = undefined;
    const told = JSON.stringify({ seam: { provider, model: asked, after } });
    return `${choice.head}${withRole(choice, '')}${open}${noUsage},"exai":${told}}\n\n`;
  }

  function tellCall(choice: Choice, piece: ToolCallPiece): string {
    choice.told = 'answer';
    choice.calls.add(piece.index);
    choice.nextIndex = Math.max(choice.nextIndex, piece.index + 1);
    const inner = callDelta(piece, style);
    return inner === '' ? '' : chunk(choice, inner);
  }

  /** What belongs to a finished answer and was never told in pieces. */
  function untold(choice: Choice, { text, reasoning, toolCalls }: GatewayChoice): string {
    let events = '';
    if (reasoning !== '' && choice.told === 'nothing') {
      events += chunk(choice, `"reasoning_content":${JSON.stringify(reasoning)}`);
    }
    const rest = text.slice(choice.toldChars);
    if (rest !== '') events += chunk(choice, `"content":${JSON.stringify(rest)}`);
    for (const call of toolCalls.slice(choice.calls.size)) {
      events += tellCall(choice, { type: 'tool_call', index: choice.nextIndex, ...call });
    }
    return events;
  }

  function last(finished: Finished): string {
    const { answer, envelope } = finished;
    let events = '';
    const end = answer.choices.length - 1;
    for (const [at, said] of answer.choices.entries()) {
      const choice = choices[at];
      if (!choice) continue;
      events += untold(choice, said);
      const delta = withRole(choice, lastDelta(said));
      const finish = finishReason(said.finish, style);
      const ours = at === end ? `,"exai":${JSON.stringify(answerFacts(finished))}` : '';
      events += `${choice.head}${delta}},"finish_reason":"${finish}"}]${noUsage}${ours}}\n\n`;
    }
    if (usage === 'untold') return events;
    const told = JSON.stringify(writeUsage(envelope.usage));
    return `${events}${start}${model},"choices":[],"usage":${told}}\n\n`;
  }

  return {
    alive: ALIVE,
    begin(reqId, atMs, asked) {
      begin(reqId, atMs, asked);
      return '';
    },
    piece(piece, at) {
      const choice = choices[at];
      if (!choice) return '';
      switch (piece.type) {
        case 'text': {
          if (piece.text === '') return '';
          choice.told = 'answer';
          choice.toldChars += piece.text.length;
          const text = JSON.stringify(piece.text);
          return choice.role === 'said'
            ? `${seam(choice)}${choice.textHead}${text}${tail}`
            : chunk(choice, `"content":${text}`);
        }
        case 'reasoning':
          if (piece.text === '') return '';
          if (choice.told === 'nothing') choice.told = 'thoughts';
          return seam(choice) + chunk(choice, `"reasoning_content":${JSON.stringify(piece.text)}`);
        case 'tool_call':
          return seam(choice) + tellCall(choice, piece);
        case 'asked':
          ask(at, piece.model);
          choice.next = choice.told === 'nothing' ? undefined : piece;
          return '';
      }
    },
    end(finished) {
      const { reqId, atMs, answer } = finished;
      if (start === '') begin(reqId, atMs, { model: answer.choices[0]?.model ?? 'auto' });
      return last(finished) + DONE;
    },
    fail: (failed: Failed) =>
      `data: ${JSON.stringify(errorBody(failed.error, answerFacts(failed)))}\n\n`,
  };
}

function emptyChoice(): Choice {
  return {
    head: '',
    textHead: '',
    role: 'unsaid',
    told: 'nothing',
    next: undefined,
    toldChars: 0,
    calls: new Set(),
    nextIndex: 0,
  };
}

/** The first delta of an answer says who speaks. */
function withRole(choice: Choice, inner: string): string {
  if (choice.role === 'said') return inner;
  choice.role = 'said';
  return inner === '' ? ROLE : `${ROLE},${inner}`;
}
