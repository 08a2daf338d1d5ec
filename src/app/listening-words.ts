import { notice, type Notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
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
export function portTakenWarning(taken: PortTaken, instead: string | undefined): ListeningWarning {
  return {
    about: 'port',
    message: baseRenderer.notice(notice('port_taken', portFacts(taken, instead))),
    fix: PORT_FIX,
  };
}

const PORT_FIX =
  'Stop that program, or set another port (EXAI_PORT) and connect the clients anew (exai init). ' +
  'If a client has sent its token there, replace it with: exai token rotate';

/** The same for those who are told in one text. */
export function portTakenNotice(taken: PortTaken, instead: string | undefined): Notice {
  return notice('port_taken', { ...portFacts(taken, instead), fix: PORT_FIX });
}

function portFacts({ port, holder }: PortTaken, instead: string | undefined) {
  return { port, holder: holderWords(holder), ...(instead !== undefined && { url: instead }) };
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
