import type { Config } from '#config/config.schema.ts';
import { CallError } from '#core/call-error.ts';
import { every, type Clock, type Timer } from '#core/clock.ts';
import type { Log } from '#core/telemetry.ts';
import { loadTls, tlsFingerprint, type LoadedTls } from './tls-files.ts';

const LOOK_MS = 60_000;

interface TlsWatch {
  readonly files: Config['tls'];
  readonly clock: Clock;
  readonly log: Log;
  readonly onRenewed: (tls: LoadedTls) => void;
}

/** Takes a renewed certificate without a restart. One that is wrong is told in the log, and the old one stays. */
export function watchTls({ files, clock, log, onRenewed }: TlsWatch): Timer {
  let known = tlsFingerprint(files);
  return every(clock, LOOK_MS, () => {
    try {
      const found = tlsFingerprint(files);
      if (found === known) return;
      known = found;
      const tls = loadTls(files, clock.now());
      if (!tls) return;
      onRenewed(tls);
      log.info('certificate_renewed', { valid_to: new Date(tls.validToMs).toISOString() });
    } catch (thrown) {
      log.warn('certificate_not_renewed', { error: CallError.from(thrown).toJSON() });
    }
  });
}
