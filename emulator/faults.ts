import { noSuchFault, unknownOptionProblem, type FaultNames } from './fault-problems.ts';
import { isObject } from './is-object.ts';
import { UPLOAD_FAULTS } from './upload-faults.ts';
import type { Fault, Vendor } from './vendor.ts';

/** The faults of transport and streams, which need no vendor's words. */
export const FRAME_FAULTS: Readonly<Record<string, string>> = {
  'F4.504': 'a gateway time-out: 504 with an HTML body',
  'F4.502': '502 with an empty body',
  'F4.500': '500 whose error has the type ""',
  'F4.503': '503 with an empty body',
  'F15.413': 'a proxy refuses the size: 413 with an HTML body',
  ...UPLOAD_FAULTS,
  'F5.reset': 'the connection is reset before any header',
  'F5.silent': 'nothing ever comes, not even headers',
  'F5.headers': 'headers, then silence',
  'F5.cut': 'the socket is destroyed after N events (half of a JSON body)',
  'F5.end': 'a clean end after N events: no finish, no [DONE] (half of a JSON body, chunked)',
  'F5.nodone': 'everything but [DONE]',
  'F5.stall': 'silence after N events (half of a JSON body), the socket stays open',
  'F5.cutbody': 'the socket is destroyed in the middle of a JSON body',
  'F5.lengthlong': 'content-length says more than comes; the connection is closed after it',
  'F5.lengthshort': 'content-length says less than comes',
  'F6.split': 'each byte is a separate write',
  'F6.burst': 'all events arrive in one piece',
  'F6.crlf': 'lines end with CR LF',
  'F6.comments': 'comments before, between and after the events',
  'F6.bom': 'a byte order mark comes first',
  'F6.multiline': 'one event is spread over several data: lines',
  'F6.nospace': 'no space after data:',
  'F6.fields': 'id:, retry: and unknown fields around the data',
  'F6.nonewline': 'the last line has no end',
  'F6.malformed': 'one event after N is not JSON (the JSON body likewise)',
  'F6.nochoices': 'an event with choices:[] before each other',
  'F6.role': 'the role is said again in each delta',
  'F11.error': 'an error as an event after N, default: first (200 with an error as JSON)',
  slow: 'with.firstMs before the headers, with.chunkMs before each event',
};

/** What `with` of each may hold. */
const FRAME_FAULT_OPTIONS: FaultNames['frame'] = {
  ...Object.fromEntries(Object.keys(FRAME_FAULTS).map((id) => [id, []])),
  'F11.error': ['message', 'type', 'code'],
  slow: ['firstMs', 'chunkMs'],
  'F15.slow': ['ms'],
};

/** What an id without its kind stands for. */
const PLAIN: Readonly<Record<string, string>> = {
  F4: 'F4.504',
  F5: 'F5.cut',
  F6: 'F6.split',
  F11: 'F11.error',
};

export interface Faults {
  /** Adds to the plan; throws a sentence that names what is wrong, and then plans nothing. */
  plan(wanted: unknown): readonly Fault[];
  /** The fault that befalls this request, counted as used. */
  take(vendor: Vendor, path: string, header: string | undefined): Fault | undefined;
  /** The same, of those that come while an upload is received. */
  takeForUpload(vendor: Vendor, path: string): Fault | undefined;
  pending(): readonly Fault[];
  clear(): void;
}

interface Planned {
  readonly fault: Fault;
  /** Infinity for all. */
  left: number;
}

const MAX_PLANNED = 1_000;

