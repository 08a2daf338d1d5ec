import { maskValue } from '#config/mask.ts';
import { describeOrigin, type Origin } from '#config/origin.ts';
import { findSetting } from '#config/settings.ts';
import { CallError } from '#core/call-error.ts';
import type { ErrorClass } from '#core/error-class.ts';
import type { Fix } from '#core/messages/fixes.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { ProviderId } from '#core/provider.ts';

/** The address that a provider was asked at, as its user can change it. */
export interface AskedAddress {
  readonly baseUrl: string;
  /** The setting by the name that its user knows. */
  readonly name: string;
  /** The address without its password. */
  readonly shown: string;
  /** What is asked without the setting; empty when nothing is. */
  readonly usual: string;
}

export function addressOf(
  id: ProviderId,
  baseUrl: string,
  origin?: Origin,
): AskedAddress | undefined {
  const setting = findSetting(`providers.${id}.baseUrl`);
  if (!setting || baseUrl === '') return undefined;
  const isFile = origin?.kind === 'file';
  return {
    baseUrl,
    name: isFile
      ? `${setting.path} in ${describeOrigin(origin)}`
      : (origin?.name ?? '') || setting.variables[0].name,
    shown: String(maskValue(setting, baseUrl)),
    usual: String(setting.defaultValue()),
  };
}

/** Failures that a wrong address makes. */
const OF_ADDRESSES: ReadonlySet<ErrorClass> = new Set([
  'network',
  'timeout',
  'not_found',
  'bad_response',
  'provider_error',
]);

/** Whether it is about the way and not about its end: a certificate, a proxy. */
function isOfTheWay({ params }: Fix): boolean {
  return 'setting' in params && params.setting.startsWith('network.');
}

/** Of a server that answers https:// with plain HTTP. */
const NO_TLS = new Set<unknown>([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'EPROTO',
]);

/** What to do about a provider that could not be asked: what the error itself says, or a look at the address. */
export function fixOf(error: CallError, asked: AskedAddress | undefined): string | undefined {
  const { class: errorClass, fix } = error;
  if (!asked || !OF_ADDRESSES.has(errorClass)) return fix;
  const { name, shown, usual, baseUrl } = asked;
  const all = causesOf(error);
  if (/^https:/i.test(baseUrl) && all.some(({ code }) => NO_TLS.has(code))) {
    return `${name} is ${shown}; try ${shown.replace(/^https:/i, 'http:')}`;
  }
  const ofTheWay = all.find(({ fixes = [] }) => fixes.some(isOfTheWay));
  if (ofTheWay?.fixes) return baseRenderer.fixes(ofTheWay.fixes);
  if (baseUrl === usual) return fix ?? 'Look at the network and its proxies: exai doctor';
  if (usual === '') return `${name} is ${shown}; is the server running there?`;
  return `${name} is ${shown}; unset it for ${usual}`;
}

interface Cause {
  readonly fixes?: readonly Fix[];
  readonly code?: unknown;
}

const MAX_CAUSES = 8;

/** The error and what it came from: whoever passed it on may have put another fix in place of the first. */
function causesOf(error: CallError): readonly Cause[] {
  const found: Cause[] = [];
  let next: unknown = error;
  while (next instanceof Error && found.length < MAX_CAUSES) {
    const { code, cause } = next as Error & { code?: unknown };
    found.push(next instanceof CallError ? { fixes: next.fixes, code } : { code });
    next = cause;
  }
  return found;
}
