import { readNotices, type SentNotice } from '#core/messages/notices-wire.ts';
import { NOTICES_METHOD } from '../daemon-notices.ts';
import { askRunning } from './ask-running.ts';
import type { Examine, Patient } from './check.ts';

/** Settings that a client, or this very shell, has in its environment and the running daemon lacks. */
export const clients: Examine = async ({ notices }) =>
  (await notices()).map(({ text }) => ({
    id: 'clients',
    title: 'Settings',
    status: 'warn',
    detail: text,
  }));

export async function askNotices(
  patient: Pick<Patient, 'daemon' | 'readiness' | 'home' | 'env' | 'system'>,
): Promise<readonly SentNotice[]> {
  const told = await askRunning(patient, (ask) => ask(NOTICES_METHOD, {}));
  return readNotices(told);
}