export function createFaults(vendors: readonly Vendor[]): Faults {
  let planned: Planned[] = [];

  function resolveId(id: string, owners: readonly Vendor[]): string | undefined {
    const known = (name: string): boolean =>
      Object.hasOwn(FRAME_FAULTS, name) ||
      owners.some((owner) => Object.hasOwn(owner.faults, name));
    if (known(id)) return id;
    const whole = Object.hasOwn(PLAIN, id) ? PLAIN[id] : undefined;
    return whole !== undefined && known(whole) ? whole : undefined;
  }

  function read(wanted: unknown): Fault {
    if (!isObject(wanted))
      throw new Error('A fault is an object such as {"id":"F5.cut","after":3}.');
    const { id, vendor, path, times, after, with: faultOptions, ...rest } = wanted;
    const stranger = Object.keys(rest)[0];
    if (stranger !== undefined)
      throw new Error(
        `Unknown field "${stranger}": a fault has id, vendor, path, times, after and with.`,
      );
    if (vendor !== undefined && !vendors.some((one) => one.name === vendor))
      throw new Error(
        `vendor: there is no ${JSON.stringify(vendor)}; there are ${vendors.map((one) => one.name).join(', ') || 'none'}.`,
      );
    const owners = vendor === undefined ? vendors : vendors.filter((one) => one.name === vendor);
    const whole = typeof id === 'string' ? resolveId(id, owners) : undefined;
    const names = { frame: FRAME_FAULT_OPTIONS, owners };
    if (whole === undefined) throw new Error(noSuchFault(id, vendor as string | undefined, names));
    if (path !== undefined && typeof path !== 'string') throw new Error('path: a text is needed.');
    if (faultOptions !== undefined && !isObject(faultOptions))
      throw new Error('with: an object is needed.');
    const strange =
      faultOptions === undefined ? undefined : unknownOptionProblem(whole, faultOptions, names);
    if (strange !== undefined) throw new Error(strange);
    return {
      id: whole,
      ...(vendor === undefined ? {} : { vendor: vendor as string }),
      ...(path === undefined ? {} : { path }),
      ...wholeNumber('times', times),
      ...wholeNumber('after', after),
      ...(faultOptions === undefined ? {} : { with: faultOptions }),
    };
  }

  function takePlanned(
    vendor: Vendor,
    path: string,
    isMeant: (id: string) => boolean,
  ): Fault | undefined {
    if (planned.length === 0) return undefined;
    const found = planned.find(
      ({ fault }) =>
        isMeant(fault.id) &&
        (fault.vendor === undefined || fault.vendor === vendor.name) &&
        (fault.path === undefined || path.includes(fault.path)) &&
        resolveId(fault.id, [vendor]) !== undefined,
    );
    if (found === undefined) return undefined;
    found.left -= 1;
    if (found.left <= 0) planned = planned.filter((one) => one !== found);
    return found.fault;
  }

  return {
    plan(wanted) {
      const faults = (Array.isArray(wanted) ? wanted : [wanted]).map(read);
      if (planned.length + faults.length > MAX_PLANNED)
        throw new Error(`At most ${MAX_PLANNED} faults can be planned at once.`);
      for (const fault of faults)
        planned.push({ fault, left: fault.times === 0 ? Infinity : (fault.times ?? 1) });
      return faults;
    },
    take(vendor, path, header) {
      if (header !== undefined) return readHeader(header, vendor, (id) => resolveId(id, [vendor]));
      return takePlanned(vendor, path, (id) => !Object.hasOwn(UPLOAD_FAULTS, id));
    },
    takeForUpload: (vendor, path) =>
      takePlanned(vendor, path, (id) => Object.hasOwn(UPLOAD_FAULTS, id)),
    pending: () =>
      planned.map(({ fault, left }) => ({ ...fault, times: left === Infinity ? 0 : left })),
    clear() {
      planned = [];
    },
  };
}

function wholeNumber<Name extends string>(name: Name, value: unknown): { [K in Name]?: number } {
  if (value === undefined) return {};
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new Error(`${name}: a whole number from 0 is needed.`);
  return { [name]: value } as { [K in Name]?: number };
}

/** `F5.cut;after=3;seconds=2`: what is not `after` is for the fault itself. */
function readHeader(
  header: string,
  vendor: Vendor,
  resolve: (id: string) => string | undefined,
): Fault {
  const [first = '', ...pairs] = header.split(';').map((piece) => piece.trim());
  const names = { frame: FRAME_FAULT_OPTIONS, owners: [vendor] };
  const id = resolve(first);
  if (id === undefined)
    throw new Error(`x-emulate-fault: ${noSuchFault(first, vendor.name, names)}`);
  const faultOptions: Record<string, unknown> = {};
  let after: { after?: number } = {};
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    if (equals < 1) throw new Error(`x-emulate-fault: "${pair}" is not of the form name=value.`);
    const value = pair.slice(equals + 1);
    const read = value !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
    if (pair.slice(0, equals) === 'after') after = wholeNumber('after', read);
    else faultOptions[pair.slice(0, equals)] = read;
  }
  const strange = unknownOptionProblem(id, faultOptions, names);
  if (strange !== undefined) throw new Error(`x-emulate-fault: ${strange}`);
  return { id, ...after, ...(Object.keys(faultOptions).length > 0 ? { with: faultOptions } : {}) };
}
