import { CallError } from '#core/errors/call-error.ts';

/** The answer to calls that still ran when the time to finish them was over. */
export const DAEMON_STOPPED = new CallError(
  'interrupted',
  'The daemon stopped before this was answered.',
  { fix: 'It may already have taken effect. Send it again when the daemon is back.' },
);
