import { materialName } from '#core/material-name.ts';
import type { AskRequest, AskText } from '#core/ask.ts';
import { systemPrompt } from '../asking/system-prompt.ts';
import { consensusPrompt, SECOND_ROUND } from './consensus.prompt.ts';
import { shownAnswer, type Unnamed } from './shown-answer.ts';
import type { Voice } from './voice.ts';

/** What everybody is asked. */
export interface Question {
  /** The question after the conversation before it, without anybody's part. */
  readonly request: AskRequest;
  readonly files: readonly AskText[];
  readonly locale: string;
}

/** What one question may take. */
export interface Share {
  readonly timeoutMs: number;
  /** Absent where nothing limits it. */
  readonly maxCostMicroUsd?: number;
}

/** Enough for thoughts and a verdict; what an answer may cost at most follows from it. */
const LIMITED_OUTPUT_TOKENS = 16_384;

/** Nobody sees anybody else's answer. */
export function firstRequest(
  { request, files, locale }: Question,
  { name, stance, part }: Voice,
  { timeoutMs, maxCostMicroUsd }: Share,
): AskRequest {
  const base = consensusPrompt(stance, part === '' ? 'plain' : 'in_words');
  const given = files.map((file) => ({ ...file, name: materialName(file.name) }));
  const material =
    part === '' ? given : [...given, { name: '[stance]', text: part, as: 'material' as const }];
  return {
    ...request,
    model: name,
    system: systemPrompt(base, { locale, search: request.search }),
    ...(material.length > 0 && { files: material }),
    // Another's answer in its place, or a quotation, would be counted as its own.
    fallback: 'none',
    lastResort: 'none',
    timeoutMs,
    ...(maxCostMicroUsd !== undefined && {
      maxCostMicroUsd,
      maxOutputTokens: LIMITED_OUTPUT_TOKENS,
    }),
  };
}

/** The same again, after its own answer and beside the others'. */
export function secondRequest(
  question: Question,
  voice: Voice,
  share: Share,
  said: string,
  others: readonly Unnamed[],
): AskRequest {
  const first = firstRequest(question, voice, share);
  return {
    ...first,
    messages: [
      ...first.messages,
      { role: 'assistant', content: said },
      { role: 'user', content: SECOND_ROUND },
    ],
    files: [...(first.files ?? []), ...others.map(asMaterial)],
  };
}

function asMaterial(answer: Unnamed): AskText {
  return {
    name: `[answer of ${answer.voice.letter}]`,
    text: shownAnswer(answer).text,
    as: 'material',
  };
}
