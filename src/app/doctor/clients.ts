import { NOTICES_METHOD } from '../own-methods.ts';
import { askRunning } from './ask-running.ts';
import type { Examine, Patient } from './check.ts';

/** Settings that a client, or this very shell, has in its environment and the running daemon lacks. */
export const clients: Examine = async ({ notices }) =>
  (await notices()).map((detail) => ({ id: 'clients', title: 'Settings', status: 'warn', detail }));

export async function askNotices(
  patient: Pick<Patient, 'daemon' | 'readiness' | 'home' | 'env' | 'system'>,
): Promise<readonly string[]> {
  const told = await askRunning(patient, (ask) => ask(NOTICES_METHOD, {}));
  return (told as { readonly notices: readonly string[] } | undefined)?.notices ?? [];
}
