import { isLoopback } from './loopback.ts';

const SHAPE = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::\d{1,5})?$/i;

/**
 * Whether a request was meant for us. A page on a foreign site can make its own name resolve to this machine, but it
 * cannot make the browser send another name: whoever asks by a name that is not ours is such a page.
 */
export function isOurHost(
  header: string | undefined,
  ours: readonly string[],
  /** The address the connection came in on; asked for by number it cannot be a foreign name. */
  localAddress: string | undefined,
): boolean {
  const match = SHAPE.exec(header ?? '');
  const host = (match?.[1] ?? match?.[2])?.toLowerCase();
  if (host === undefined) return false;
  if (isLoopback(host) || ours.some((own) => own === host || coversName(own, host))) return true;
  return host === localAddress?.replace(/^::ffff:/, '');
}

/** `*.example.com`, as a certificate has it, covers `exai.example.com` and nothing deeper. */
function coversName(pattern: string, host: string): boolean {
  const dot = host.indexOf('.');
  return pattern.startsWith('*.') && dot > 0 && host.slice(dot) === pattern.slice(1);
}
