import type { CheckSentTexts } from '#core/files/sent-texts.ts';
import type { Notice } from '#core/messages/notices.ts';
import { checkSecrets, type SecretsCheck } from './check-secrets.ts';

/**
 * Scans texts that were stored or sent before this call, too. A notice is given once, while a text is
 * new; where secrets are blocked, all are scanned each time.
 */
export function createSentTextsCheck(check: SecretsCheck): CheckSentTexts {
  return async (texts) => {
    const notices: Notice[] = [];
    for (const { field, isEarlier, ...text } of texts) {
      if (isEarlier && check.secrets !== 'block') continue;
      notices.push(...(await checkSecrets(text, check, field)));
    }
    return notices;
  };
}
