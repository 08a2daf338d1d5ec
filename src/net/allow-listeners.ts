import { setMaxListeners } from 'node:events';
import type { Cancel } from '#core/http.ts';

/** One caller may have any number of exchanges under way on its signal; Node takes more than ten listeners for a leak. */
export function allowListeners(signal: Cancel): void {
  if (signal instanceof AbortSignal) setMaxListeners(0, signal);
}
