import { CallError, type ErrorFacts } from '#core/call-error.ts';
import type { ErrorClass } from '#core/error-class.ts';

/** In place of ECONNRESET, which undici takes for a proper end of some answers. */
export const RESET = 'EXAI_RESET';

/** What the system and undici call it, and what it means of a host. */
const MEANING: Readonly<Record<string, readonly [ErrorClass, (host: string) => string]>> = {
  ECONNREFUSED: ['network', (host) => `${host} refused the connection.`],
  ECONNRESET: ['network', (host) => `${host} cut the connection.`],
  [RESET]: ['network', (host) => `${host} cut the connection.`],
  ECONNABORTED: ['network', (host) => `${host} cut the connection.`],
  EPIPE: ['network', (host) => `${host} cut the connection.`],
  EADDRNOTAVAIL: ['network', (host) => `${host} cannot be reached from this machine.`],
  EHOSTUNREACH: ['network', (host) => `${host} cannot be reached.`],
  EHOSTDOWN: ['network', (host) => `${host} cannot be reached.`],
  ENETUNREACH: ['network', (host) => `There is no network that leads to ${host}.`],
  ENETDOWN: ['network', (host) => `There is no network that leads to ${host}.`],
  EACCES: ['network', (host) => `This machine does not allow connections to ${host}.`],
  EPERM: ['network', (host) => `This machine does not allow connections to ${host}.`],
  EMFILE: ['over_capacity', () => 'Too many open files for one more connection.'],
  ENFILE: ['over_capacity', () => 'Too many open files for one more connection.'],
  ENOBUFS: ['over_capacity', () => 'The system has no room for one more connection.'],
  ENOTFOUND: ['network', (host) => `The name ${ofName(host)} is unknown.`],
  ENODATA: ['network', (host) => `The name ${ofName(host)} has no address.`],
  EAI_AGAIN: ['network', (host) => `The name ${ofName(host)} cannot be looked up now.`],
  EAI_FAIL: ['network', (host) => `The name ${ofName(host)} cannot be looked up.`],
  ETIMEDOUT: ['timeout', (host) => `The connection to ${host} timed out.`],
  EPROTO: ['network', (host) => `${host} does not speak TLS as we do.`],
  UND_ERR_SOCKET: ['network', (host) => `${host} hung up before its answer was complete.`],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: [
    'network',
    (host) => `The answer of ${host} ended before its announced length.`,
  ],
  UND_ERR_HEADERS_OVERFLOW: ['bad_response', (host) => `${host} sent too many headers.`],
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: [
    'bad_request',
    (host) => `What was sent to ${host} was not as long as announced.`,
  ],
  UND_ERR_INVALID_ARG: ['bad_request', (host) => `The request to ${host} cannot be sent as it is.`],
  UND_ERR_NOT_SUPPORTED: [
    'bad_request',
    (host) => `The request to ${host} cannot be sent as it is.`,
  ],
};

const CERTIFICATE =
  /^(?:CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/;
const CA_FIX =
  'If your company or your own authority signs it, give its certificate as network.caFile (EXAI_CA_FILE).';

/** Whether the other side showed a certificate that is not believed. */
export function isCertificateFault(thrown: unknown): boolean {
  return CERTIFICATE.test(codeOf(thrown));
}

/** What went wrong between us and a host, in words that hold nothing but its name. */
export function toCallError(thrown: unknown, host: string): CallError {
  if (thrown instanceof CallError) return thrown;
  if (thrown instanceof Error && thrown.name === 'HTTPParserError') return notHttp(thrown, host);
  const code = codeOf(thrown);
  const facts: ErrorFacts = { cause: thrown };
  const known = Object.hasOwn(MEANING, code) ? MEANING[code] : undefined;
  if (known)
    return new CallError(known[0], sentence(known[1](host)), { ...facts, ...plainFix(code) });
  if (CERTIFICATE.test(code)) {
    return new CallError('network', sentence(certificateMessage(code, host)), {
      ...facts,
      fix: CA_FIX,
    });
  }
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) {
    const message = sentence(`${host} does not speak TLS as we do (${code}).`);
    return new CallError('network', message, { ...facts, ...plainFix(code) });
  }
  const name = code === '' && thrown instanceof Error ? thrown.name : code;
  return new CallError('network', `The connection to ${host} failed (${name}).`, facts);
}

/** A host may be `the proxy …`. */
const ofName = (host: string) => (host.startsWith('the ') ? `of ${host}` : host);

/** Codes of a handshake that was answered in the clear. */
const NO_TLS: ReadonlySet<string> = new Set([
  'EPROTO',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_HTTP_REQUEST',
]);

function plainFix(code: string): Pick<ErrorFacts, 'fix'> {
  return NO_TLS.has(code) ? { fix: 'Try http:// in place of https://.' } : {};
}

function sentence(text: string): string {
  return text.replace(/^the /, 'The ');
}

/** Without the error itself as the cause: it carries what the other side sent. */
function notHttp({ message }: Error, host: string): CallError {
  const [, reason = ''] = /\((.*)\)/.exec(message) ?? [];
  return reason === 'Invalid EOF state'
    ? new CallError('network', `The answer of ${host} ended in the middle.`)
    : new CallError('bad_response', `${host} does not answer in proper HTTP: ${reason}.`);
}

function certificateMessage(code: string, host: string): string {
  if (code === 'CERT_HAS_EXPIRED') return `The certificate of ${host} has expired.`;
  if (code === 'CERT_NOT_YET_VALID') {
    return `The certificate of ${host} is not valid yet; is the clock of this machine right?`;
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH') {
    return `The certificate that ${host} shows is for another name.`;
  }
  return `The certificate of ${host} is not trusted (${code}).`;
}

/** When several addresses were tried, the first failure is as good as any. */
function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return '';
  const own = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
  if (own === '' && thrown instanceof AggregateError) return codeOf(thrown.errors[0]);
  return own;
}
