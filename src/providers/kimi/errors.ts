import { fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';
import { oneLine } from '#core/text/text.ts';
import type { ErrorClassification, VendorError } from '../openai-compatible/errors/vendor-error.ts';
import type { KimiHost } from './hosts.ts';

interface Rule {
  readonly status?: number;
  readonly type?: string;
  readonly pattern?: RegExp;
  readonly classify: (error: VendorError, host: KimiHost) => ErrorClassification;
}

const MAX_NAME_CHARS = 80;

export const EXTRACTION_FAILED = reason('text_not_extracted', { provider: 'Kimi' });
export const EXTRACTION_FIX =
  'Check that it opens and is not protected, then upload it again; its text can be sent as well.';

/**
 * Rules that classify Kimi's errors; the first match wins. The type says more than the status: 429
 * means an overloaded engine, a rate limit or an empty account.
 */
const RULES: readonly Rule[] = [
  { type: 'content_filter', classify: () => ({ class: 'content_filter' }) },
  { pattern: /considered high risk/i, classify: () => ({ class: 'content_filter' }) },
  { status: 401, classify: (_, { wrongKeyFixes }) => ({ class: 'auth', fixes: wrongKeyFixes }) },
  {
    type: 'incorrect_api_key_error',
    classify: (_, host) => ({ class: 'auth', fixes: host.wrongKeyFixes }),
  },
  {
    type: 'invalid_authentication_error',
    classify: (_, host) => ({ class: 'auth', fixes: host.wrongKeyFixes }),
  },
  {
    type: 'exceeded_current_quota_error',
    pattern: /insufficient balance|not active|suspended/i,
    classify: () => ({
      class: 'billing',
      fix: 'Top up the account at the console where the key was made.',
    }),
  },
  {
    type: 'exceeded_current_quota_error',
    classify: () => ({
      class: 'quota',
      fix: 'Raise the quota of the project, or use another key.',
    }),
  },
  {
    type: 'access_terminated_error',
    // The vendor's own sentence names the clients that it accepts, so it stays.
    classify: () => ({
      class: 'not_configured',
      fixes: [
        'Use a key of platform.moonshot.ai: Kimi answers coding-plan keys only for clients on its list, and EX-AI does not pose as another client.',
        fix('add_key', { provider: 'kimi' }),
      ],
    }),
  },
  { type: 'engine_overloaded_error', classify: () => ({ class: 'overloaded' }) },
  { type: 'rate_limit_reached_error', classify: () => ({ class: 'rate_limit' }) },
  {
    type: 'permission_denied_error',
    classify: () => ({
      class: 'not_configured',
      fix: 'The account of this key may not use that part of Kimi; its console says what is open.',
    }),
  },
  { pattern: /not found the model/i, classify: noSuchModel },
  { pattern: /exceeded model token limit|input token length too long/i, classify: tooLong },
  {
    pattern: /total message size \d+ exceeds limit/i,
    classify: () => ({
      class: 'context_length',
      fixes: [fix('send_less'), 'Or send smaller pictures.'],
    }),
  },
  {
    pattern: /file size is too large/i,
    classify: () => ({ class: 'too_large', fix: 'Kimi takes files of up to 100 MB.' }),
  },
  {
    pattern: /file size is zero/i,
    classify: () => ({ class: 'validation', fix: 'The file is empty.' }),
  },
  {
    pattern: /max file count/i,
    classify: () => ({
      class: 'conflict',
      fix: 'Kimi keeps 1,000 files for an account: delete some that are no longer needed.',
    }),
  },
  {
    pattern: /extract task failed|failed to extract file/i,
    classify: () => ({
      class: 'provider_error',
      reason: EXTRACTION_FAILED,
      fix: EXTRACTION_FIX,
    }),
  },
];

/** Only the beginning of a message is matched; it may have hundreds of kilobytes. */
const MAX_MESSAGE_CHARS = 4_000;

export function classifyKimi(
  refusal: VendorError,
  host: KimiHost,
): ErrorClassification | undefined {
  const error = { ...refusal, message: refusal.message.slice(0, MAX_MESSAGE_CHARS) };
  const rule = RULES.find(
    ({ status, type, pattern }) =>
      (status === undefined || status === error.status) &&
      (type === undefined || type === error.type) &&
      (pattern === undefined || pattern.test(error.message)),
  );
  return rule?.classify(error, host);
}

function noSuchModel({ message }: VendorError): ErrorClassification {
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

function tooLong({ message }: VendorError): ErrorClassification {
  const limit = Number(/token limit ?:? ?(\d{3,9})/i.exec(message)?.[1]);
  return {
    class: 'context_length',
    ...(Number.isSafeInteger(limit) && { contextTokens: limit }),
  };
}
