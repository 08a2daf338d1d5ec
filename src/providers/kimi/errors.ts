import { fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/one-line.ts';
import type { Judgement, VendorError } from '../wire/read-error.ts';
import type { KimiHost } from './hosts.ts';

interface Rule {
  readonly status?: number;
  readonly type?: string;
  readonly words?: RegExp;
  readonly judge: (error: VendorError, host: KimiHost) => Judgement;
}

const MAX_NAME_CHARS = 80;

export const EXTRACTION_FAILED = 'Kimi could not get the text out of this file.';
export const EXTRACTION_FIX =
  'Check that it opens and is not protected, then upload it again; its text can be sent as well.';

/**
 * What Kimi's refusals mean, the first that fits. The type says more than the status: 429 stands for a full engine, for a limit
 * that passes and for an empty account.
 */
const RULES: readonly Rule[] = [
  { type: 'content_filter', judge: () => ({ class: 'content_filter' }) },
  { words: /considered high risk/i, judge: () => ({ class: 'content_filter' }) },
  { status: 401, judge: (_, { wrongKeyFixes }) => ({ class: 'auth', fixes: wrongKeyFixes }) },
  {
    type: 'incorrect_api_key_error',
    judge: (_, host) => ({ class: 'auth', fixes: host.wrongKeyFixes }),
  },
  {
    type: 'invalid_authentication_error',
    judge: (_, host) => ({ class: 'auth', fixes: host.wrongKeyFixes }),
  },
  {
    type: 'exceeded_current_quota_error',
    words: /insufficient balance|not active|suspended/i,
    judge: () => ({
      class: 'billing',
      fix: 'Top up the account at the console where the key was made.',
    }),
  },
  {
    type: 'exceeded_current_quota_error',
    judge: () => ({ class: 'quota', fix: 'Raise the quota of the project, or use another key.' }),
  },
  { type: 'engine_overloaded_error', judge: () => ({ class: 'overloaded' }) },
  { type: 'rate_limit_reached_error', judge: () => ({ class: 'rate_limit' }) },
  {
    type: 'permission_denied_error',
    judge: () => ({
      class: 'not_configured',
      fix: 'The account of this key may not use that part of Kimi; its console says what is open.',
    }),
  },
  { words: /not found the model/i, judge: noSuchModel },
  { words: /exceeded model token limit|input token length too long/i, judge: tooLong },
  {
    words: /total message size \d+ exceeds limit/i,
    judge: () => ({
      class: 'context_length',
      fixes: [fix('send_less'), 'Or send smaller pictures.'],
    }),
  },
  {
    words: /file size is too large/i,
    judge: () => ({ class: 'too_large', fix: 'Kimi takes files of up to 100 MB.' }),
  },
  {
    words: /file size is zero/i,
    judge: () => ({ class: 'validation', fix: 'The file is empty.' }),
  },
  {
    words: /max file count/i,
    judge: () => ({
      class: 'conflict',
      fix: 'Kimi keeps 1,000 files for an account: delete some that are no longer needed.',
    }),
  },
  {
    words: /extract task failed|failed to extract file/i,
    judge: () => ({
      class: 'provider_error',
      message: EXTRACTION_FAILED,
      fix: EXTRACTION_FIX,
    }),
  },
];

/** What matters is said in the first sentences; a refusal may have hundreds of kilobytes. */
const MAX_MESSAGE_CHARS = 4_000;

export function classifyKimi(refusal: VendorError, host: KimiHost): Judgement | undefined {
  const error = { ...refusal, message: refusal.message.slice(0, MAX_MESSAGE_CHARS) };
  const rule = RULES.find(
    ({ status, type, words }) =>
      (status === undefined || status === error.status) &&
      (type === undefined || type === error.type) &&
      (words === undefined || words.test(error.message)),
  );
  return rule?.judge(error, host);
}

function noSuchModel({ message }: VendorError): Judgement {
  const [, rest = ''] = message.split(/not found the model /i, 2);
  const [name = ''] = rest.split(/ or permission denied/i, 1);
  const line = oneLine(name.trim(), MAX_NAME_CHARS);
  const shown = line === '' ? 'this model' : `the model "${line}"`;
  return {
    class: 'not_found',
    message: `Kimi does not have ${shown}, or the key may not use it.`,
    fixes: [fix('list_models'), fix('refresh_models')],
  };
}

function tooLong({ message }: VendorError): Judgement {
  const limit = Number(/token limit ?:? ?(\d{3,9})/i.exec(message)?.[1]);
  return {
    class: 'context_length',
    ...(Number.isSafeInteger(limit) && { contextTokens: limit }),
  };
}
