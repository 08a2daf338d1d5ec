import type { Asked } from '#core/answer-piece.ts';
import type { ToolCallPiece } from '#core/ask.ts';
import type { GatewayChoice } from '#core/gateway.ts';
import type { Failed, Finished, StreamWriter } from '../gateway/dialect.ts';
import { answerFacts } from '../gateway/answer-facts.ts';
import { annotationsOf } from './annotations.ts';
import { completionId } from './completion-id.ts';
import { errorBody } from './error-body.ts';
import { finishReason } from './finish-reason.ts';
import type { CallStyle } from './read-tools.ts';
import { detailsOf } from './reasoning-details.ts';
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

  function seam({ provider, model: asked, after }: Asked, choice: Choice): string {
    const told = JSON.stringify({ seam: { provider, model: asked, after } });
    return `${choice.head}${withRole(choice, '')}${open}${noUsage},"exai":${told}}\n\n`;
  }

  /** What a finished answer holds and nobody told in pieces. */
  function untold(choice: Choice, { text, reasoning, toolCalls }: GatewayChoice): string {
    if (choice.told === 'answer') return '';
    let events = '';
    if (reasoning !== '' && choice.told === 'nothing') {
      events += chunk(choice, `"reasoning_content":${JSON.stringify(reasoning)}`);
    }
    if (text !== '') events += chunk(choice, `"content":${JSON.stringify(text)}`);
    for (const [index, { id, name, arguments: written }] of toolCalls.entries()) {
      const piece: ToolCallPiece = { type: 'tool_call', index, id, name, arguments: written };
      const inner = callDelta(piece, style);
      if (inner !== '') events += chunk(choice, inner);
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
          const text = JSON.stringify(piece.text);
          return choice.role === 'said'
            ? `${choice.textHead}${text}${tail}`
            : chunk(choice, `"content":${text}`);
        }
        case 'reasoning':
          if (piece.text === '') return '';
          if (choice.told === 'nothing') choice.told = 'thoughts';
          return chunk(choice, `"reasoning_content":${JSON.stringify(piece.text)}`);
        case 'tool_call': {
          choice.told = 'answer';
          const inner = callDelta(piece, style);
          return inner === '' ? '' : chunk(choice, inner);
        }
        case 'asked':
          ask(at, piece.model);
          return choice.told === 'nothing' ? '' : seam(piece, choice);
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
  return { head: '', textHead: '', role: 'unsaid', told: 'nothing' };
}

/** The first delta of an answer says who speaks. */
function withRole(choice: Choice, inner: string): string {
  if (choice.role === 'said') return inner;
  choice.role = 'said';
  return inner === '' ? ROLE : `${ROLE},${inner}`;
}

function callDelta({ index, id, name, arguments: added }: ToolCallPiece, style: CallStyle): string {
  const called = `{${name === undefined ? '' : `"name":${JSON.stringify(name)},`}"arguments":${JSON.stringify(added)}}`;
  // There was one call at a time then: the model asks for the next when it has the result.
  if (style === 'functions') return index === 0 ? `"function_call":${called}` : '';
  const first = id === undefined ? '' : `"id":${JSON.stringify(id)},"type":"function",`;
  return `"tool_calls":[{"index":${index},${first}"function":${called}}]`;
}

/** What is known of an answer only when it is over. */
function lastDelta(choice: GatewayChoice): string {
  const { text, citations } = choice;
  const details = detailsOf(choice);
  const members: string[] = [];
  if (citations.length > 0) {
    members.push(`"annotations":${JSON.stringify(annotationsOf(text, citations))}`);
  }
  if (details) members.push(`"reasoning_details":${JSON.stringify(details)}`);
  return members.join(',');
}
