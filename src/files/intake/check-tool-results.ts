import type { CheckToolResults } from '#core/files/tool-results.ts';
import type { Notice } from '#core/messages/notices.ts';
import { checkSecrets, type SecretsCheck } from './check-secrets.ts';

/**
 * Scans what tools of a client returned. A client sends its whole conversation each time: a notice
 * is given once, while the result is new; where secrets are blocked, all are scanned each time.
 */
export function createToolResultsCheck(check: SecretsCheck): CheckToolResults {
  return async (results) => {
    const notices: Notice[] = [];
    for (const { name, text, field, isEarlier } of results) {
      if (isEarlier && check.secrets !== 'block') continue;
      notices.push(...(await checkSecrets({ name, text }, check, field)));
    }
    return notices;
  };
}
