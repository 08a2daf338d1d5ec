/**
 * The continuation of an answer on another model, after the stream of the first one broke: what the
 * next model is sent, and how repeated text is removed.
 */
import { CallError } from '#core/errors/call-error.ts';
import type { ChatMessage } from '#core/llm/chat.ts';
import type { Provider } from '#core/llm/provider.ts';
import { oneLine } from '#core/text/text.ts';
import { MESSAGE_TOKENS, rememberTokens } from '#models/estimate-chat.ts';
import { estimateSampled } from '#models/estimate-tokens.ts';
import { anchorOf, provingAnchorOf } from '#resilience/continuation/anchor.ts';
import {
  createContinuationStitcher,
  type ContinuationStitcher,
  type RefusedContinuation,
} from '#resilience/continuation/stitcher.ts';
import type { ProviderCallResult } from './provider-call.ts';
import type { RunState } from './run-state.ts';

/** The messages for a model that continues another's answer. */
export interface ContinuationPrompt {
  readonly messages: readonly ChatMessage[];
  readonly continuation?: 'prefix';
  /** The last words of the text, which the model is asked to repeat first. */
  readonly anchor?: string;
}

const CUT_OFF = 'Your answer above was cut off by a technical fault.';
const MANNER = 'do not apologise, do not comment on the break, keep language, tone and format.';

const CONTINUE_PROMPT = `${CUT_OFF} Continue from its very last character: repeat nothing, ${MANNER}`;

/** The instruction to continue; `lostCall` is the tool whose call broke off. */
function continuePrompt(lostCall: string | undefined): string {
  if (lostCall === undefined) return CONTINUE_PROMPT;
  return `${CONTINUE_PROMPT} It broke off in your call of the tool ${oneLine(lostCall, 64)}: make this call.`;
}

function anchorPrompt(anchor: string): string {
  return (
    `${CUT_OFF} Continue it. Begin with its last words, exactly as they are between the tags, without the tags, ` +
    `and continue from there without a break: ${MANNER} ` +
    `If nothing is missing after these words, reply with them only.\n<last_words>${anchor}</last_words>`
  );
}

/**
 * The conversation with the emitted part of the answer, for a model that continues it. A vendor with
 * prefix continuation continues the assistant message itself; an instruction after it would end that.
 */
export function continueFrom(
  messages: readonly ChatMessage[],
  emittedText: string,
  { capabilities }: Pick<Provider, 'capabilities'>,
  lostCall?: string,
): ContinuationPrompt {
  const answered: readonly ChatMessage[] = [
    ...messages,
    { role: 'assistant', content: emittedText },
  ];
  // Of a text that repeats itself, only an anchor proves that the continuation repeats none of it.
  const proving = lostCall === undefined ? provingAnchorOf(emittedText) : undefined;
  if (capabilities.includes('prefix') && proving === undefined)
    return { messages: answered, continuation: 'prefix' };
  // The text was complete where a call followed it.
  const anchor = lostCall === undefined ? (proving ?? anchorOf(emittedText)) : undefined;
  const content = anchor === undefined ? continuePrompt(lostCall) : anchorPrompt(anchor);
  return {
    messages: [...answered, { role: 'user', content }],
    ...(anchor !== undefined && { anchor }),
  };
}

/** How an attempt continues the text that was emitted, with the estimated tokens. */
export interface PreparedContinuation {
  /** The messages after the conversation. */
  readonly prompt: ContinuationPrompt;
  readonly textTokens: number;
  /** Of the text and of the instruction to continue it. */
  readonly addedTokens: number;
}

/** A longer text is estimated in one turn, and searched for an anchor in the next. */
export const LONG_CHARS = 500_000;

/** Undefined where nothing was emitted. */
export async function prepareContinuation(
  { emittedText, lostCall }: Pick<RunState, 'emittedText' | 'lostCall'>,
  provider: Pick<Provider, 'capabilities'>,
  pause: (() => Promise<void>) | undefined,
): Promise<PreparedContinuation | undefined> {
  if (emittedText === '') return undefined;
  const yields = async () => {
    if (emittedText.length > LONG_CHARS) await pause?.();
  };
  const textTokens = estimateSampled(emittedText);
  await yields();
  const prompt = continueFrom([], emittedText, provider, lostCall);
  await yields();
  let addedTokens = 0;
  for (const message of prompt.messages) {
    const { content } = message;
    const tokens = content === emittedText ? textTokens : estimateSampled(textOf(content));
    // The provider estimates the same messages.
    rememberTokens(message, tokens);
    addedTokens += MESSAGE_TOKENS + tokens;
  }
  return { prompt, textTokens, addedTokens };
}

function textOf(content: ChatMessage['content']): string {
  return typeof content === 'string' ? content : '';
}

/**
 * Prefix continuation is checked for repetitions, too: proxies, other hosts and some models accept
 * `partial` and ignore it.
 */
export function stitcherFor(
  { anchor }: ContinuationPrompt,
  before: string,
  heldBack: string,
): ContinuationStitcher {
  return withoutBlanksAlone(createContinuationStitcher(before, { anchor, heldBack }));
}

/** Emits white space only with the text that follows it, as white space alone continues nothing. */
function withoutBlanksAlone(stitcher: ContinuationStitcher): ContinuationStitcher {
  let blanks: string | undefined = '';
  const take = (text: string) => {
    if (blanks === undefined) return text;
    const all = blanks + text;
    blanks = all.trim() === '' ? all : undefined;
    return blanks === undefined ? all : '';
  };
  return {
    add: (text) => take(stitcher.add(text)),
    end: () => take(stitcher.end()),
    get refused() {
      return stitcher.refused;
    },
  };
}

/** A continuation that is blank, or only repeats the text so far, counts as an empty response. */
export function repeatedNothingNew(
  call: ProviderCallResult,
  target: { provider: string; model: string },
  { anchor }: ContinuationPrompt,
): ProviderCallResult {
  const { outcome } = call;
  const { answer } = outcome;
  const said = answer.text.trim();
  const message = said === '' ? 'The answer is empty.' : 'It only repeated what was there already.';
  const error = new CallError('empty_response', message, target);
  const isAnchorOnly = said === anchor && outcome.is === 'answered' && outcome.finish === 'stop';
  return {
    ...call,
    outcome: { is: 'failed', answer, error },
    ...(isAnchorOnly && { continuation: 'anchor_only' }),
  };
}

const REFUSED: Readonly<Record<RefusedContinuation, string>> = {
  rewritten: 'It wrote the answer again, and did not continue it.',
  unproven: 'The answer repeats itself, and nothing shows where its continuation is new.',
};

/** A continuation of which nothing can be joined to the text so far. */
export function refusedContinuation(
  call: ProviderCallResult,
  why: RefusedContinuation,
  target: { provider: string; model: string },
): ProviderCallResult {
  const { answer } = call.outcome;
  const error = new CallError('bad_response', REFUSED[why], target);
  return { ...call, outcome: { is: 'failed', answer, error }, continuation: why };
}
