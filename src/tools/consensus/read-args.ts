import type { AskRequest } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import { toMicroUsd } from '#core/money.ts';
import type { ModelDesk } from '#models/desk.ts';
import { readAskRequest } from '../asking/read-request.ts';
import type { ConsensusArgs } from './fields.ts';
import { choosePanel } from './panel.ts';
import { quorumOf } from './tally.ts';
import { readVoices, type Voice } from './voice.ts';

type Desk = Pick<ModelDesk, 'models' | 'providers' | 'resolve'>;

/** Steps mean nothing here, and what the caller found is its own opinion: nobody is to be swayed by it. */
export function questionOf(args: ConsensusArgs): AskRequest {
  const { prompt, step, images, use_websearch, temperature } = args;
  if (prompt === undefined && step === undefined) {
    throw new CallError('validation', '"prompt" is missing.', {
      field: 'prompt',
      fix: 'Say what they are to judge, with all the context it needs.',
    });
  }
  const { step: _, ...request } = readAskRequest({
    prompt,
    step,
    images,
    use_websearch,
    temperature,
  });
  return request;
}

export function voicesOf({ models, images = [] }: ConsensusArgs, desk: Desk): readonly Voice[] {
  const named = models ?? choosePanel(desk, images.length > 0 ? 'yes' : 'no');
  return readVoices(
    named.map((each) => (typeof each === 'string' ? { model: each } : each)),
    desk,
  );
}

export function neededOf({ quorum }: ConsensusArgs, voices: readonly Voice[]): number {
  if (quorum !== undefined && quorum > voices.length) {
    const message = `"quorum" is ${quorum}, and ${voices.length} are asked.`;
    const fix = `Give at most ${voices.length}, or leave it out: then more than half have to answer.`;
    throw new CallError('validation', message, { field: 'quorum', fix });
  }
  return quorumOf(voices.length, quorum);
}

export function filesOf({ relevant_files: relevant = [], files = [] }: ConsensusArgs) {
  return [...relevant, ...files];
}

export function limitOf({ max_cost_usd: limit }: ConsensusArgs): number | undefined {
  return limit === undefined ? undefined : toMicroUsd(limit);
}
