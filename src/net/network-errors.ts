import { CallError, type ErrorFacts } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import { fix } from '#core/messages/fixes.ts';

/** Replaces ECONNRESET, which undici takes for the regular end of some responses. */
export const RESET = 'EXAI_RESET';

/** The other end of a connection in messages: a host, or the proxy on the way to it. */
interface Peer {
  /** For the beginning of a sentence. */
  readonly subject: string;
  readonly name: string;
  /** After `The name`. */
  readonly ofName: string;
}

function peerOf(host: Host): Peer {
  if (typeof host === 'string') return { subject: host, name: host, ofName: host };
  const { proxy } = host;
  return {
    subject: `The proxy ${proxy}`,
    name: `the proxy ${proxy}`,
    ofName: `of the proxy ${proxy}`,
  };
}

type Host = string | { readonly proxy: string };

/** Error class and message by the error codes of the system and undici. */
const MEANING: Readonly<Record<string, readonly [ErrorClass, (peer: Peer) => string]>> = {
  ECONNREFUSED: ['network', ({ subject }) => `${subject} refused the connection.`],
  ECONNRESET: ['network', ({ subject }) => `${subject} cut the connection.`],
  [RESET]: ['network', ({ subject }) => `${subject} cut the connection.`],
  ECONNABORTED: ['network', ({ subject }) => `${subject} cut the connection.`],
  EPIPE: ['network', ({ subject }) => `${subject} cut the connection.`],
  EADDRNOTAVAIL: ['network', ({ subject }) => `${subject} cannot be reached from this machine.`],
  EHOSTUNREACH: ['network', ({ subject }) => `${subject} cannot be reached.`],
  EHOSTDOWN: ['network', ({ subject }) => `${subject} cannot be reached.`],
  ENETUNREACH: ['network', ({ name }) => `There is no network that leads to ${name}.`],
  ENETDOWN: ['network', ({ name }) => `There is no network that leads to ${name}.`],
  EACCES: ['network', ({ name }) => `This machine does not allow connections to ${name}.`],
  EPERM: ['network', ({ name }) => `This machine does not allow connections to ${name}.`],
  EMFILE: ['over_capacity', () => 'Too many open files for one more connection.'],
  ENFILE: ['over_capacity', () => 'Too many open files for one more connection.'],
  ENOBUFS: ['over_capacity', () => 'The system has no room for one more connection.'],
  ENOTFOUND: ['network', ({ ofName }) => `The name ${ofName} is unknown.`],
  ENODATA: ['network', ({ ofName }) => `The name ${ofName} has no address.`],
  EAI_AGAIN: ['network', ({ ofName }) => `The name ${ofName} cannot be looked up now.`],
  EAI_FAIL: ['network', ({ ofName }) => `The name ${ofName} cannot be looked up.`],
  ETIMEDOUT: ['timeout', ({ name }) => `The connection to ${name} timed out.`],
  EPROTO: ['network', ({ subject }) => `${subject} does not speak TLS as we do.`],
  UND_ERR_SOCKET: [
    'network',
    ({ subject }) => `${subject} hung up before its answer was complete.`,
  ],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: [
    'network',
    ({ name }) => `The answer of ${name} ended before its announced length.`,
  ],
  UND_ERR_HEADERS_OVERFLOW: ['bad_response', ({ subject }) => `${subject} sent too many headers.`],
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: [
    'bad_request',
    ({ name }) => `What was sent to ${name} was not as long as announced.`,
  ],
  UND_ERR_INVALID_ARG: [
    'bad_request',
    ({ name }) => `The request to ${name} cannot be sent as it is.`,
  ],
  UND_ERR_NOT_SUPPORTED: [
    'bad_request',
    ({ name }) => `The request to ${name} cannot be sent as it is.`,
  ],
};

const CERTIFICATE =
  /^(?:CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/;
const CA_FIX = fix('set_setting', {
  setting: 'network.caFile',
  variable: 'EXAI_CA_FILE',
  value: 'the certificate of your company or your own authority, if that signs it',
});

/** Whether the connection failed because the certificate is not trusted. */
export function isCertificateFault(thrown: unknown): boolean {
  return CERTIFICATE.test(codeOf(thrown));
}

/**
 * Maps a network error to a `CallError` whose message contains the host name and nothing else of
 * the request.
 */
export function toNetworkCallError(thrown: unknown, host: Host): CallError {
  if (thrown instanceof CallError) return thrown;
  const peer = peerOf(host);
  if (thrown instanceof Error && thrown.name === 'HTTPParserError') return notHttp(thrown, peer);
  const code = codeOf(thrown);
  const facts: ErrorFacts = { cause: thrown };
  const known = Object.hasOwn(MEANING, code) ? MEANING[code] : undefined;
  if (known) return new CallError(known[0], known[1](peer), { ...facts, ...plainFix(code) });
  if (CERTIFICATE.test(code)) {
    return new CallError('network', certificateMessage(code, peer), {
      ...facts,
      fixes: [CA_FIX],
    });
  }
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) {
    const message = `${peer.subject} does not speak TLS as we do (${code}).`;
    return new CallError('network', message, { ...facts, ...plainFix(code) });
  }
  const name = code === '' && thrown instanceof Error ? thrown.name : code;
  return new CallError('network', `The connection to ${peer.name} failed (${name}).`, facts);
}

/** Codes of a TLS handshake that was answered in plain text. */
const NO_TLS: ReadonlySet<string> = new Set([
  'EPROTO',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_HTTP_REQUEST',
]);

function plainFix(code: string): Pick<ErrorFacts, 'fix'> {
  return NO_TLS.has(code) ? { fix: 'Try http:// instead of https://.' } : {};
}

/** The parser's error is not kept as the cause, because it contains what the server sent. */
function notHttp({ message }: Error, { subject, name }: Peer): CallError {
  const [, parserFault = ''] = /\((.*)\)/.exec(message) ?? [];
  return parserFault === 'Invalid EOF state'
    ? new CallError('network', `The answer of ${name} ended in the middle.`)
    : new CallError('bad_response', `${subject} does not answer in proper HTTP: ${parserFault}.`);
}

function certificateMessage(code: string, { name }: Peer): string {
  if (code === 'CERT_HAS_EXPIRED') return `The certificate of ${name} has expired.`;
  if (code === 'CERT_NOT_YET_VALID') {
    return `The certificate of ${name} is not valid yet; is the clock of this machine right?`;
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH') {
    return `The certificate that ${name} shows is for another name.`;
  }
  return `The certificate of ${name} is not trusted (${code}).`;
}

/** The error code; of several addresses that were tried, the first. */
function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return '';
  const own = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
  if (own === '' && thrown instanceof AggregateError) return codeOf(thrown.errors[0]);
  return own;
}
