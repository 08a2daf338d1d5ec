import { CallError } from '#core/call-error.ts';
import type { Examine } from './check.ts';

/** Silent unless it was asked for: most machines send no spans. */
export const tracing: Examine = ({ loaded }) => {
  if (loaded instanceof CallError) return [];
  const { endpoint, tracesEndpoint, logfireToken } = loaded.config.tracing;
  const collector = tracesEndpoint || endpoint;
  const where = collector === '' ? 'Logfire' : URL.canParse(collector) && new URL(collector).host;
  if (collector === '' && logfireToken === '') return [];
  return [{ id: 'tracing', title: 'Tracing', status: 'ok', detail: `spans go to ${where}` }];
};
