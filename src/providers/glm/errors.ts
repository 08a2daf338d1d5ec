import type { ErrorClass } from '#core/errors/error-class.ts';
import { fix, type Fix } from '#core/messages/fixes.ts';
import { isUrl } from '#core/net/is-url.ts';
import type { Clock } from '#core/time/clock.ts';
import type { ErrorClassification, VendorError } from '../openai-compatible/errors/vendor-error.ts';
import { isCodingPath, otherSite, type Site } from './site.ts';

interface GlmErrors {
  readonly site: Site;
  readonly baseUrl: string;
  readonly clock: Pick<Clock, 'now'>;
}

// prettier-ignore
const CLASSES: ReadonlyMap<string, ErrorClass> = new Map<string, ErrorClass>([
  ['500', 'provider_error'],
  ['1000', 'auth'], ['1001', 'auth'], ['1002', 'auth'], ['1003', 'auth'], ['1004', 'auth'],
  ['1100', 'provider_error'], ['1110', 'auth'], ['1111', 'auth'], ['1112', 'auth'], ['1113', 'billing'], ['1120', 'overloaded'], ['1121', 'auth'],
  ['1200', 'bad_request'], ['1210', 'bad_request'], ['1211', 'not_found'], ['1212', 'bad_request'],
  ['1213', 'bad_request'], ['1214', 'bad_request'], ['1215', 'bad_request'],
  // The account may not use this API or model. Another provider may help, and the key works for
  // everything else.
  ['1220', 'not_configured'], ['1311', 'not_configured'],
  ['1221', 'not_found'], ['1222', 'not_found'],
  ['1230', 'bad_request'], ['1231', 'conflict'], ['1234', 'provider_error'],
  ['1261', 'context_length'],
  ['1300', 'content_filter'], ['1301', 'content_filter'],
  // 1305 means that the model is busy, not that the caller is too fast.
  ['1302', 'rate_limit'], ['1303', 'rate_limit'], ['1304', 'quota'], ['1305', 'overloaded'],
  ['1308', 'quota'], ['1309', 'billing'], ['1310', 'quota'], ['1312', 'overloaded'], ['1313', 'quota'],
  // Limits of a Coding Plan: of 5 hours and 7 days, by usage and by spending.
  ['1314', 'quota'], ['1315', 'quota'], ['1316', 'quota'], ['1317', 'quota'],
  ['1318', 'quota'], ['1319', 'quota'], ['1320', 'quota'], ['1321', 'quota'],
]);

const WRONG_KEY = new Set(['1000', '1001', '1002', '1003', '1004']);
const NO_PERMISSION = 434;
const FILE_TOO_LARGE = 435;

/**
 * Classifies errors of GLM by their codes, which say more than the status. They are strings or
 * numbers, nested or not.
 */
export function createClassify(
  errors: GlmErrors,
): (error: VendorError, model: string | undefined) => ErrorClassification | undefined {
  return (error, model) => {
    const { status, code } = error;
    if (status === NO_PERMISSION)
      return { class: 'not_configured', fixes: permissionFixes(errors) };
    if (status === FILE_TOO_LARGE)
      return { class: 'too_large', fix: 'Send a file of up to 100 MB, or split it.' };
    const known = CLASSES.get(code);
    if (WRONG_KEY.has(code) || (!known && status === 401))
      return { class: 'auth', fixes: keyFixes(errors) };
    if (!known) return undefined;
    return { class: known, ...detailsOf(error, model, errors) };
  };
}

