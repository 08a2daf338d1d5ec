import type { Config } from '#config/config.schema.ts';
import type { Clock } from '#core/clock.ts';
import { findCustomServer } from './find-custom-server.ts';
import { createNetwork } from './network.ts';
import { SILENT } from './silent-log.ts';

/** The look for a server of this machine by somebody who asks for nothing else of the network. No key is sent. */
export async function lookForCustomServer(
  custom: Config['providers']['custom'],
  settings: Config['network'],
  clock: Clock,
): Promise<string> {
  const network = await createNetwork({ settings, clock, log: SILENT, secrets: () => [] });
  try {
    return await findCustomServer(custom, network.http, clock, SILENT);
  } finally {
    await network.close();
  }
}
