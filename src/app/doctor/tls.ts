import type { Config } from '#config/config.schema.ts';
import { CallError } from '#core/call-error.ts';
import { bareAddress } from '../bind-policy.ts';
import { plaintextWarning } from '../listening-words.ts';
import { ownUrl } from '../own-url.ts';
import { loadTls } from '../tls-files.ts';
import { failed, type Check, type Examine } from './check.ts';

const CHECK = { id: 'tls', title: 'Encryption' } as const;
const DAY_MS = 86_400_000;
const SOON_MS = 14 * DAY_MS;

/** Whether what goes to other machines is encrypted, and the certificate good. */
export const tls: Examine = ({ daemon: state, loaded, system }) => {
  if (loaded instanceof CallError || loaded.config.port === 'off') return [];
  const { config } = loaded;
  try {
    const found = loadTls(config.tls, system.clock.now());
    if (found) return [certificateCheck(found, system.clock.now())];
  } catch (thrown) {
    return [failed(CHECK, thrown)];
  }
  return plaintextWarning(state.is === 'running' ? state.record : planned(config)).map(
    ({ message, fix }) => ({ ...CHECK, status: 'warn', detail: message, fix }),
  );
};

function planned(config: Config) {
  const { host, port } = config;
  return port === 'off' ? {} : { host: bareAddress(host), url: ownUrl({ host, port }) };
}

function certificateCheck(
  { names, validToMs }: { readonly names: readonly string[]; readonly validToMs: number },
  nowMs: number,
): Check {
  const until = new Date(validToMs).toISOString().slice(0, 10);
  const whom = names.length === 0 ? '' : ` for ${names.slice(0, 5).join(', ')}`;
  const detail = `certificate${whom}, valid until ${until}`;
  if (validToMs - nowMs > SOON_MS) return { ...CHECK, status: 'ok', detail };
  return { ...CHECK, status: 'warn', detail, fix: 'Renew the certificate of tls.cert.' };
}
