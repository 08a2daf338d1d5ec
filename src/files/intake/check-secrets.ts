import { CallError } from '#core/errors/call-error.ts';
import type { SentText } from '#core/files/sent-texts.ts';
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

type ScannedText = Pick<AskText, 'name' | 'text'> & Pick<SentText, 'firstLine'>;

const MAX_SHOWN_CHARS = 200;

/**
 * Looks for secrets in a text that would leave the machine. Throws `permission` where they are
 * blocked; neither the error nor a notice contains a secret.
 */
export async function checkSecrets(
  { name, text, firstLine = 1 }: ScannedText,
  { secrets: policy, clock }: SecretsCheck,
  field: string,
): Promise<readonly Notice[]> {
  if (policy === 'off') return [];
  const inText = await scanSecrets(text, () => sleep(clock, 0));
  if (inText.length === 0) return [];
  const found = inText.map(({ title, line }) => ({ title, line: line + firstLine - 1 }));
  if (policy === 'warn') {
    const file = oneLine(name, MAX_SHOWN_CHARS);
    return [notice('file_secrets_found', { file, findings: found })];
  }
  const places = found.map(({ title, line }) => `${title} in line ${line}`).join(', ');
  throw new CallError('permission', `${shownName(name)} seems to contain secrets: ${places}.`, {
    field,
    fix: 'Remove them, or allow such texts with files.secrets=warn.',
  });
}
