import { isLoopback } from '#transport/http/loopback.ts';
import type { DaemonRecord } from './daemon-file.ts';
import { holderWords, type PortTaken } from './port-holder.ts';

/** What is wrong with where a daemon listens, though it works. */
export interface ListeningWarning {
  readonly about: 'port' | 'plaintext';
  readonly message: string;
  readonly fix: string;
}

type Listening = Pick<DaemonRecord, 'url' | 'host' | 'portTaken'>;

export function listeningWarnings(record: Listening): readonly ListeningWarning[] {
  return [
    ...(record.portTaken ? [portTakenWarning(record.portTaken, record.url)] : []),
    ...plaintextWarning(record),
  ];
}

/** `instead`: where the daemon listens in its place; nothing while none runs. */
export function portTakenWarning(
  { port, holder }: PortTaken,
  instead: string | undefined,
): ListeningWarning {
  const place = instead === undefined ? '' : ` EX-AI listens at ${instead} instead.`;
  return {
    about: 'port',
    message:
      `Port ${port} belongs to ${holderWords(holder)}, not to EX-AI.${place} Clients that are set up with ` +
      `http://127.0.0.1:${port} talk to that program and hand it their token and prompts.`,
    fix:
      'Stop that program, or set another port (EXAI_PORT) and connect the clients anew (exai init). ' +
      'If a client has sent its token there, replace it with: exai token rotate',
  };
}

/** Nothing where others cannot listen in: on this machine alone, or with TLS. */
export function plaintextWarning({
  url,
  host,
}: Pick<DaemonRecord, 'url' | 'host'>): readonly ListeningWarning[] {
  if (url === undefined || host === undefined) return [];
  if (url.startsWith('https:') || isLoopback(host)) return [];
  return [
    {
      about: 'plaintext',
      message: `The token and prompts travel unencrypted: ${url} can be reached from other machines without TLS.`,
      fix: 'Set tls.cert and tls.key, or listen on 127.0.0.1 behind a reverse proxy; docs/tls.md shows both.',
    },
  ];
}

/** As one sentence for people. */
export function warningWords({ message, fix }: ListeningWarning): string {
  return `${message} ${fix}.`.replace(/\.\.$/, '.');
}
