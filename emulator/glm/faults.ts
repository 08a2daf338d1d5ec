import { throughFaults } from '../openai/through-faults.ts';
import type { Ask, Fault, FaultAnswer } from '../vendor.ts';
import { CODES, refuse, type ErrorStyle, type GlmError } from './errors.ts';

const HOUR_MS = 3_600_000;

/** What may be told about them. */
export const GLM_FAULT_OPTIONS = { F1: ['seconds'], code: ['code', 'seconds'] };

export function createGlmFaults(
  styleOf: (ask: Ask) => ErrorStyle,
): Readonly<Record<string, FaultAnswer>> {
  const says =
    (error: (ask: Ask) => GlmError): FaultAnswer =>
    async (ask, reply, fault): Promise<'answered'> => {
      // The vendor documents no such header; a test may request one anyway.
      const seconds = fault.with?.['seconds'];
      const headers = seconds === undefined ? {} : { 'retry-after': String(Number(seconds)) };
      await refuse(reply, error(ask), styleOf(ask), headers);
      return 'answered';
    };
  const code = (known: keyof typeof CODES, about?: string): FaultAnswer =>
    says(() => (about === undefined ? { code: known } : { code: known, about }));
  const resets = (known: '1308' | '1310', hours: number): FaultAnswer =>
    says((ask) => ({ code: known, about: resetTime(ask.now() + hours * HOUR_MS) }));

  return {
    F1: code('1302'),
    'F1.frequency': code('1303'),
    'F1.daily': code('1304'),
    'F1.fairuse': code('1313'),
    F2: code('1113'),
    'F2.locked': code('1112'),
    'F2.plan': resets('1308', 5),
    'F2.month': resets('1310', 24 * 30),
    'F2.expired': code('1309'),
    'F2.model': code('1311', 'this model'),
    F3: code('1312', 'glm-4.7'),
    'F3.busy': code('1305'),
    'F3.account': code('1120'),
    'F3.network': code('1234', 'emulated'),
    'F3.internal': code('500'),
    F10: code('1211'),
    'F11.blocked': code('1301'),
    'F15.toolarge': uploads(
      says(() => ({ code: '1214', about: 'file', detail: 'The file is larger than 100 MB.' })),
    ),
    'F15.435': uploads(async (_ask, reply): Promise<'answered'> => {
      await reply.json(435, {
        error: { code: '1214', message: 'The file is larger than 100 MB.' },
      });
      return 'answered';
    }),
    'F15.zero': uploads(
      says(() => ({ code: '1214', about: 'file', detail: 'The file is empty.' })),
    ),
    'F15.count': uploads(says(() => ({ code: '1210', detail: 'At most 100 files can be kept.' }))),
    'F15.fast': uploads(code('1302')),
    'F15.extract': contents(code('500')),
    F16: code('1004'),
    // Any code of the table: `code;code=1220`.
    code: (ask, reply, fault) => says(() => aboutCode(codeOf(fault), ask))(ask, reply, fault),
    ...throughFaults(
      'F11.sensitive',
      'F11.network_error',
      'F11.model_context_window_exceeded',
      'F15.status',
    ),
  };
}

/** The limits of a plan say when they are reset; here in five hours. */
function aboutCode(code: keyof typeof CODES, ask: Ask): GlmError {
  const isLimit = Number(code) >= 1314 && Number(code) <= 1321;
  return { code, about: isLimit ? resetTime(ask.now() + 5 * HOUR_MS) : 'it' };
}

function codeOf({ with: faultOptions }: Fault): keyof typeof CODES {
  const requestedValue = String(Number(faultOptions?.['code']));
  return Object.hasOwn(CODES, requestedValue) ? (requestedValue as keyof typeof CODES) : '500';
}

const uploads =
  (answer: FaultAnswer): FaultAnswer =>
  (ask, reply, fault) =>
    ask.method === 'POST' && ask.path.endsWith('/files') ? answer(ask, reply, fault) : 'through';

const contents =
  (answer: FaultAnswer): FaultAnswer =>
  (ask, reply, fault) =>
    ask.path.endsWith('/content') ? answer(ask, reply, fault) : 'through';

/** As the vendor writes it: the time in its zone, without naming it. */
const resetTime = (ms: number): string =>
  new Date(ms + 8 * HOUR_MS).toISOString().slice(0, 19).replace('T', ' ');
