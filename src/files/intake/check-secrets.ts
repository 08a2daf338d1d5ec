import { CallError } from '#core/errors/call-error.ts';
import type { AskText } from '#core/llm/ask.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { oneLine } from '#core/text/text.ts';
import { sleep, type Clock } from '#core/time/clock.ts';
import { scanSecrets } from '../secrets/scan-secrets.ts';
import { shownName } from './file-names.ts';

/** The setting `files.secrets`. */
export type SecretsPolicy = 'off' | 'warn' | 'block';

export interface SecretsCheck {
  /** Read at each use. */
  readonly secrets: SecretsPolicy;
  /** For pauses in the scan of a long text. */
  readonly clock: Clock;
}

const MAX_SHOWN_CHARS = 200;

/**
 * Looks for secrets in a text that would leave the machine. Throws `permission` where they are
 * blocked; neither the error nor a notice contains a secret.
 */
export async function checkSecrets(
  { name, text }: Pick<AskText, 'name' | 'text'>,
  { secrets: policy, clock }: SecretsCheck,
  field: string,
): Promise<readonly Notice[]> {
  if (policy === 'off') return [];
  const found = await scanSecrets(text, () => sleep(clock, 0));
  if (found.length === 0) return [];
  if (policy === 'warn') {
    const findings = found.map(({ title, line }) => ({ title, line }));
    return [notice('file_secrets_found', { file: oneLine(name, MAX_SHOWN_CHARS), findings })];
  }
  const places = found.map(({ title, line }) => `${title} in line ${line}`).join(', ');
  throw new CallError('permission', `${shownName(name)} seems to contain secrets: ${places}.`, {
    field,
    fix: 'Remove them, or allow such texts with files.secrets=warn.',
  });
}
