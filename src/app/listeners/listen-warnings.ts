import { notice, type Notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { isLoopback } from '#transport/http/peer-address.ts';
import type { DaemonRecord } from '../daemon/daemon-file.ts';
import { describeHolder, type PortTaken } from './port-holder.ts';

/** A problem with the address that a working daemon listens on. */
export interface ListenWarning {
  readonly about: 'port' | 'plaintext';
  readonly message: string;
  readonly fix: string;
}

type Listening = Pick<DaemonRecord, 'url' | 'host' | 'portTaken'>;

export function listenWarnings(record: Listening): readonly ListenWarning[] {
  return [
    ...(record.portTaken ? [portTakenWarning(record.portTaken, record.url)] : []),
    ...plaintextWarning(record),
  ];
}

/** `instead`: the address that the daemon listens on in its place; undefined while none runs. */
export function portTakenWarning(taken: PortTaken, instead: string | undefined): ListenWarning {
  return {
    about: 'port',
    message: baseRenderer.notice(notice('port_taken', portFacts(taken, instead))),
    fix: PORT_FIX,
  };
}

const PORT_FIX =
  'Stop that program, or set another port (EXAI_PORT) and connect the clients anew (exai init). ' +
  'If a client has sent its token there, replace it with: exai token rotate';

/** The same as a notice. */
export function portTakenNotice(taken: PortTaken, instead: string | undefined): Notice {
  return notice('port_taken', { ...portFacts(taken, instead), fix: PORT_FIX });
}

function portFacts({ port, holder }: PortTaken, instead: string | undefined) {
  return { port, holder: describeHolder(holder), ...(instead !== undefined && { url: instead }) };
}

/** Undefined if traffic cannot be read by others: on loopback, or with TLS. */
export function plaintextWarning({
  url,
  host,
}: Pick<DaemonRecord, 'url' | 'host'>): readonly ListenWarning[] {
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
