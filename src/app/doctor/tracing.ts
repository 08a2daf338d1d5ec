import { CallError } from '#core/call-error.ts';
import type { Examine } from './check.ts';

/** Silent unless it was asked for: most machines send no spans. */
export const tracing: Examine = ({ loaded }) => {
  if (loaded instanceof CallError) return [];
  const { endpoint, tracesEndpoint, logfireToken } = loaded.config.tracing;
  const collector = tracesEndpoint || endpoint;
  if (collector === '' && logfireToken === '') return [];
  const where = collector === '' ? 'Logfire' : addressOf(new URL(collector));
  return [{ id: 'tracing', title: 'Tracing', status: 'ok', detail: `configured: ${where}` }];
};

function addressOf({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}
