import { maskValue } from '#config/secrets/mask.ts';
import { describeOrigin, type Origin } from '#config/load/origin.ts';
import { findSetting } from '#config/schema/settings.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { Fix } from '#core/messages/fixes.ts';
import { baseRenderer } from '#core/messages/render.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { findProvider } from '#core/providers/list.ts';
import { findPreset } from '#core/providers/presets/presets.ts';

/** The address of a provider and the setting that changes it. */
export interface AskedAddress {
  readonly baseUrl: string;
  /** The name of the setting, for display. */
  readonly name: string;
  /** The address without its password. */
  readonly shown: string;
  /** The default address; empty if there is none. */
  readonly usual: string;
  /** The path of the setting, if config.json sets the address. */
  readonly inFile?: string;
}

/** The path of the setting that has a provider's address. */
export function addressPath(id: ProviderId): string {
  return findProvider(id) ? `providers.${id}.baseUrl` : `providers.added.${id}.baseUrl`;
}

export function addressOf(
  id: ProviderId,
  baseUrl: string | undefined,
  origin?: Origin,
): AskedAddress | undefined {
  const setting = findSetting(addressPath(id));
  if (!setting || baseUrl === undefined || baseUrl === '') return undefined;
  const isFile = origin?.kind === 'file';
  return {
    baseUrl,
    name: isFile
      ? `${setting.path} in ${describeOrigin(origin)}`
      : (origin?.name ?? '') || (findProvider(id) ? setting.variables[0].name : setting.path),
    shown: String(maskValue(setting, baseUrl)),
    usual: findPreset(id)?.baseUrl ?? String(setting.defaultValue()),
    ...(isFile && { inFile: setting.path }),
  };
}

/** Error classes that a wrong address can cause. */
const OF_ADDRESSES: ReadonlySet<ErrorClass> = new Set([
  'network',
  'timeout',
  'not_found',
  'bad_response',
  'provider_error',
]);

/** Whether the fix concerns the connection (a certificate, a proxy) and not the address. */
function isOfTheWay({ params }: Fix): boolean {
  return 'setting' in params && params.setting.startsWith('network.');
}

/** Whether the fix is to run exai doctor, which shows these fixes itself. */
function namesDoctor({ fixes }: CallError): boolean {
  return fixes.some(({ kind }) => kind === 'check_network');
}

const CHECK_NETWORK =
  'Check the internet connection, DNS and the proxy (HTTPS_PROXY), then: exai keys test';

/** Error codes of a server that answers https:// with plain HTTP. */
const NO_TLS = new Set<unknown>([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'EPROTO',
]);

/** The fix for an unreachable provider: that of the error, or a hint to check the address. */
export function fixOf(error: CallError, asked: AskedAddress | undefined): string | undefined {
  const { class: errorClass, fix } = error;
  if (!asked || !OF_ADDRESSES.has(errorClass)) return fix;
  const { name, shown, usual, baseUrl, inFile } = asked;
  const all = causesOf(error);
  if (/^https:/i.test(baseUrl) && all.some(({ code }) => NO_TLS.has(code))) {
    return `${name} is ${shown}; try ${shown.replace(/^https:/i, 'http:')}`;
  }
  const ofTheWay = all.find(({ fixes = [] }) => fixes.some(isOfTheWay));
  if (ofTheWay?.fixes) return baseRenderer.fixes(ofTheWay.fixes);
  if (baseUrl === usual) return namesDoctor(error) ? CHECK_NETWORK : (fix ?? CHECK_NETWORK);
  if (usual === '') return `${name} is ${shown}; is the server running there?`;
  return inFile === undefined
    ? `${name} is ${shown}; unset it for ${usual}`
    : `${name} is ${shown}. Use ${usual} again with: exai config unset ${inFile}`;
}

interface Cause {
  readonly fixes?: readonly Fix[];
  readonly code?: unknown;
}

const MAX_CAUSES = 8;

/** The error and its causes: a wrapper may have replaced the first fix. */
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
