import type { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type { Fix } from '#core/messages/fixes.ts';
import { reason } from '#core/messages/reasons.ts';

/**
 * The error of a model that is asked as one of a panel. No other may answer in its place, but the
 * caller did not ask for that and cannot change it, so neither the message nor the fixes mention
 * it.
 */
export function panelistError(error: CallError): CallError {
  const { reason: why } = error;
  if (why?.code !== 'named_model_unable') return error;
  const alone = reason('named_model_unable', { ...why.params, fallback: 'chain' });
  const fixes = error.fixes.filter((each) => !isAboutFallback(each));
  return codedError(error.class, alone, { ...error.facts(), fixes, cause: error });
}

function isAboutFallback({ kind, params }: Fix): boolean {
  return kind === 'omit_argument' && params.argument === 'fallback';
}
