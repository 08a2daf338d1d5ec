import { KEY_NAMES } from '#config/keys.ts';
import { CallError } from '#core/call-error.ts';
import { didYouMean } from '#core/nearest.ts';

/** Refuses a name that is no key's, before anybody has typed a secret for it. */
export function checkKeyName(name: string): void {
  if (KEY_NAMES.includes(name)) return;
  throw new CallError(
    'not_found',
    `There is no key "${name}"${didYouMean(name, KEY_NAMES) || '.'}`,
    {
      field: 'name',
      fix: `Use one of: ${KEY_NAMES.join(', ')}.`,
    },
  );
}
