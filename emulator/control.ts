import { FRAME_FAULTS } from './faults.ts';
import type { EmulatorState } from './serve.ts';
import { listSwitches, setSwitches } from './switches.ts';
import type { Ask } from './vendor.ts';

export interface ControlAnswer {
  readonly status: number;
  readonly body: unknown;
}

const ok = (body: unknown): ControlAnswer => ({ status: 200, body });
const bad = (message: string): ControlAnswer => ({ status: 400, body: { error: { message } } });

/** How tests and people steer the emulator; its paths begin with `/_`. */
export function control(emulator: EmulatorState, ask: Ask): ControlAnswer {
  const { faults, requests, vendors } = emulator;
  switch (`${ask.method} ${ask.path}`) {
    case 'GET /':
      return ok(describe(emulator));
    case 'GET /_faults':
      return ok({ faults: faults.pending() });
    case 'POST /_faults':
      return attempt(() => ({ planned: faults.plan(jsonOf(ask, '{"id":"F5.cut","after":3}')) }));
    case 'DELETE /_faults':
      faults.clear();
      return ok({ faults: [] });
    case 'GET /_switches':
      return ok(listSwitches(vendors));
    case 'POST /_switches':
      return attempt(() => {
        setSwitches(vendors, jsonOf(ask, '{"kimi":{"legacyCache":true}}'));
        return listSwitches(vendors);
      });
    case 'POST /_reset':
      resetEmulator(emulator);
      return ok({ reset: true });
    case 'GET /_requests':
      return showRequests(emulator, ask);
    case 'DELETE /_requests':
      requests.clear();
      return ok({ requests: [] });
    default:
      return {
        status: 404,
        body: {
          error: {
            message: `The emulator has nothing at ${ask.method} ${ask.path}; GET / lists what it has.`,
          },
        },
      };
  }
}

export function resetEmulator({ faults, requests, vendors }: EmulatorState): void {
  faults.clear();
  requests.clear();
  for (const vendor of vendors) vendor.reset();
}

function jsonOf({ json }: Ask, example: string): unknown {
  if (json === undefined)
    throw new Error(`The body is not JSON; send an object such as ${example}.`);
  return json;
}

function attempt(act: () => unknown): ControlAnswer {
  try {
    return ok(act());
  } catch (error) {
    return bad((error as Error).message);
  }
}

function showRequests({ requests, vendors }: EmulatorState, ask: Ask): ControlAnswer {
  const vendor = ask.query.get('vendor') ?? undefined;
  if (vendor !== undefined && !vendors.some((one) => one.name === vendor))
    return bad(`vendor: there is no "${vendor}".`);
  const last = Number(ask.query.get('last') ?? 1_000);
  if (!Number.isSafeInteger(last) || last < 0) return bad('last: a whole number from 0 is needed.');
  return ok({ requests: requests.list({ last, ...(vendor === undefined ? {} : { vendor }) }) });
}

function describe({ vendors }: EmulatorState): object {
  return {
    emulator: 'exai',
    note: 'This is a test program. Its answers are computed from the request; no model and no vendor is behind them.',
    vendors: vendors.map((vendor) => ({
      name: vendor.name,
      prefix: vendor.prefix,
      switches: { ...vendor.switches },
      faults: Object.keys(vendor.faults),
    })),
    frameFaults: FRAME_FAULTS,
    control: {
      'POST /_faults': 'plan one fault or a list: {id, vendor?, path?, times?, after?, with?}',
      'GET /_faults': 'what is planned',
      'DELETE /_faults': 'plan nothing any more',
      'x-emulate-fault: F5.cut;after=3': 'a header for one request',
      'POST /_switches': 'set switches: {"kimi": {"legacyCache": true}}',
      'GET /_switches': 'how they stand',
      'POST /_reset': 'forget faults, requests and every state; switches as at first',
      'GET /_requests?vendor=&last=': 'what was received, oldest first',
      'DELETE /_requests': 'forget what was received',
    },
  };
}