function detailsOf(
  error: VendorError,
  model: string | undefined,
  errors: GlmErrors,
): Omit<ErrorClassification, 'class'> {
  const name = model ?? 'the model';
  switch (error.code) {
    case '1113':
      return {
        message: `GLM accepts the key, but nothing is left on its account at ${askedHost(errors)}.`,
        fixes: billingFixes(errors),
      };
    case '1211':
      return {
        message: `GLM does not know ${name} at ${askedHost(errors)}.`,
        fixes: [fix('refresh_models'), fix('list_models')],
      };
    case '1220':
      return { fixes: permissionFixes(errors) };
    case '1308':
    case '1310':
    case '1314':
    case '1315':
    case '1316':
    case '1317':
    case '1318':
    case '1319':
    case '1320':
    case '1321': {
      const retryAfterMs = readResetTime(error, errors.clock);
      return retryAfterMs === undefined ? {} : { retryAfterMs };
    }
    case '1309':
      return {
        fixes: [
          fix('set_setting', { setting: 'GLM_API_URL', value: 'the path without /coding' }),
          'Or renew the Coding Plan.',
        ],
      };
    case '1311':
      return {
        message: `The Coding Plan of this key does not include ${name}.`,
        fixes: [
          fix('use_other_model'),
          fix('set_setting', {
            setting: 'GLM_API_URL',
            value: `${errors.site.baseUrl} to pay for it by use`,
          }),
        ],
      };
    case '1110':
    case '1111':
    case '1112':
    case '1121':
      return { fix: `See the state of the account at ${new URL(errors.site.keysAt).host}.` };
    default:
      return {};
  }
}

/** The host that was asked, which may be a proxy of the site. */
function askedHost({ baseUrl, site }: GlmErrors): string {
  return isUrl(baseUrl) ? new URL(baseUrl).host : site.host;
}

/** A key belongs to one of the two sites; the other only says that it is wrong. */
function keyFixes({ site }: GlmErrors): readonly (Fix | string)[] {
  const other = otherSite(site);
  const address = `${other.baseUrl} (or ${other.codingUrl} for its Coding Plan), if the key is of ${other.host}`;
  return [
    fix('add_key', { provider: 'glm' }),
    fix('set_setting', { setting: 'GLM_API_URL', value: address }),
    `Get a key at ${site.keysAt}.`,
  ];
}

function billingFixes({ site, baseUrl }: GlmErrors): readonly (Fix | string)[] {
  const { host } = new URL(site.keysAt);
  if (isCodingPath(baseUrl)) {
    return [
      `Only chats are charged to the Coding Plan; top up the account at ${host} for the rest.`,
    ];
  }
  const address = `${site.codingUrl}, if you have a Coding Plan`;
  return [
    `Top up the account at ${host}.`,
    fix('set_setting', { setting: 'GLM_API_URL', value: address }),
  ];
}

function permissionFixes({ site }: GlmErrors): readonly (Fix | string)[] {
  return [fix('use_other_model'), `Or ask for access at ${new URL(site.keysAt).host}.`];
}

const HOUR_MS = 3_600_000;
/** GLM writes China Standard Time without a zone. */
const VENDOR_OFFSET_MS = 8 * HOUR_MS;
const LONGEST_MS = 32 * 24 * HOUR_MS;
const WRITTEN =
  /(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?(Z|[+-]\d{2}:?\d{2})?/;

/** Milliseconds until a used-up quota is reset, from a field or a date in the message. */
export function readResetTime(
  { body, message }: Pick<VendorError, 'body' | 'message'>,
  clock: Pick<Clock, 'now'>,
): number | undefined {
  const seconds = body['resets_in_seconds'];
  const at =
    typeof seconds === 'number'
      ? clock.now() + seconds * 1000
      : (moment(body['next_flush_time']) ?? moment(message));
  if (at === undefined) return undefined;
  const waitMs = at - clock.now();
  return waitMs > 0 && waitMs <= LONGEST_MS ? Math.ceil(waitMs) : undefined;
}

function moment(value: unknown): number | undefined {
  if (typeof value === 'number' && value > 0) return value < 1e11 ? value * 1000 : value;
  if (typeof value !== 'string') return undefined;
  if (/^\d{10}(\d{3})?$/.test(value)) return moment(Number(value));
  const found = WRITTEN.exec(value.slice(0, 2000));
  if (!found) return undefined;
  const [, year, month, day, hour, minute, second = '00', zone] = found;
  const utc = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone ?? 'Z'}`);
  if (Number.isNaN(utc)) return undefined;
  return zone === undefined ? utc - VENDOR_OFFSET_MS : utc;
}
