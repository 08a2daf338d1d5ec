import {
  explanationLines,
  type ExplanationLineKind,
} from '#core/diagnostics/explanation-layout.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Colour, Paint } from '../format/colors.ts';
import { checkMessageSize, questionArgs } from './ask-args.ts';

/** The arguments of the tool `route`. */
export interface RouteToolRequest {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly payload: boolean;
}

/** The characters of a tool name. Anything else, such as a space, makes it a question. */
const NAME = /^[\w.:/-]{1,128}$/;

/** Whether a word is a tool name. Everything else, and no word at all, is a question. */
export function isToolName(word: string | undefined): word is string {
  return word !== undefined && NAME.test(word);
}

/**
 * Builds the request from a tool with its arguments, or from a question, which becomes the prompt
 * of `chat`. Piped text belongs to a question as in `exai ask`.
 */
export function buildRouteRequest(
  word: string | undefined,
  args: Readonly<Record<string, unknown>>,
  payload: 'with_payload' | 'plan_only',
  input = '',
): RouteToolRequest {
  const wants = { payload: payload === 'with_payload' };
  if (isToolName(word)) return { tool: word, args, ...wants };
  if ((word ?? input).trim() === '') throw nothingToExplain();
  if (Object.hasOwn(args, 'prompt')) {
    throw new CallError('bad_request', 'The question is given twice: in words and in --args.', {
      field: '--args',
      fix: 'Leave prompt out of --args, or name the tool: exai explain chat --args …',
    });
  }
  const question = questionArgs(word, input);
  if (question.files && Object.hasOwn(args, 'files')) {
    throw new CallError('bad_request', 'The text is given twice: piped in and in --args.', {
      field: '--args',
      fix: 'Leave files out of --args, or pipe nothing in: </dev/null',
    });
  }
  const chatArgs = { ...args, ...question };
  checkMessageSize(chatArgs);
  return { tool: 'chat', args: chatArgs, ...wants };
}

function nothingToExplain(): CallError {
  return new CallError('bad_request', 'Nothing to explain: give a tool name or a question.', {
    field: 'tool or question',
    fix: 'exai explain "What is a monad?", or exai explain <tool> --args …; exai explain --help has more.',
  });
}

/** The request for a question of one word, which looks like the name of a tool. */
export function buildQuestionRequest(
  word: string,
  payload: 'with_payload' | 'plan_only',
  input: string,
): RouteToolRequest {
  const args = questionArgs(word, input);
  checkMessageSize(args);
  return { tool: 'chat', args: { ...args }, payload: payload === 'with_payload' };
}

const COLOURS: Readonly<Partial<Record<ExplanationLineKind, Colour>>> = {
  heading: 'bold',
  failure: 'red',
  rule_wins: 'green',
  rule_nobody_left: 'yellow',
  rule_does_not_apply: 'dim',
  candidate_detail: 'dim',
  excluded_model: 'dim',
};

/** Adds colours to the text of an explanation; the payload stays unchanged. */
export function colorExplanation(text: string, paint: Paint): string {
  return explanationLines(text)
    .map(({ kind, head, rest }) => {
      const colour = COLOURS[kind];
      return `${colour ? paint(colour, head) : head}${rest}`;
    })
    .join('\n');
}
