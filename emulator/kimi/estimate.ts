import { readQuestion } from '../answer.ts';
import { isObject } from '../is-object.ts';
import type { Ask } from '../vendor.ts';
import type { Account } from './account.ts';
import { checkMessages } from './check-messages.ts';
import { invalid } from './errors.ts';
import { findModel } from './models.ts';
import { countPrompt } from './prompt.ts';
import type { KimiState } from './state.ts';

/** What a prompt would cost, counted as chat counts it. */
export function estimateTokens(ask: Ask, account: Account, { switches, files }: KimiState): object {
  if (!isObject(ask.json)) throw invalid('Invalid request: the body must be a JSON object');
  const model = findModel(ask.json['model'], switches);
  const messages = checkMessages(ask.json['messages'], {
    model,
    thinking: 'off',
    switches,
    filePurpose: (id) => files.get(account.uid, id)?.purpose,
  });
  const question = readQuestion(ask.json, (url) => files.find(account.uid, url));
  return { data: { total_tokens: countPrompt(question, messages, 'none') } };
}
