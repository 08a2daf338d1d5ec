import { notice, type Notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { isLoopback } from '#transport/http/peer-address.ts';
import type { DaemonRecord } from '../daemon/daemon-file.ts';
import { describeTaken, OTHER_EXAI_FIX, type PortTaken } from './port-holder.ts';

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
    fix: portFix(taken, instead),
  };
}

const PORT_FIX =
  'Stop that program, or set another port (EXAI_PORT) and connect the clients again (exai init). ' +
  'If a client has sent its token there, replace it with: exai token rotate';

/** The same as a notice. */
export function portTakenNotice(taken: PortTaken, instead: string | undefined): Notice {
  return notice('port_taken', { ...portFacts(taken, instead), fix: portFix(taken, instead) });
}

function portFix({ exaiVersion, port }: PortTaken, instead: string | undefined): string {
  if (exaiVersion === undefined) return PORT_FIX;
  if (instead === undefined) return OTHER_EXAI_FIX;
  return `${otherPortFix(port)} && exai restart`;
}

/** The command that ends the conflict with the daemon of another home. */
export function otherPortFix(port: number): string {
  return `Give this home another port: exai config set port ${neighbourOf(port)}`;
}

const MAX_PORT = 65_535;

/** A port to suggest: the next one is rarely in use. */
function neighbourOf(port: number): number {
  return port < MAX_PORT ? port + 1 : port - 1;
}

function portFacts(taken: PortTaken, instead: string | undefined) {
  const { port, exaiVersion } = taken;
  return {
    port,
    holder: describeTaken(taken),
    ...(exaiVersion !== undefined && { by: 'exai' as const }),
    ...(instead !== undefined && { url: instead }),
  };
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
